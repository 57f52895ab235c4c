import RillCore
import RillImage

/// A sink that keeps every picture, or a copy of it.
final class FrameCollection: FrameSink, Sendable {
    private struct State {
        var frames: [VideoFrame] = []
        var isFinished = false
    }

    private let state = Monitor(State())
    private let copies: Bool

    /// - Parameter copies: whether to keep copies, so that no buffer of a pool is held.
    init(copies: Bool = false) {
        self.copies = copies
    }

    var frames: [VideoFrame] { state.withLock { $0.frames } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func consume(_ frame: VideoFrame) throws {
        let kept = copies ? frame.copied(into: try FramePool(resolution: frame.resolution, capacity: 1)) : frame
        state.withLock { $0.frames.append(contentsOf: [kept].compactMap(\.self)) }
    }
    func finish() { state.withLock { $0.isFinished = true } }

    /// Lets all pictures go.
    func removeAll() { state.withLock { $0.frames.removeAll() } }
}
