public import RillCore

/// Writes a Y4M clip: 8-bit 4:2:0 frames after a line of text, which FFmpeg, libvpx and all players can read.
///
/// ```swift
/// let clip = try Y4MWriter(path: "out.y4m", resolution: .vga, frameRate: 30)
/// try clip.consume(frame)
/// try clip.finish()
/// ```
///
/// Y4M has one size and one rate: frames are written one after the other, whatever their capture times. It stores the
/// color range, but neither the matrix nor a rotation: pictures are stored as they are in their frames.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the frame's rows, without a copy.
public final class Y4MWriter: FrameSink {
    /// The header in the first line.
    public let header: Y4MHeader
    private var writer: FrameWriter
    private static let frameHeader = [UInt8](Y4MHeader.frameMagic.utf8) + [UInt8(ascii: "\n")]

    /// Creates or truncates a file and writes the first line.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - header: the header to write.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`.
    public init(path: String, name: String? = nil, header: Y4MHeader) throws(FileError) {
        var output = try ByteOutput(path: path, name: name)
        try output.write([UInt8](header.line.utf8).span)
        self.header = header
        self.writer = FrameWriter(output, .i420, header.resolution)
    }

    /// Creates or truncates a file, with a header of square pixels and progressive pictures.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - resolution: the size of every picture.
    ///   - frameRate: the playback rate.
    ///   - range: the color range. Full range is written to the header; limited range is Y4M's default and is not.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`.
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
    /// - Parameter frame: the frame.
    /// - Throws: `unexpectedInput` for any other frame (convert it first), `writeFailed`.
    public func consume(_ frame: VideoFrame) throws(FileError) {
        let range = header.range ?? .limited
        guard frame.colorSpace.range == range else {
            throw .unexpectedInput(
                path: writer.path, expected: "frames of \(range.rawValue) range",
                given: "one of \(frame.colorSpace.range.rawValue) range")
        }
        try writer.write(Y4MWriter.frameHeader.span, frame)
    }

    /// Closes the file. Called once, after the last frame.
    ///
    /// - Throws: `writeFailed`, also if it was thrown before.
    public func finish() throws(FileError) {
        try writer.finish()
    }
}
