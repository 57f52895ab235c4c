public import RillCore
import RillRTP

/// Writes coded frames, VP8 or VP9, to an IVF file, byte for byte as vpxenc does.
///
/// ```swift
/// let file = try IVFWriter(path: "out.ivf", codec: .vp8, resolution: .vga)
/// try file.consume(frame, payload: bytes)
/// try file.finish()
/// ```
///
/// The number of frames is written to the header at the end. On a pipe, which does not allow that, it stays 0, which
/// every reader treats as unknown.
///
/// IVF cannot store a rotation: ``/RillCore/EncodedFrame/rotation`` is not written.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the encoder's own memory, without a
/// copy.
public final class IVFWriter: EncodedFrameSink {
    /// The file's header. Its `frameCount` is the number of frames written so far.
    public private(set) var header: IVFHeader
    private var output: ByteOutput
    private var frameHeader: [UInt8] = []

    /// Creates or truncates a file and writes its header.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - codec: the codec of the frames.
    ///   - resolution: the size in the header; frames may have other sizes.
    ///   - timeBase: the unit that capture times are rounded to.
    /// - Throws: `unexpectedInput` unless the codec is built in, `notFound`, `openFailed`, `writeFailed`.
    public init(
        path: String, name: String? = nil, codec: VideoCodec, resolution: Resolution,
        timeBase: IVFHeader.TimeBase = .rtpVideo
    ) throws(FileError) {
        let header = IVFHeader(codec: codec, resolution: resolution, timeBase: timeBase)
        guard codec.isBuiltIn else {
            throw .unexpectedInput(path: name ?? path, expected: VideoCodec.builtInNames, given: codec.rawValue)
        }
        var output = try ByteOutput(path: path, name: name)
        try output.write(header.bytes.span)
        self.header = header
        self.output = consume output
    }

    /// Writes a coded frame with its capture time as the timestamp.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - payload: its bytes.
    /// - Throws: `unexpectedInput` for a frame of another codec, `writeFailed`.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws(FileError) {
        guard frame.codec == header.codec else {
            throw .unexpectedInput(
                path: output.path, expected: "\(header.codec.rawValue) frames",
                given: "one of \(frame.codec.rawValue)")
        }
        try write(payload, at: header.timeBase.ticks(of: frame.captureTime))
    }

    /// Writes a coded frame with a given timestamp.
    ///
    /// - Parameters:
    ///   - payload: its bytes.
    ///   - timestamp: in ticks of the time base.
    /// - Throws: `writeFailed`, `tooLarge` for 4 GiB or more.
    public func write(_ payload: Span<UInt8>, at timestamp: Int64) throws(FileError) {
        guard let length = UInt32(exactly: payload.count) else {
            throw .tooLarge(
                path: output.path, position: output.position, byteCount: payload.count, limit: Int(UInt32.max))
        }
        frameHeader.removeAll(keepingCapacity: true)
        frameHeader.append(littleEndian: length)
        frameHeader.append(littleEndian: timestamp)
        let head = frameHeader  // shared, not copied: its life ends with this call
        try output.write(head.span, payload)
        header.frameCount += 1
    }

    /// Fills in the number of frames if possible, and closes the file. Called once, after the last frame.
    ///
    /// After a failed write it makes the complete frames before it a valid file.
    ///
    /// - Throws: `writeFailed`, also if it was thrown before.
    public func finish() throws(FileError) {
        if output.isRewritable {
            var count: [UInt8] = []
            count.append(littleEndian: UInt32(clamping: header.frameCount))
            try output.replace(at: IVFHeader.frameCountPosition, with: count)
        }
        try output.finish()
    }
}
