public import RillCore

/// Reads the coded frames of an IVF file: VP8 or VP9.
///
///     let file = try IVFReader(path: "clip.ivf")
///     var payload: [UInt8] = []
///     while let frame = try file.next(into: &payload) { try decoder.decode(payload.span, at: frame.time) }
///
/// One owner, one thread at a time. Cost per frame: the bytes are copied from the system once or, where frames are
/// small and many of them come with one call, twice; nothing is allocated once `payload` has grown to the largest frame.
public final class IVFReader {
    /// What the file says of itself.
    public let header: IVFHeader
    private var input: ByteInput
    private var failure: FileError?

    /// What stands before each coded frame.
    public struct Frame: Hashable, Sendable {
        /// The stamp as it stands in the file, in ticks of the header's time base.
        public let timestamp: Int64
        /// The same as a time.
        public let time: MediaTime
        /// Length of the payload.
        public let byteCount: Int
        /// Where in the file the payload begins.
        public let position: Int
    }

    /// The largest coded frame that is read, 256 MiB; vpxdec has the same limit.
    public static let maximumFrameByteCount = 256 << 20

    /// Opens a file and reads its header; `-` is standard input.
    ///
    /// - Throws: `notFound`, `openFailed`, `readFailed`; `empty`, `foreign`, `truncated`; `unsupportedFormat` for other
    ///   codecs than VP8 and VP9, `invalidField`, `resolutionOutOfRange`.
    public convenience init(path: String) throws(FileError) {
        try self.init(try ByteInput(path: path))
    }

    package init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        let magic = IVFHeader.magic.utf8
        let available = try input.fill(IVFHeader.byteCount)
        guard available > 0 else { throw .empty(path: input.path) }
        guard input.buffered.starts(with: magic.prefix(available)) else {
            throw .foreign(path: input.path, expected: IVFHeader.magic, found: input.buffered.prefixBytes())
        }
        guard available >= IVFHeader.byteCount else {
            throw .truncated(path: input.path, position: 0, needed: IVFHeader.byteCount, available: available)
        }
        self.header = try IVFHeader(parsing: input.buffered, path: input.path)
        input.consume(IVFHeader.byteCount)
        self.input = input
    }

    /// Replaces `payload` by the next coded frame; `nil` after the last one.
    ///
    /// What the file says of a frame's length is not believed: memory grows only with the bytes that are really there.
    ///
    /// - Throws: `truncated` when the file ends inside a frame (`payload` then holds what there is of it), `tooLarge`,
    ///   `timeOutOfRange`, `readFailed`; then the same for ever.
    public func next(into payload: inout [UInt8]) throws(FileError) -> Frame? {
        if let failure { throw failure }
        do throws(FileError) {
            return try IVFReader.readFrame(from: &input, timeBase: header.timeBase, into: &payload)
        } catch {
            failure = error
            throw error
        }
    }

    /// Bytes read so far.
    public var position: Int { input.position }

    private static func readFrame(
        from input: inout ByteInput, timeBase: IVFHeader.TimeBase, into payload: inout [UInt8]
    ) throws(FileError) -> Frame? {
        let position = input.position
        let available = try input.fill(IVFHeader.frameHeaderByteCount)
        guard available > 0 else { return nil }
        guard available >= IVFHeader.frameHeaderByteCount else {
            throw .truncated(
                path: input.path, position: position, needed: IVFHeader.frameHeaderByteCount, available: available)
        }
        let byteCount = Int(input.buffered.littleEndian(UInt32.self, at: 0))
        let timestamp = input.buffered.littleEndian(Int64.self, at: 4)
        guard byteCount <= maximumFrameByteCount else {
            throw .tooLarge(path: input.path, position: position, byteCount: byteCount, limit: maximumFrameByteCount)
        }
        guard let time = timeBase.time(ofTicks: timestamp) else {
            throw .timeOutOfRange(path: input.path, position: position)
        }
        input.consume(IVFHeader.frameHeaderByteCount)
        let frame = Frame(timestamp: timestamp, time: time, byteCount: byteCount, position: input.position)
        try input.read(byteCount, into: &payload)
        guard payload.count == byteCount else {
            throw .truncated(path: input.path, position: frame.position, needed: byteCount, available: payload.count)
        }
        return frame
    }
}
