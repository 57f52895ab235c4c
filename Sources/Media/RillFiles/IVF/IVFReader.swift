public import RillCore
import RillRTP

/// Reads the coded frames of an IVF file: VP8 or VP9.
///
/// ```swift
/// let file = try IVFReader(path: "clip.ivf")
/// var payload: [UInt8] = []
/// while let frame = try file.next(into: &payload) {
///     _ = try decoder.decode(payload.span, captureTime: frame.time)
/// }
/// ```
///
/// One owner, one thread at a time. Cost per frame: the bytes are copied from the system once, or twice if small
/// frames share a system call. Nothing is allocated once `payload` has grown to the largest frame.
public final class IVFReader {
    /// The file's header.
    public let header: IVFHeader
    fileprivate var input: ByteInput
    private var failure = FirstFailure<FileError>()

    /// The header of a coded frame.
    public struct Frame: Hashable, Sendable {
        /// The timestamp in the file, in ticks of the header's time base.
        public let timestamp: Int64
        /// The timestamp as a time.
        public let time: MediaTime
        /// The length of the payload in bytes.
        public let byteCount: Int
        /// The position of the payload in the file.
        public let position: Int
    }

    /// The largest coded frame that is read: 256 MiB, as in vpxdec.
    public static let maximumFrameByteCount = 256 << 20

    /// Opens a file and reads its header.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `notFound`, `openFailed`, `readFailed`; `empty`, `foreign`, `truncated`; `unsupportedFormat` unless
    ///   the codec is VP8 or VP9, `invalidField`, `resolutionOutOfRange`.
    public convenience init(path: String) throws(FileError) {
        try self.init(try ByteInput(path: path))
    }

    package init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        try input.requireStart(IVFHeader.byteCount, of: IVFHeader.magic)
        self.header = try IVFHeader(parsing: input.buffered, path: input.path)
        input.consume(IVFHeader.byteCount)
        self.input = input
    }

    /// Replaces `payload` with the next coded frame. Returns `nil` after the last one.
    ///
    /// The length in the file is not trusted: memory grows only with the bytes that are really there.
    ///
    /// - Parameter payload: receives the frame's bytes.
    /// - Returns: the frame's header.
    /// - Throws: `truncated` if the file ends inside a frame (`payload` then holds what exists of it), `tooLarge`,
    ///   `timeOutOfRange`, `readFailed`. All later calls throw the same error.
    public func next(into payload: inout [UInt8]) throws(FileError) -> Frame? {
        try failure.keeping { () throws(FileError) in
            guard let frame = try IVFReader.readFrameHeader(from: &input, timeBase: header.timeBase) else { return nil }
            try input.readAll(frame.byteCount, into: &payload)
            return frame
        }
    }

    /// The number of bytes read so far.
    public var position: Int { input.position }

    fileprivate static func readFrameHeader(
        from input: inout ByteInput, timeBase: IVFHeader.TimeBase, atMost limit: Int = ByteInput.bufferByteCount
    ) throws(FileError) -> Frame? {
        let position = input.position
        guard try input.fillRecord(IVFHeader.frameHeaderByteCount, atMost: limit) else { return nil }
        let byteCount = Int(input.buffered.littleEndian(UInt32.self, at: 0))
        let timestamp = input.buffered.littleEndian(Int64.self, at: 4)
        guard byteCount <= maximumFrameByteCount else {
            throw .tooLarge(path: input.path, position: position, byteCount: byteCount, limit: maximumFrameByteCount)
        }
        guard let time = timeBase.time(ofTicks: timestamp) else {
            throw .timeOutOfRange(path: input.path, position: position)
        }
        input.consume(IVFHeader.frameHeaderByteCount)
        return Frame(timestamp: timestamp, time: time, byteCount: byteCount, position: input.position)
    }
}

// MARK: - Looking ahead

extension IVFReader {
    /// Whether the whole file is available and can be read more than once; `false` for a pipe.
    package var isRegularFile: Bool { input.remainingByteCount != nil }

    /// The properties of a skipped frame.
    struct Passed {
        let time: MediaTime
        /// Whether it shows a picture, as far as its first bytes indicate.
        let isShown: Bool
    }

    /// Skips the next frame; in a regular file only its start is read. Returns `nil` after the last one.
    func pass() throws(FileError) -> Passed? {
        // A little more than a header at a time: several small frames share a call, large ones are skipped by
        // seeking.
        let limit = 4096
        guard let frame = try IVFReader.readFrameHeader(from: &input, timeBase: header.timeBase, atMost: limit) else {
            return nil
        }
        let isHidden = try input.buffersHiddenFrame(min(frame.byteCount, 64), atMost: limit, header.codec)
        guard isHidden else {
            try input.advance(by: frame.byteCount)
            return Passed(time: frame.time, isShown: true)
        }
        // Only the end of a chunk reveals whether it also contains a shown frame.
        var payload: [UInt8] = []
        try input.read(frame.byteCount, into: &payload)
        do throws(BitstreamError) {
            let coded = try CodedFrameHeader(parsing: payload.span, as: header.codec)
            return Passed(time: frame.time, isShown: coded.isShown)
        } catch { return Passed(time: frame.time, isShown: true) }
    }
}

extension ByteInput {
    /// Whether the next bytes are the start of a frame that is not shown. A damaged frame counts as shown: the
    /// decoder decides.
    fileprivate mutating func buffersHiddenFrame(
        _ count: Int, atMost limit: Int, _ codec: VideoCodec
    ) throws(FileError) -> Bool {
        let available = min(count, try fill(count, atMost: limit))
        let start = buffered.extracting(0..<available)
        return codec.traits?.video.map { !$0.start(start).isShown } ?? false
    }
}

/// The display times of an IVF file's pictures, known before any is decoded: only headers are read, payloads are
/// skipped.
package struct IVFIndex {
    /// The times of the shown frames, in file order.
    package private(set) var times: [MediaTime] = []

    /// The maximum number of frames: a day at 46 frames per second, 32 MiB.
    private static let frameLimit = 4_000_000

    /// Reads through a file from which nothing was read yet. The index ends where the file is damaged; reading the
    /// frames reports the error.
    package init(of reader: IVFReader) {
        while times.count < Self.frameLimit, let frame = try? reader.pass() {
            if frame.isShown { times.append(frame.time) }
        }
    }
}
