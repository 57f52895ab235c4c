import RillCore

/// A sink whose pictures a task awaits.
final class AwaitedPictures: FrameSink {
    private let continuation: AsyncStream<VideoFrame>.Continuation

    init(_ continuation: AsyncStream<VideoFrame>.Continuation) {
        self.continuation = continuation
    }

    func consume(_ frame: VideoFrame) { continuation.yield(frame) }
    func finish() { continuation.finish() }
}
