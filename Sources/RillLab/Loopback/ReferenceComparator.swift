import RillCodec
import RillCore
import RillImage

/// Compares what was shown with the source frame of the same time, cut and scaled as the layer does it.
///
/// The source is read a second time, so that no picture has to be kept for the length of the network.
final class ReferenceComparator {
    private let source: any FrameSource
    private let layer: LayerSettings
    private let scaler: LayerScaler
    private var current: VideoFrame?
    private(set) var quality = QualityMeter()
    /// Pictures shown for which the source had none of their time.
    private(set) var unmatched = 0

    /// - Parameter source: the same pictures as those that are sent, from the beginning.
    init(source: any FrameSource, layer: LayerSettings) throws {
        self.source = source
        self.layer = layer
        self.scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 1)
    }

    /// Compares a picture with the source's of `captureTime`. Times have to rise from call to call.
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
