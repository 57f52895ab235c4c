import Foundation
import RillCore
import RillTestSupport

/// A named pipe that nobody has opened yet.
func makePipe(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe at \(path)") }
}

/// A named pipe that a thread feeds with `bytes`, a few at a time, and then closes: whoever reads it gets them in pieces
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

/// All that comes through a pipe, read on a thread of its own.
func collect(_ path: String) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try read(path) }) }
    }
}

/// Keeps SIGPIPE from this thread for good: a reader that goes away early must end the feeding, not the tests.
func holdPipeSignal() {
    var pipeSignal = sigset_t()
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
}
