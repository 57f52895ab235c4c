import RillCodec
import RillCore
import RillImage

/// Compares shown pictures with the source frames of the same time, cropped and scaled as the layer does.
///
/// The source is read a second time, so that no picture must be kept for the duration of the transmission.
final class ReferenceComparator {
    private let source: any FrameSource
    private let layer: LayerSettings
    private let scaler: LayerScaler
    private var current: VideoFrame?
    private(set) var quality = QualityMeter()
    /// Shown pictures without a source frame of the same time.
    private(set) var unmatched = 0

    /// - Parameters:
    ///   - source: the same pictures as those that are sent, from the start.
    ///   - layer: the settings of the layer.
    init(source: any FrameSource, layer: LayerSettings) throws {
        self.source = source
        self.layer = layer
        self.scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 1)
    }

    /// Compares a picture with the source's of `captureTime`. Times must rise from call to call.
    func compare(_ shown: VideoFrame, at captureTime: MediaTime) throws {
        while current.map({ $0.captureTime < captureTime }) ?? true {
            current = nil
            guard case .frame(let next) = try source.next() else { break }
            current = next
        }
        guard let current, current.captureTime == captureTime, shown.resolution == layer.resolution else {
            unmatched += 1
            return
        }
        guard let reference = scaler.fitted(current) else {
            preconditionFailure("the picture compared before is still in use")
        }
        quality.add(PictureDifference(between: shown, and: reference))
    }
}
