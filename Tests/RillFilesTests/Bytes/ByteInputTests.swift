import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct ByteInputTests {
    let folder = TemporaryFolder()

    @Test func `Files that cannot be opened are reported`() {
        let path = folder.path("missing")
        #expect(throws: FileError.notFound(path: path)) { _ = try ByteInput(path: path) }
        #expect(throws: FileError.openFailed(path: folder.root, code: EISDIR)) { _ = try ByteInput(path: folder.root) }
        #expect(throws: FileError.openFailed(path: "/dev/null/x", code: ENOTDIR)) {
            _ = try ByteInput(path: "/dev/null/x")
        }
    }

    /// Random looks, skips and reads give the same bytes as the plain array, whatever pieces they come in.
    @Test(arguments: 0..<20)
    func `Every way of reading gives the same bytes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 1...200_000, using: &generator)).map { _ in
            UInt8(truncatingIfNeeded: generator.next())
        }
        let path = folder.path("bytes")
        var input: ByteInput
        switch seed % 3 {
        case 0:
            try write(bytes, to: path)
            input = try ByteInput(path: path)
        case 1:
            try makePipe(path, feeding: bytes, seed: seed)
            input = try ByteInput(path: path)
        default: input = ByteInput(bytes: bytes)
        }
        var block: [UInt8] = []
        while input.position < bytes.count {
            let start = input.position
            let rest = bytes.count - start
            let remaining = input.remainingByteCount
            #expect(remaining == (seed % 3 == 1 ? nil : rest))
            let limit = [1, 100, ByteInput.bufferByteCount].randomElement(using: &generator)!
            if Bool.random(using: &generator) {
                let count = Int.random(in: 1...ByteInput.bufferByteCount, using: &generator)
                let available = try input.fill(count, atMost: limit)
                #expect(available >= min(count, rest))
                let seen = input.buffered.prefixBytes(.max)
                #expect(seen == Array(bytes[start..<start + available]))
                input.consume(Int.random(in: 0...available, using: &generator))
            } else {
                let count = Int.random(in: 0...100_000, using: &generator)
                try input.read(count, into: &block)
                #expect(block == Array(bytes[start..<start + min(count, rest)]))
                let position = input.position
                #expect(position == start + min(count, rest))
            }
        }
        let more = try input.fill(1)
        #expect(more == 0)
    }

    @Test func `A read interrupted by a signal continues`() throws {
        try makePipe(folder.path("pipe"))
        // A handler that does nothing and, without SA_RESTART, makes blocked calls return EINTR.
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        unsafe sigaction(SIGURG, &action, nil)
        // Threads of the pool that tests run on hold all signals.
        var signals = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGURG)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let reader = pthread_self()
        let path = folder.path("pipe")
        Thread.detachNewThread {
            holdPipeSignal()
            let descriptor = unsafe open(path, O_WRONLY)
            for byte in UInt8(0)..<20 {
                usleep(2000)
                pthread_kill(reader, SIGURG)
                usleep(1000)
                _ = unsafe withUnsafeBytes(of: byte) { unsafe Foundation.write(descriptor, $0.baseAddress, 1) }
            }
            close(descriptor)
        }
        var input = try ByteInput(path: path)
        let available = try input.fill(20)
        #expect(available == 20)
        let bytes = input.buffered.prefixBytes(20)
        #expect(bytes == Array(0..<20))
    }
}
