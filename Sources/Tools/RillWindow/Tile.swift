#if Window
package import RillCore

/// One picture in the window: a sink that keeps the newest frame until the window draws it.
///
/// Threads: any thread passes frames; the window's thread takes them.
package final class Tile: FrameSink, Sendable {
    package let name: String
    private let state: Monitor<State>

    private struct State {
        /// Called when there is a new frame to draw; `nil` once the window is gone.
        var wake: (@Sendable () -> Void)?
        var frame: VideoFrame?
        var isNew = false
        var count = 0
        var isFinished = false
    }

    package init(_ name: String, wake: @escaping @Sendable () -> Void) {
        (self.name, state) = (name, Monitor(State(wake: wake)))
    }

    package func consume(_ frame: VideoFrame) {
        state.withLock { state in
            state.frame = frame
            state.isNew = true
            state.count += 1
            // Under the lock: the window waits for it before it ends SDL.
            state.wake?()
        }
    }

    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.wake?()
        }
    }

    /// The window is gone: wakes nothing from now on.
    func close() { state.withLock { $0.wake = nil } }

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
#endif
