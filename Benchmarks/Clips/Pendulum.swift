import Rill

/// Plays frames forwards and backwards repeatedly, so that there is no cut.
public final class Pendulum: FrameSource {
    /// The frames' size, 30 frames per second, and their number.
    public let format: SourceFormat
    private let frames: [VideoFrame]
    private let first: Int
    private let count: Int
    private var nextFrame = 0

    /// Plays `frames` at 30 frames per second, endlessly unless `count` limits them.
    ///
    /// - Parameter first: the frame to start with, so that no two cameras show the same.
    public init(_ frames: [VideoFrame], from first: Int = 0, count: Int = .max) {
        (self.frames, self.first, self.count) = (frames, first, count)
        format = SourceFormat(
            resolution: frames[0].resolution, frameRate: 30, frameCount: count == .max ? nil : count)
    }

    /// The next frame, with the capture time of its number.
    public func next() -> SourceOutput { nextFrame < count ? .frame(nextPicture()) : .end }

    /// The next frame, without a limit.
    public func nextPicture() -> VideoFrame {
        // 0, 1, 2, 3, 2, 1, 0, 1 … for four frames.
        let round = max(2 * frames.count - 2, 1)
        let place = (first + nextFrame) % round
        var frame = frames[min(place, round - place)]
        frame.captureTime = FrameRate(30).time(ofFrame: nextFrame)
        frame.timestamps = FrameTimestamps()
        frame.isDiscontinuity = nextFrame == 0
        nextFrame += 1
        return frame
    }
}
