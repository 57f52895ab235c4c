public import RillCore

/// Writes frames as their samples and nothing else: plane by plane, rows without gaps. Their rotation
/// is lost with all else that is not a sample.
///
/// One owner, one thread at a time. Cost per frame: one gathering write from the frame's rows, no copy.
public final class RawVideoWriter: FrameSink {
    /// How the samples lie.
    public let pixelFormat: PixelFormat
    /// Size of every picture.
    public let resolution: Resolution
    private var writer: FrameWriter

    /// Makes or empties a file; `-` is standard output.
    ///
    /// - Parameter name: what errors call it, where that is not its path.
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
    /// - Throws: `unexpectedInput` for another one, `writeFailed`.
    public func consume(_ frame: VideoFrame) throws(FileError) {
        try writer.write(Span(), frame)
    }

    /// Closes the file. Called once, after the last frame.
    ///
    /// - Throws: `writeFailed`, also when that was thrown before.
    public func finish() throws(FileError) {
        try writer.finish()
    }
}
