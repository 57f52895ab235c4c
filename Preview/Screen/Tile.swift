package import RillCore
import Synchronization

/// One picture in the window: a sink that keeps the newest frame until the window draws it.
///
/// Threads: any thread passes frames; the window's thread takes them.
package final class Tile: FrameSink, Sendable {
    package let name: String
    private let state = Mutex(State())
    /// Called when there is a new frame to draw.
    private let wake: @Sendable () -> Void

    private struct State {
        var frame: VideoFrame?
        var isNew = false
        var count = 0
        var isFinished = false
    }

    package init(_ name: String, wake: @escaping @Sendable () -> Void) { (self.name, self.wake) = (name, wake) }

    package func consume(_ frame: VideoFrame) {
        state.withLock { state in
            state.frame = frame
            state.isNew = true
            state.count += 1
        }
        wake()
    }

    package func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// The newest frame, if it was not taken before.
    package func takeNew() -> VideoFrame? {
        state.withLock { state in
            defer { state.isNew = false }
            return state.isNew ? state.frame : nil
        }
    }

    /// The size of the newest frame, upright.
    package var size: Resolution? {
        state.withLock { state in state.frame.map { $0.rotation.applied(to: $0.resolution) } }
    }

    /// The number of frames so far.
    package var count: Int { state.withLock { $0.count } }
    package var isFinished: Bool { state.withLock { $0.isFinished } }
}
