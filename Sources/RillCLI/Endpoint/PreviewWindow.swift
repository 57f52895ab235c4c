import Foundation
import Glibc
import RillCore
import RillThreads

/// A window for pictures as they come: `rill-preview`, which reads them from a named pipe.
///
/// Threads: the thread `rill-window` waits for the program's end. All methods may be called from any thread.
final class PreviewWindow: Sendable {
    /// What shows pictures in the window. When the window is gone, it throws.
    let pictures: WindowPictures
    private let folder: String
    private let child: pid_t
    private let state: Monitor<State>
    private let waiter: NamedThread

    private struct State {
        /// The exit code, if it ended by itself.
        var status: Int32?
        var isClosing = false
    }

    /// Opens the window.
    ///
    /// - Throws: ``CommandError``.
    init(for command: String) throws {
        let program = try SeparateProgram.preview.path(for: command)
        // Only its owner may look into the folder.
        var template = Array((NSTemporaryDirectory() + "rill-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw CommandError("no temporary folder: \(unsafe String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = folder + "/stream.y4m"
        // A write to a window that is gone is an error, and not a signal.
        signal(SIGPIPE, SIG_IGN)
        // Open in both directions: neither side waits for the other one to open it.
        let descriptor = unsafe mkfifo(path, 0o600) == 0 ? unsafe open(path, O_RDWR | O_CLOEXEC) : -1
        guard descriptor >= 0 else { throw CommandError("\(path): \(unsafe String(cString: strerror(errno)))") }
        do { child = try ChildProcess.start([program, path, "--no-mirror"]) } catch {
            Glibc.close(descriptor)
            try? FileManager.default.removeItem(atPath: folder)  // it is in the temporary folder
            throw error
        }
        pictures = WindowPictures(to: path)
        let (child, state) = (child, Monitor(State()))
        self.state = state
        waiter = NamedThread("rill-window") {
            let status = ChildProcess.wait(for: child)
            // Whoever writes to the pipe now gets an error.
            Glibc.close(descriptor)
            state.withLock { state in if !state.isClosing { state.status = status } }
        }
    }

    /// The exit code of the program, once somebody has closed the window; `nil` before, and if it was ``close()``.
    var status: Int32? { state.withLock { $0.status } }

    /// Closes the window, and waits until it is gone.
    func close() {
        let isOpen = state.withLock { state in
            defer { state.isClosing = true }
            return state.status == nil && !state.isClosing
        }
        // Its number is its own until it is waited for.
        if isOpen { kill(child, SIGTERM) }
        waiter.join()
        // A picture that is being written has an error by now.
        pictures.end()
        signal(SIGPIPE, SIG_DFL)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
