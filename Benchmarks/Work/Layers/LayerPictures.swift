import Arguments
import Rill
import RillCodec
import RillFiles

/// A layer's input pictures from a clip: at the layer's frame rate, cropped and scaled by the library, and repeated
/// from the start until `seconds` are filled.
final class LayerPictures {
    private let path: String
    private let rate: FrameRate
    private let frameCount: Int?
    private var clip: Y4MReader
    private let clipRate: FrameRate
    private let scaler: LayerScaler
    private var decimator: FrameDecimator
    private var readCount = 0
    private var count = 0

    init(clip path: String, resolution: Resolution, rate: FrameRate, seconds: Int?) throws {
        self.path = path
        self.rate = rate
        self.clip = try Y4MReader(path: path)
        guard let clipRate = clip.format.frameRate else { throw WrongUse("\(path) has no frame rate") }
        self.clipRate = clipRate
        self.scaler = try LayerScaler(resolution, capacity: 2)
        self.decimator = FrameDecimator(rate: rate)
        self.frameCount = seconds.map { Int(Double($0) * rate.framesPerSecond) }
    }

    /// The layer's next picture, with the capture time of its number in the layer; `nil` at the end.
    func next() throws -> VideoFrame? {
        guard count < frameCount ?? .max, var frame = try nextWanted() else { return nil }
        frame.captureTime = rate.time(ofFrame: count)
        count += 1
        guard let fitted = scaler.fitted(frame) else { preconditionFailure("two pictures are in use") }
        return fitted
    }

    private func nextWanted() throws -> VideoFrame? {
        while let frame = try nextOfClip() {
            if decimator.wants(frame.captureTime) { return frame }
        }
        return nil
    }

    private func nextOfClip() throws -> VideoFrame? {
        while true {
            if case .frame(var frame) = try clip.next() {
                frame.captureTime = clipRate.time(ofFrame: readCount)
                readCount += 1
                return frame
            }
            guard frameCount != nil, readCount > 0 else { return nil }
            clip = try Y4MReader(path: path)
        }
    }
}
