import Rill

/// Plays frames there and back, again and again, so that there is no cut where it turns.
public final class Pendulum: FrameSource {
    /// The frames' size, 30 frames a second, and how many there are.
    public let format: SourceFormat
    private let frames: [VideoFrame]
    private let count: Int
    private var nextFrame = 0

    /// So many of `frames`, which are two or more, at 30 frames a second; without an end unless `count` says one.
    public init(_ frames: [VideoFrame], count: Int = .max) {
        self.frames = frames
        self.count = count
        format = SourceFormat(
            resolution: frames[0].resolution, frameRate: 30, frameCount: count == .max ? nil : count)
    }

    /// The next frame, stamped by its number.
    public func next() -> SourceOutput {
        guard nextFrame < count else { return .end }
        return .frame(nextPicture())
    }

    /// The next frame, whatever the count.
    func nextPicture() -> VideoFrame {
        let place = nextFrame % (2 * frames.count - 2)
        var frame = frames[place < frames.count ? place : 2 * frames.count - 2 - place]
        frame.captureTime = FrameRate(30).time(ofFrame: nextFrame)
        nextFrame += 1
        return frame
    }
}
