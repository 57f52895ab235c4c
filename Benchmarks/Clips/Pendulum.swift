import Rill

/// Plays frames there and back, again and again, so that there is no cut where it turns.
public final class Pendulum: FrameSource {
    /// The frames' size, 30 frames a second, and how many there are.
    public let format: SourceFormat
    private let frames: [VideoFrame]
    private let first: Int
    private let count: Int
    private var nextFrame = 0

    /// So many of `frames` at 30 frames a second; without an end unless `count` says one.
    ///
    /// - Parameter first: the frame to begin with, so that no two cameras show the same.
    public init(_ frames: [VideoFrame], from first: Int = 0, count: Int = .max) {
        (self.frames, self.first, self.count) = (frames, first, count)
        format = SourceFormat(
            resolution: frames[0].resolution, frameRate: 30, frameCount: count == .max ? nil : count)
    }

    /// The next frame, stamped by its number.
    public func next() -> SourceOutput { nextFrame < count ? .frame(nextPicture()) : .end }

    /// The next frame, whatever the count.
    public func nextPicture() -> VideoFrame {
        // 0, 1, 2, 3, 2, 1, 0, 1 … of four.
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
