import Glibc
import Rill
import RillCore
import RillFiles
import RillThreads

/// Hands pictures to a window through a pipe, as Y4M. The window takes them when it shows them; of those that wait
/// meanwhile only the newest is kept, so that the decoder never waits. The stream has the size of the first picture.
///
/// Threads: the thread `rill-pictures` writes; the decoding thread gives pictures.
final class WindowPictures: FrameSink, Sendable {
    private let path: String
    private let state = Monitor(State())
    private let thread: NamedThread

    private struct State {
        var newest: VideoFrame?
        var isEnding = false
        var hasEnded = false
        var failure: (any Error)?
    }

    /// Begins.
    ///
    /// - Parameter path: the pipe.
    init(to path: String) {
        self.path = path
        let state = state
        thread = NamedThread("rill-pictures") {
            var output: (writer: Y4MWriter, pool: FramePool)?
            while let frame = WindowPictures.next(state) {
                do {
                    let (writer, pool) = try output ?? WindowPictures.begin(path, frame.resolution)
                    output = (writer, pool)
                    if let fitted = CallRecording.fit(frame, into: writer.header.resolution, pool) {
                        try writer.consume(fitted)
                    }
                } catch {
                    state.change { $0.failure = $0.failure ?? error }
                }
            }
            state.change { $0.hasEnded = true }
        }
    }

    /// The window plays 30 pictures per second; those of a slower stream are shown when they come.
    private static func begin(_ path: String, _ resolution: Resolution) throws -> (Y4MWriter, FramePool) {
        (
            try Y4MWriter(path: path, resolution: resolution, frameRate: 30),
            try FramePool(resolution: resolution, capacity: 2)
        )
    }

    private static func next(_ state: Monitor<State>) -> VideoFrame? {
        state.wait { state -> VideoFrame?? in
            if state.isEnding || state.failure != nil { return .some(nil) }
            return state.newest.take().map { .some($0) }
        }
    }

    func consume(_ frame: VideoFrame) throws {
        try state.change { (state) throws in
            switch state.failure {
            case nil: state.newest = frame
            // Whoever waits for the window's end knows.
            case FileError.writeFailed(_, _, EPIPE)?: break
            case let error?: throw error
            }
        }
    }

    /// The end of a session is not that of the window.
    func finish() {}

    /// Ends, when the pipe has no reader any more.
    func end() {
        state.change { $0.isEnding = true }
        let clock = LiveClock()
        // Opening a pipe for writing waits for a reader. One that goes at once makes it go on, to an error.
        while state.wait(
            untilMonotonic: clock.monotonic(clock.now + .milliseconds(10)), for: { $0.hasEnded ? () : nil }) == nil
        {
            let reader = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            if reader >= 0 { Glibc.close(reader) }
        }
        thread.join()
    }
}
