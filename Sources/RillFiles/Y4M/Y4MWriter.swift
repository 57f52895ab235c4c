public import RillCore

/// Writes a Y4M clip: 8-bit 4:2:0 frames behind a line of text, which FFmpeg, libvpx and every player read.
///
///     let clip = try Y4MWriter(path: "out.y4m", resolution: .vga, frameRate: 30)
///     try clip.consume(frame)
///     try clip.finish()
///
/// Y4M has one size and one rate: frames are written one after the other, whatever their capture times. It can say the
/// colour range, not the matrix, nor a rotation: pictures lie in it as they lie in their frames.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the frame's rows, no copy.
public final class Y4MWriter: FrameSink {
    /// What the first line says.
    public let header: Y4MHeader
    private let path: String
    private var writer: FrameWriter
    private static let frameHeader = [UInt8](Y4MHeader.frameMagic.utf8) + [UInt8(ascii: "\n")]

    /// Makes or empties a file and writes the first line; `-` is standard output.
    ///
    /// - Parameter name: what errors call it, where that is not its path.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`.
    public init(path: String, name: String? = nil, header: Y4MHeader) throws(FileError) {
        var output = try ByteOutput(path: path, name: name)
        try output.write([UInt8](header.line.utf8).span)
        self.header = header
        self.path = output.path
        self.writer = FrameWriter(output, .i420, header.resolution)
    }

    /// The same, with a header of square, progressive pictures.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: what errors call it, where that is not its path.
    ///   - resolution: size of every picture.
    ///   - frameRate: the rate to play it at.
    ///   - range: full range is said in the header; limited range, which is what Y4M means by itself, is not.
    public convenience init(
        path: String, name: String? = nil, resolution: Resolution, frameRate: FrameRate,
        range: ColorSpace.Range = .limited
    ) throws(FileError) {
        try self.init(
            path: path, name: name,
            header: Y4MHeader(
                resolution: resolution, frameRate: frameRate, range: range == .full ? .full : nil))
    }

    /// Writes an I420 frame of the clip's size and range.
    ///
    /// - Throws: `unexpectedInput` for another one (convert it first), `writeFailed`.
    public func consume(_ frame: VideoFrame) throws(FileError) {
        let range = header.range ?? .limited
        guard frame.colorSpace.range == range else {
            throw .unexpectedInput(
                path: path, expected: "frames of \(range.rawValue) range",
                given: "one of \(frame.colorSpace.range.rawValue) range")
        }
        try writer.write(Y4MWriter.frameHeader.span, frame)
    }

    /// Closes the file. Called once, after the last frame.
    ///
    /// - Throws: `writeFailed`, also when that was thrown before.
    public func finish() throws(FileError) {
        try writer.finish()
    }
}
