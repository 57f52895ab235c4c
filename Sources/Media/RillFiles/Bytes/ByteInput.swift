import Glibc
import RillCore

/// Sequential input from a file, a pipe or memory, for all readers of this module.
///
/// Small structures are parsed in a buffer (`fill`, `buffered`, `consume`). The samples of a frame are read straight
/// into the frame, and the same system call fetches the next frame's header. Input is read from start to end, so a
/// pipe works as well as a file.
@safe
package struct ByteInput: ~Copyable {
    /// The path for error messages.
    package let path: String
    private let source: Source
    /// Bytes taken from the source, including those still in the buffer.
    private var taken = 0
    private let buffer: UnsafeMutablePointer<UInt8>
    private var start = 0
    private var end = 0
    private var pieces = PieceList()

    /// The size of the buffer, and so of the largest structure to parse.
    package static let bufferByteCount = 16384

    private enum Source: ~Copyable {
        case descriptor(Descriptor)
        case memory([UInt8])

        /// Skips bytes of a regular file. Returns `false` if they must be read instead.
        func seek(by count: Int) -> Bool {
            switch self {
            case .memory: return false
            case .descriptor(let descriptor):
                guard descriptor.status?.isRegularFile == true else { return false }
                return lseek(descriptor.number, off_t(count), SEEK_CUR) >= 0
            }
        }

        /// Fills pieces from the start of the list, from memory at `position` or with a file's next bytes. Returns
        /// the number of bytes; 0 at the end, negative with `errno`.
        func read(into pieces: inout PieceList, from position: Int) -> Int {
            switch self {
            case .memory(let bytes):
                return unsafe bytes.withUnsafeBytes { bytes in
                    // A view of the rest, which is not used after the closure.
                    unsafe pieces.fill(from: UnsafeRawBufferPointer(rebasing: bytes[position...]))
                }
            case .descriptor(let descriptor):
                let waiting = unsafe pieces.remaining
                // The owner keeps the memory of the pieces valid until they are filled.
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

    /// Creates an input from bytes in memory, with a name for error messages.
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

    /// The number of bytes consumed so far.
    package var position: Int { taken - (end - start) }

    /// The number of bytes up to the end; `nil` if unknown, as for a pipe. A file may still grow.
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

    /// The bytes that were fetched but not consumed.
    package var buffered: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // `start...end` is inside the buffer, and the bytes up to `end` were written by a read.
            let bytes = unsafe Span(_unsafeStart: buffer + start, count: end - start)
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }

    /// Fetches until `count` bytes are buffered or the end is reached. Returns the number of buffered bytes.
    ///
    /// - Parameters:
    ///   - count: at most ``bufferByteCount``.
    ///   - limit: how many bytes to request from the system. More than `count` saves calls if records are small;
    ///     exactly `count` leaves the following bytes to be read to their own place.
    package mutating func fill(_ count: Int, atMost limit: Int = bufferByteCount) throws(FileError) -> Int {
        precondition(count <= ByteInput.bufferByteCount, "\(count) bytes do not fit the buffer")
        if start == end {
            start = 0
            end = 0
        } else if start + count > ByteInput.bufferByteCount {
            // Both ranges are inside the buffer; memmove allows overlap.
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

    /// Buffers the first `count` bytes of a file of the format that begins with `magic`.
    ///
    /// - Throws: `empty`, `foreign`, `truncated`.
    mutating func requireStart(_ count: Int, of magic: String) throws(FileError) {
        guard try fill(count) > 0 else { throw .empty(path: path) }
        guard buffered.starts(with: magic.utf8.prefix(buffered.count)) else {
            throw .foreign(path: path, expected: magic, found: buffered.prefixBytes())
        }
        try require(count)
    }

    /// Buffers the `count` bytes of a record's header. Returns `false` at the end of the file.
    ///
    /// - Throws: `truncated` if the file ends inside.
    mutating func fillRecord(_ count: Int, atMost limit: Int = bufferByteCount) throws(FileError) -> Bool {
        guard try fill(count, atMost: limit) > 0 else { return false }
        try require(count)
        return true
    }

    /// Buffers `count` bytes of a structure that starts here.
    ///
    /// - Throws: `truncated` if the file ends before.
    mutating func require(_ count: Int) throws(FileError) {
        let available = try fill(count)
        guard available >= count else {
            throw .truncated(path: path, position: position, needed: count, available: available)
        }
    }

    /// Skips `count` buffered bytes.
    package mutating func consume(_ count: Int) {
        precondition(count <= end - start, "\(count) bytes of \(end - start)")
        start += count
    }

    /// Skips `count` bytes, buffered or not. In a regular file they are not read. Skipping past the end is not an
    /// error.
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

    /// Buffers a line of text. Returns its length, including the line end.
    ///
    /// - Throws: `headerTooLong` if there is no line end within `limit` bytes, `truncated` if the file ends first.
    package mutating func lineByteCount(limit: Int) throws(FileError) -> Int {
        var searched = 0
        while true {
            let available = min(buffered.count, limit)
            while searched < available {
                searched += 1
                if buffered[searched - 1] == UInt8(ascii: "\n") { return searched }
            }
            guard searched < limit else { throw .headerTooLong(path: path, position: position, limit: limit) }
            // A little at a time: what follows the line may belong somewhere other than the buffer.
            guard try fill(searched + 1, atMost: searched + 128) > searched else {
                throw .truncated(path: path, position: position, needed: searched + 1, available: searched)
            }
        }
    }

    // MARK: Reading to a place

    /// Reads the samples of a frame into the frame, and up to `lookahead` following bytes into the buffer.
    ///
    /// It waits only for the frame: a live pipe's frame is returned before the next one has started.
    ///
    /// - Parameters:
    ///   - runs: the byte runs of the frame's layout.
    ///   - frame: the frame to fill.
    ///   - lookahead: the maximum number of following bytes to fetch.
    /// - Returns: the number of bytes of the frame; fewer than `runs.byteCount` only at the end of the file.
    mutating func read(
        _ runs: FrameRuns, of frame: inout MutableFrame, lookahead: Int
    ) throws(FileError) -> Int {
        pieces.removeAll()
        // The frame outlives the read, and `runs` were made from its layout.
        let base = unsafe UnsafeMutableRawPointer(frame.mutablePointer(plane: 0))
        for run in runs.runs { unsafe pieces.append(base + run.lowerBound, run.count) }
        return try readPieces(runs.byteCount, lookahead: lookahead)
    }

    /// Replaces `bytes` with the next `count` bytes, or with as many as there are.
    ///
    /// An untrusted `count` may be any number: memory grows with the bytes that are really there, to at most twice as
    /// many (plus 64 KiB).
    package mutating func read(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        bytes.removeAll(keepingCapacity: true)
        while bytes.count < count {
            let known = max(bytes.capacity - bytes.count, bytes.count, 65536)
            let step = min(count - bytes.count, known)
            var read = 0
            try bytes.append(addingCapacity: step) { (output: inout OutputSpan<UInt8>) throws(FileError) in
                // Capacity was requested above; `initialized` counts the bytes that were read.
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

    /// Fills the pieces, `needed` bytes in all, and then the buffer with what follows.
    /// Replaces `bytes` with the next `count` bytes.
    ///
    /// - Throws: `truncated` if the file ends before (`bytes` then holds what exists).
    mutating func readAll(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        let start = position
        try read(count, into: &bytes)
        guard bytes.count == count else {
            throw .truncated(path: path, position: start, needed: count, available: bytes.count)
        }
    }

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

    /// Makes one system call, which fills pieces from the start of the list. Returns 0 at the end.
    private mutating func readOnce() throws(FileError) -> Int {
        let count = source.read(into: &pieces, from: taken)
        guard count >= 0 else { throw .readFailed(path: path, position: position, code: errno) }
        taken += count
        return count
    }
}
