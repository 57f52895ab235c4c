import Foundation
import RillCore
import RillTestSupport

/// A named pipe that is not opened yet.
func makePipe(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe at \(path)") }
}

/// A named pipe that a thread feeds with `bytes`, a few at a time, and then closes: a reader gets them in pieces
/// of every size.
func makePipe(_ path: String, feeding bytes: [UInt8], pieces: ClosedRange<Int> = 1...3000, seed: UInt64 = 5) throws {
    try makePipe(path)
    Thread.detachNewThread {
        holdPipeSignal()
        let descriptor = unsafe open(path, O_WRONLY)
        defer { close(descriptor) }
        var generator = SeededGenerator(seed: seed)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = [UInt8](rest.prefix(Int.random(in: pieces, using: &generator)))
            // The bytes live during the call.
            let written = unsafe piece.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}

/// All that comes through a pipe, read on a thread of its own from now on.
///
/// A task would wait for a thread of the pool, of which there are as many as cores: who writes to the pipe keeps one of
/// them waiting for the reader, and every other test with it.
final class Collected: Sendable {
    private let bytes = Monitor<Result<[UInt8], any Error>?>(nil)

    init(_ path: String) {
        Thread.detachNewThread { [bytes] in
            let all = Result { try read(path) }
            bytes.change { $0 = all }
        }
    }

    /// The bytes, when the writer has closed the pipe.
    func get() throws -> [UInt8] { try bytes.wait { $0 }.get() }
}

/// Keeps SIGPIPE from this thread for good: a reader that goes away early must end the feeding, not the tests.
func holdPipeSignal() {
    var pipeSignal = sigset_t()
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
}
