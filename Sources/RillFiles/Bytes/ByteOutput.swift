import Glibc
import RillCore

/// Bytes to write in order to a file or a pipe: what all writers of this module stand on.
///
/// Nothing is held back: a record, or a frame with its header, is one gathering write straight from where its bytes lie,
/// so what was consumed is in the file, whatever becomes of the process.
///
/// After a failure every later write fails with the same error. A pipe whose reader is gone is an error like any other:
/// the signal SIGPIPE that would end the process is caught for the time of the call.
package struct ByteOutput: ~Copyable {
    /// The path as it is said in errors.
    package let path: String
    /// Bytes written so far.
    package private(set) var position = 0
    private let descriptor: Descriptor
    /// Where in the file the first byte stands, when bytes can still be changed after they were written.
    private let origin: Int?
    private let raisesPipeSignal: Bool
    private var failure: FileError?
    private var pieces = PieceList()

    /// Makes or empties a file; `-` is standard output.
    ///
    /// - Parameter name: what errors call it, where that is not its path: the name that it is to bear once it is whole.
    package init(path: String, name: String? = nil) throws(FileError) {
        if path == "-" {
            self.init(Descriptor(standardStream: STDOUT_FILENO), path: "standard output")
        } else {
            let descriptor = try Descriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC, name: name)
            self.init(descriptor, path: name ?? path)
        }
    }

    private init(_ descriptor: consuming Descriptor, path: String) {
        self.path = path
        let status = descriptor.status
        raisesPipeSignal = status?.isPipeOrSocket ?? true
        origin = status?.isRegularFile == true && !descriptor.isAppending ? descriptor.offset : nil
        self.descriptor = descriptor
    }

    /// Whether ``replace(at:with:)`` works: not on pipes, terminals and files opened to append.
    package var isRewritable: Bool { origin != nil }

    /// Writes `first`, then `second`, then `third`.
    package mutating func write(
        _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), _ third: Span<UInt8> = Span()
    ) throws(FileError) {
        pieces.removeAll()
        // All spans live until the write is over.
        try unsafe first.withUnsafeBufferPointer { (first) throws(FileError) in
            try unsafe second.withUnsafeBufferPointer { (second) throws(FileError) in
                try unsafe third.withUnsafeBufferPointer { (third) throws(FileError) in
                    unsafe append(first)
                    unsafe append(second)
                    unsafe append(third)
                    try writePieces()
                }
            }
        }
    }

    /// Writes `header`, then the samples of the frame; `runs` are those of the frame's layout.
    mutating func write(_ header: Span<UInt8>, _ runs: FrameRuns, of frame: VideoFrame) throws(FileError) {
        precondition(runs.layout == frame.layout, "runs of another layout")
        pieces.removeAll()
        try unsafe header.withUnsafeBufferPointer { (header) throws(FileError) in
            unsafe append(header)
            // writev(2) takes mutable addresses and reads from them only; `frame` lives until the end of this call.
            let base = unsafe UnsafeMutableRawPointer(mutating: frame.pointer(plane: 0))
            for run in runs.runs { unsafe pieces.append(base + run.lowerBound, run.count) }
            try writePieces()
        }
        withExtendedLifetime(frame) {}
    }

    /// Replaces bytes that were written before; only where ``isRewritable``.
    package mutating func replace(at position: Int, with bytes: [UInt8]) throws(FileError) {
        guard let origin else { preconditionFailure("\(path) takes bytes in order only") }
        precondition(position + bytes.count <= self.position, "only what was written can be replaced")
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                // The range is in bounds, and pwrite(2) only reads it.
                retryingInterrupted {
                    unsafe pwrite(
                        descriptor.number, bytes.baseAddress! + done, bytes.count - done,
                        off_t(origin + position + done))
                }
            }
            guard count > 0 else { throw .writeFailed(path: path, position: position + done, code: errno) }
            done += count
        }
    }

    /// Closes the file, and throws what went wrong now or before.
    package consuming func finish() throws(FileError) {
        let (path, position, failure) = (path, position, failure)
        let code = close()
        if let failure { throw failure }
        guard code == 0 else { throw .writeFailed(path: path, position: position, code: code) }
    }

    private consuming func close() -> Int32 {
        descriptor.close()
    }

    // The pointer is const for writev's sake only, which reads through it.
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        unsafe pieces.append(UnsafeMutableRawPointer(mutating: base), bytes.count)
    }

    private mutating func writePieces() throws(FileError) {
        if let failure { throw failure }
        while !pieces.isEmpty {
            let (count, code) = writeOnce()
            guard count > 0 else {
                // Nothing written and nothing said would make this loop for ever.
                let error = FileError.writeFailed(path: path, position: position, code: count < 0 ? code : EIO)
                failure = error
                throw error
            }
            pieces.advance(by: count)
            position += count
        }
    }

    /// One call of the system, and its `errno`.
    private func writeOnce() -> (count: Int, code: Int32) {
        let pieces = unsafe pieces.remaining
        let number = descriptor.number
        // The pieces are memory that the caller keeps until the write is over.
        func write() -> Int { retryingInterrupted { unsafe writev(number, pieces.baseAddress!, Int32(pieces.count)) } }
        guard raisesPipeSignal else { return (write(), errno) }
        return catchingPipeSignal(write)
    }
}

/// Runs a write so that SIGPIPE is held from this thread, and eats the signal if the write raised it.
///
/// A library leaves the process's signal handling alone, and pipes have no flag like a socket's `MSG_NOSIGNAL`.
private func catchingPipeSignal(_ write: () -> Int) -> (count: Int, code: Int32) {
    var pipeSignal = sigset_t()
    var before = sigset_t()
    var pending = sigset_t()
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe sigpending(&pending)
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
    let count = write()
    let code = errno
    // One that was pending before is not ours to eat. A write that got half its bytes through raises one, too.
    if unsafe sigismember(&pending, SIGPIPE) == 0 {
        var atOnce = timespec()
        _ = retryingInterrupted { Int(unsafe sigtimedwait(&pipeSignal, nil, &atOnce)) }
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    return (count, code)
}
