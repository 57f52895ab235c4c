import Arguments
import Rill
import RillCodec
import RillFiles

/// The pictures of a clip as a layer gets them: thinned out, cut and scaled by the library's own parts, and played again
/// from the start until `seconds` are full.
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
        guard let clipRate = clip.format.frameRate else { throw WrongUse("\(path) does not say its rate") }
        self.clipRate = clipRate
        self.scaler = try LayerScaler(resolution, capacity: 2)
        self.decimator = FrameDecimator(rate: rate)
        self.frameCount = seconds.map { Int(Double($0) * rate.framesPerSecond) }
    }

    /// The layer's next picture, stamped with its place in the layer; `nil` at the end.
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
