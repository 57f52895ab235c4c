public import RillCore

/// Writes coded frames, VP8 or VP9, to an IVF file, byte for byte as vpxenc does.
///
///     let file = try IVFWriter(path: "out.ivf", codec: .vp8, resolution: .vga)
///     try file.consume(frame, payload: bytes)
///     try file.finish()
///
/// The number of frames goes into the header at the end; on a pipe, which cannot be gone back on, it stays 0, which
/// every reader takes for "not known".
///
/// IVF has no place for a rotation: ``RillCore/EncodedFrame/rotation`` is not written.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the encoder's own memory, no copy.
public final class IVFWriter: EncodedFrameSink {
    /// What the file's header says; its `frameCount` is the number of frames written so far.
    public private(set) var header: IVFHeader
    private let path: String
    private var output: ByteOutput?
    private var frameHeader: [UInt8] = []

    /// Makes or empties a file and writes its header; `-` is standard output.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: what errors call it, where that is not its path.
    ///   - codec: what the frames are coded with.
    ///   - resolution: the size that the header says; frames may have others.
    ///   - timeBase: the unit that the frames' capture times are rounded to.
    /// - Throws: `unexpectedInput` for a codec that is neither VP8 nor VP9, `notFound`, `openFailed`, `writeFailed`.
    public init(
        path: String, name: String? = nil, codec: VideoCodec, resolution: Resolution,
        timeBase: IVFHeader.TimeBase = .rtpVideo
    ) throws(FileError) {
        let header = IVFHeader(codec: codec, resolution: resolution, timeBase: timeBase)
        guard codec.isBuiltIn else {
            throw .unexpectedInput(path: name ?? path, expected: "VP8 or VP9", given: codec.rawValue)
        }
        var output = try ByteOutput(path: path, name: name)
        try output.write(header.bytes.span)
        self.header = header
        self.path = output.path
        self.output = consume output
    }

    /// Writes a coded frame, stamped with its capture time.
    ///
    /// - Throws: `unexpectedInput` for a frame of another codec, `writeFailed`.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws(FileError) {
        guard frame.codec == header.codec else {
            throw .unexpectedInput(
                path: path, expected: "\(header.codec.rawValue) frames", given: "one of \(frame.codec.rawValue)")
        }
        try write(payload, at: header.timeBase.ticks(of: frame.captureTime))
    }

    /// Writes a coded frame with a stamp in ticks of the time base.
    ///
    /// - Throws: `writeFailed`, `tooLarge` for one of 4 GiB or more.
    public func write(_ payload: Span<UInt8>, at timestamp: Int64) throws(FileError) {
        guard let length = UInt32(exactly: payload.count) else {
            throw .tooLarge(
                path: path, position: output?.position ?? 0, byteCount: payload.count, limit: Int(UInt32.max))
        }
        frameHeader.removeAll(keepingCapacity: true)
        frameHeader.append(littleEndian: length)
        frameHeader.append(littleEndian: timestamp)
        precondition(output != nil, "\(path) was finished")
        let head = frameHeader  // shared, not copied: it lives no longer than this call
        try output?.write(head.span, payload)
        header.frameCount += 1
    }

    /// Fills in the number of frames where that is possible, and closes the file. Called once, after the last frame;
    /// after a failed write it makes the whole frames before it a good file.
    ///
    /// - Throws: `writeFailed`, also when that was thrown before.
    public func finish() throws(FileError) {
        guard var output = output.take() else { preconditionFailure("\(path) was finished before") }
        if output.isRewritable {
            var count: [UInt8] = []
            count.append(littleEndian: UInt32(clamping: header.frameCount))
            try output.replace(at: IVFHeader.frameCountPosition, with: count)
        }
        try output.finish()
    }
}
