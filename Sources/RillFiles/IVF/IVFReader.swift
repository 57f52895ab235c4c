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
    fileprivate var input: ByteInput
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
        guard let frame = try readFrameHeader(from: &input, timeBase: timeBase) else { return nil }
        try input.read(frame.byteCount, into: &payload)
        guard payload.count == frame.byteCount else {
            throw .truncated(
                path: input.path, position: frame.position, needed: frame.byteCount, available: payload.count)
        }
        return frame
    }

    fileprivate static func readFrameHeader(
        from input: inout ByteInput, timeBase: IVFHeader.TimeBase, atMost limit: Int = ByteInput.bufferByteCount
    ) throws(FileError) -> Frame? {
        let position = input.position
        let available = try input.fill(IVFHeader.frameHeaderByteCount, atMost: limit)
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
        return Frame(timestamp: timestamp, time: time, byteCount: byteCount, position: input.position)
    }
}

// MARK: - Looking ahead

extension IVFReader {
    /// Whether all of the file is there already and can be read more than once: not of a pipe.
    package var isRegularFile: Bool { input.remainingByteCount != nil }

    /// What is known of a frame that was passed over.
    struct Passed {
        let time: MediaTime
        /// Whether it shows a picture, so far as its first bytes tell.
        let isShown: Bool
    }

    /// Passes over the next frame, in a regular file without reading more than its beginning; `nil` after the last one.
    func pass() throws(FileError) -> Passed? {
        // A little more than a header at a time: small frames come several with one call, large ones are jumped over.
        let limit = 4096
        guard let frame = try IVFReader.readFrameHeader(from: &input, timeBase: header.timeBase, atMost: limit) else {
            return nil
        }
        let isHidden = try input.buffersHiddenFrame(min(frame.byteCount, 64), atMost: limit, header.codec)
        guard isHidden else {
            try input.advance(by: frame.byteCount)
            return Passed(time: frame.time, isShown: true)
        }
        // Only the end of a VP9 chunk tells whether a shown frame follows the hidden one in it.
        var payload: [UInt8] = []
        try input.read(frame.byteCount, into: &payload)
        do throws(BitstreamError) {
            let coded = try CodedFrameHeader(parsing: payload.span, as: header.codec)
            return Passed(time: frame.time, isShown: coded.isShown)
        } catch { return Passed(time: frame.time, isShown: true) }
    }
}

extension ByteInput {
    /// Whether the next bytes are the beginning of a frame that is not shown. What is damaged counts as shown: the decoder
    /// has the last word.
    fileprivate mutating func buffersHiddenFrame(
        _ count: Int, atMost limit: Int, _ codec: VideoCodec
    ) throws(FileError) -> Bool {
        let available = min(count, try fill(count, atMost: limit))
        let start = buffered.extracting(0..<available)
        do throws(BitstreamError) {
            switch codec {
            case .vp8: return try !VP8FrameHeader(parsing: start).isShown
            case .vp9: return try !VP9FrameHeader(parsing: start).isShown
            default: return false
            }
        } catch { return false }
    }
}
