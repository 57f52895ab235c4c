import Glibc
import RillCore

/// Bytes to read in order, from a file, a pipe or memory: what all readers of this module stand on.
///
/// Small structures are looked at in a buffer (`fill`, `buffered`, `consume`); the samples of a frame go straight to
/// their place in it, and while it is at it the same system call fetches the next frame's header. It is read from the
/// front to the back and never seeks, so a pipe does as well as a file.
@safe
package struct ByteInput: ~Copyable {
    /// The path as it is said in errors.
    package let path: String
    private let source: Source
    /// Bytes taken from the source; those still in the buffer included.
    private var taken = 0
    private let buffer: UnsafeMutablePointer<UInt8>
    private var start = 0
    private var end = 0
    private var pieces = PieceList()

    /// The most that can be looked at at once.
    package static let bufferByteCount = 16384

    private enum Source: ~Copyable {
        case descriptor(Descriptor)
        case memory([UInt8])

        /// Passes over bytes of a regular file; `false` where they have to be read.
        func seek(by count: Int) -> Bool {
            switch self {
            case .memory: return false
            case .descriptor(let descriptor):
                guard descriptor.status?.isRegularFile == true else { return false }
                return lseek(descriptor.number, off_t(count), SEEK_CUR) >= 0
            }
        }

        /// Fills pieces from the front of the list with the bytes at `position`, or in a file with those that come
        /// next, and says how many; 0 at the end, negative with `errno`.
        func read(into pieces: inout PieceList, from position: Int) -> Int {
            switch self {
            case .memory(let bytes):
                return unsafe bytes.withUnsafeBytes { bytes in
                    // A view of the rest, which ends with the closure.
                    unsafe pieces.fill(from: UnsafeRawBufferPointer(rebasing: bytes[position...]))
                }
            case .descriptor(let descriptor):
                let waiting = unsafe pieces.remaining
                // The pieces are memory that their owner keeps until they are filled.
                let count = retryingInterrupted {
                    unsafe readv(descriptor.number, waiting.baseAddress!, Int32(waiting.count))
                }
                if count > 0 { pieces.advance(by: count) }
                return count
            }
        }
    }

    /// Opens a file; `-` is standard input.
    package init(path: String) throws(FileError) {
        if path == "-" {
            self.init(.descriptor(Descriptor(standardStream: STDIN_FILENO)), path: "standard input")
        } else {
            self.init(.descriptor(try Descriptor.open(path, flags: O_RDONLY)), path: path)
        }
    }

    /// Bytes that are in memory already, under a name for errors.
    package init(bytes: [UInt8], path: String = "memory") {
        self.init(.memory(bytes), path: path)
    }

    private init(_ source: consuming Source, path: String) {
        self.source = source
        self.path = path
        unsafe buffer = .allocate(capacity: ByteInput.bufferByteCount)
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Bytes consumed so far.
    package var position: Int { taken - (end - start) }

    /// Bytes from here to the end, where that can be known: not of a pipe, and a file may still grow.
    package var remainingByteCount: Int? {
        switch source {
        case .memory(let bytes):
            return bytes.count - position
        case .descriptor(let descriptor):
            guard let status = descriptor.status, status.isRegularFile, let offset = descriptor.offset else {
                return nil
            }
            return max(0, status.byteCount - offset) + end - start
        }
    }

    // MARK: Looking at small structures

    /// The bytes that were fetched and not yet consumed.
    package var buffered: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // `start...end` lies in the buffer, whose bytes up to `end` were written by a read.
            let bytes = unsafe Span(_unsafeStart: buffer + start, count: end - start)
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }

    /// Fetches until `count` bytes are buffered, or the end is reached, and says how many are.
    ///
    /// - Parameters:
    ///   - count: at most ``bufferByteCount``.
    ///   - limit: how many bytes to ask the system for; more than `count` saves calls where records are small, exactly
    ///     `count` leaves what follows to be read to its own place.
    package mutating func fill(_ count: Int, atMost limit: Int = bufferByteCount) throws(FileError) -> Int {
        precondition(count <= ByteInput.bufferByteCount, "\(count) bytes do not fit the buffer")
        if start == end {
            start = 0
            end = 0
        } else if start + count > ByteInput.bufferByteCount {
            // Both ranges lie in the buffer; memmove takes their overlap.
            unsafe memmove(buffer, buffer + start, end - start)
            end -= start
            start = 0
        }
        while end - start < count {
            let room = min(ByteInput.bufferByteCount - end, max(limit, count) - (end - start))
            pieces.removeAll()
            unsafe pieces.append(buffer + end, room)
            let read = try readOnce()
            guard read > 0 else { break }
            end += read
        }
        return end - start
    }

    /// Passes over `count` buffered bytes.
    package mutating func consume(_ count: Int) {
        precondition(count <= end - start, "\(count) bytes of \(end - start)")
        start += count
    }

    /// Passes over `count` bytes, buffered or not; in a regular file without reading them. What lies behind the end is not
    /// there afterwards.
    package mutating func advance(by count: Int) throws(FileError) {
        var rest = count - min(count, end - start)
        start += count - rest
        guard rest > 0 else { return }
        if source.seek(by: rest) {
            taken += rest
            return
        }
        while rest > 0 {
            let available = try fill(1)
            guard available > 0 else { return }
            let step = min(rest, available)
            consume(step)
            rest -= step
        }
    }

    /// Buffers a line of text and says how long it is, its end included.
    ///
    /// - Throws: `headerTooLong` when no line end stands within `limit` bytes, `truncated` when the file ends first.
    package mutating func lineByteCount(limit: Int) throws(FileError) -> Int {
        var searched = 0
        while true {
            let available = min(buffered.count, limit)
            while searched < available {
                searched += 1
                if buffered[searched - 1] == UInt8(ascii: "\n") { return searched }
            }
            guard searched < limit else { throw .headerTooLong(path: path, position: position, limit: limit) }
            // A little at a time: what follows the line may have a better place to go to than the buffer.
            guard try fill(searched + 1, atMost: searched + 128) > searched else {
                throw .truncated(path: path, position: position, needed: searched + 1, available: searched)
            }
        }
    }

    // MARK: Reading to a place

    /// Reads the samples of a frame to their places, and up to `lookahead` bytes of what follows into the buffer.
    ///
    /// Only the frame is waited for: a live pipe's frame comes out before the next one is begun.
    ///
    /// - Returns: how many bytes of the frame were there, fewer than `runs.byteCount` only at the end of the file.
    mutating func read(
        _ runs: FrameRuns, of frame: inout MutableFrame, lookahead: Int
    ) throws(FileError) -> Int {
        pieces.removeAll()
        // The frame outlives the reading, and its layout is the one that the runs were made of.
        let base = unsafe UnsafeMutableRawPointer(frame.mutablePointer(plane: 0))
        for run in runs.runs { unsafe pieces.append(base + run.lowerBound, run.count) }
        return try readPieces(runs.byteCount, lookahead: lookahead)
    }

    /// Replaces `bytes` by the next `count` bytes, or by as many as there are.
    ///
    /// A `count` that a stranger wrote may be any number: memory grows with the bytes that really come, to no more than
    /// twice as many (and 64 KiB).
    package mutating func read(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        bytes.removeAll(keepingCapacity: true)
        while bytes.count < count {
            let known = max(bytes.capacity - bytes.count, bytes.count, 65536)
            let step = min(count - bytes.count, known)
            var read = 0
            try bytes.append(addingCapacity: step) { (output: inout OutputSpan<UInt8>) throws(FileError) in
                // The room was asked for above; `initialized` counts what was really read.
                try unsafe output.withUnsafeMutableBufferPointer { (free, initialized) throws(FileError) in
                    pieces.removeAll()
                    unsafe pieces.append(free.baseAddress! + initialized, step)
                    read = try readPieces(step, lookahead: ByteInput.bufferByteCount)
                    initialized += read
                }
            }
            guard read == step else { return }
        }
    }

    /// Fills the pieces, `needed` bytes in all, and the buffer with what comes along behind them.
    private mutating func readPieces(_ needed: Int, lookahead: Int) throws(FileError) -> Int {
        var read = unsafe pieces.fill(from: UnsafeRawBufferPointer(start: buffer + start, count: end - start))
        start += read
        guard read < needed else { return read }
        start = 0
        end = 0
        unsafe pieces.append(buffer, lookahead)
        while read < needed {
            let count = try readOnce()
            guard count > 0 else { break }
            read += count
        }
        end = max(0, read - needed)
        return min(read, needed)
    }

    /// One call of the system, which fills pieces from the front of the list; 0 at the end.
    private mutating func readOnce() throws(FileError) -> Int {
        let count = source.read(into: &pieces, from: taken)
        guard count >= 0 else { throw .readFailed(path: path, position: position, code: errno) }
        taken += count
        return count
    }
}
