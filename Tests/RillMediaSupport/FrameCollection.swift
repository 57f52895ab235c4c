package import RillCore
import RillImage

/// A sink that keeps every picture, or a copy of it.
package final class FrameCollection: FrameSink, Sendable {
    private struct State {
        var frames: [VideoFrame] = []
        var isFinished = false
    }

    private let state = Monitor(State())
    private let copies: Bool

    /// - Parameter copies: whether to keep copies, so that no buffer of a pool is held.
    package init(copies: Bool = false) {
        self.copies = copies
    }

    package var frames: [VideoFrame] { state.withLock { $0.frames } }
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    package func consume(_ frame: VideoFrame) throws {
        let kept = copies ? frame.copied(into: try FramePool(resolution: frame.resolution, capacity: 1)) : frame
        state.withLock { $0.frames.append(contentsOf: [kept].compactMap(\.self)) }
    }
    package func finish() { state.withLock { $0.isFinished = true } }

    /// Lets all pictures go.
    package func removeAll() { state.withLock { $0.frames.removeAll() } }
}
