import Glibc
import RillCore

/// Sequential output to a file or a pipe, for all writers of this module.
///
/// Nothing is buffered: a record, or a frame with its header, is one gathering write straight from its memory. So
/// everything that was consumed is in the file, even if the process dies.
///
/// After a failure every later write fails with the same error. A pipe without a reader is an ordinary error: the
/// signal SIGPIPE, which would end the process, is blocked during the call.
package struct ByteOutput: ~Copyable {
    /// The path for error messages.
    package let path: String
    /// The number of bytes written so far.
    package private(set) var position = 0
    private var descriptor: Descriptor?
    private let number: Int32
    /// The file offset of the first byte, if written bytes can still be changed.
    private let origin: Int?
    private let raisesPipeSignal: Bool
    private var failure: FileError?
    private var pieces = PieceList()

    /// Creates or truncates a file; `-` is standard output.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: the file's name in errors, if it is not its path: the final name of a file that is renamed once
    ///     complete.
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
        number = descriptor.number
        self.descriptor = consume descriptor
    }

    /// Whether ``replace(at:with:)`` works: not for pipes, terminals and files opened for appending.
    package var isRewritable: Bool { origin != nil }

    /// Writes `first`, `second` and `third` in this order.
    package mutating func write(
        _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), _ third: Span<UInt8> = Span()
    ) throws(FileError) {
        pieces.removeAll()
        // All spans are valid until the write returns.
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

    /// Writes `header`, then the samples of the frame. `runs` must be those of the frame's layout.
    mutating func write(_ header: Span<UInt8>, _ runs: FrameRuns, of frame: VideoFrame) throws(FileError) {
        precondition(runs.layout == frame.layout, "runs of another layout")
        pieces.removeAll()
        try unsafe header.withUnsafeBufferPointer { (header) throws(FileError) in
            unsafe append(header)
            // writev(2) takes mutable pointers but only reads; `frame` lives until the end of this call.
            let base = unsafe UnsafeMutableRawPointer(mutating: frame.pointer(plane: 0))
            for run in runs.runs { unsafe pieces.append(base + run.lowerBound, run.count) }
            try writePieces()
        }
        withExtendedLifetime(frame) {}
    }

    /// Replaces bytes that were written before. Requires ``isRewritable``.
    package mutating func replace(at position: Int, with bytes: [UInt8]) throws(FileError) {
        guard let origin else { preconditionFailure("\(path) can only be written sequentially") }
        precondition(position + bytes.count <= self.position, "only what was written can be replaced")
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                // The range is in bounds, and pwrite(2) only reads it.
                retryingInterrupted {
                    unsafe pwrite(
                        number, bytes.baseAddress! + done, bytes.count - done,
                        off_t(origin + position + done))
                }
            }
            guard count > 0 else { throw .writeFailed(path: path, position: position + done, code: errno) }
            done += count
        }
    }

    /// Closes the file. Called once, after the last write.
    ///
    /// - Throws: `writeFailed`, also if it was thrown before.
    package mutating func finish() throws(FileError) {
        guard let descriptor = descriptor.take() else { preconditionFailure("\(path) was finished before") }
        let code = descriptor.close()
        if let failure { throw failure }
        guard code == 0 else { throw .writeFailed(path: path, position: position, code: code) }
    }

    // The pointer loses its const only for writev, which does not write through it.
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        unsafe pieces.append(UnsafeMutableRawPointer(mutating: base), bytes.count)
    }

    private mutating func writePieces() throws(FileError) {
        precondition(descriptor != nil, "\(path) was finished")
        if let failure { throw failure }
        while !pieces.isEmpty {
            let (count, code) = writeOnce()
            guard count > 0 else {
                // A write of 0 bytes without an error would loop forever.
                let error = FileError.writeFailed(path: path, position: position, code: count < 0 ? code : EIO)
                failure = error
                throw error
            }
            pieces.advance(by: count)
            position += count
        }
    }

    /// Makes one system call. Returns its result and `errno`.
    private func writeOnce() -> (count: Int, code: Int32) {
        let pieces = unsafe pieces.remaining
        let number = number
        // The caller keeps the memory of the pieces valid until the write returns.
        func write() -> Int { retryingInterrupted { unsafe writev(number, pieces.baseAddress!, Int32(pieces.count)) } }
        guard raisesPipeSignal else { return (write(), errno) }
        return catchingPipeSignal(write)
    }
}

/// Runs a write with SIGPIPE blocked for this thread, and discards the signal if the write raised it.
///
/// A library must not change the process's signal handling, and pipes have no flag like a socket's `MSG_NOSIGNAL`.
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
    // A signal that was already pending belongs to someone else. A partial write also raises one.
    if unsafe sigismember(&pending, SIGPIPE) == 0 {
        var atOnce = timespec()
        _ = retryingInterrupted { unsafe sigtimedwait(&pipeSignal, nil, &atOnce) }
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    return (count, code)
}
