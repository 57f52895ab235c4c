public import RillCore

/// Writes frames as samples only: plane by plane, rows without gaps. Their rotation is lost, like everything that is
/// not a sample.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the frame's rows, without a copy.
public final class RawVideoWriter: FrameSink {
    /// How the samples are arranged.
    public let pixelFormat: PixelFormat
    /// The size of every picture.
    public let resolution: Resolution
    private var writer: FrameWriter

    /// Creates or truncates a file.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - pixelFormat: how the samples are arranged.
    ///   - resolution: the size of every picture.
    /// - Throws: `notFound`, `openFailed`.
    public init(
        path: String, name: String? = nil, pixelFormat: PixelFormat = .i420, resolution: Resolution
    ) throws(FileError) {
        self.pixelFormat = pixelFormat
        self.resolution = resolution
        self.writer = FrameWriter(try ByteOutput(path: path, name: name), pixelFormat, resolution)
    }

    /// Writes a frame of the file's format and size.
    ///
    /// - Throws: `unexpectedInput` for any other frame, `writeFailed`.
    public func consume(_ frame: VideoFrame) throws(FileError) {
        try writer.write(Span(), frame)
    }

    /// Closes the file. Called once, after the last frame.
    ///
    /// - Throws: `writeFailed`, also if it was thrown before.
    public func finish() throws(FileError) {
        try writer.finish()
    }
}
