public import RillCore

/// A file of frames without headers, to be opened for ranges of them: several threads can read it side by side.
///
///     let clip = try RawVideoClip(path: "clip.yuv", resolution: .vga, frameRate: 30)
///     let second = try clip.open(frames: 300..<600)
public struct RawVideoClip: RangedSource {
    /// The file.
    public let path: String
    /// Size, rate, and the number of whole frames.
    public let format: SourceFormat
    private let pixelFormat: PixelFormat
    private let colorSpace: ColorSpace

    /// Looks at a file; see ``RawVideoReader`` for what it has to be told.
    ///
    /// - Throws: `notFound`, `openFailed`.
    public init(
        path: String, pixelFormat: PixelFormat = .i420, resolution: Resolution, frameRate: FrameRate = 30,
        colorSpace: ColorSpace = .bt601
    ) throws(FileError) {
        self.path = path
        self.pixelFormat = pixelFormat
        self.colorSpace = colorSpace
        let reader = try RawVideoReader(
            path: path, pixelFormat: pixelFormat, resolution: resolution, frameRate: frameRate, colorSpace: colorSpace)
        format = reader.format
    }

    /// Every frame stands for itself.
    public func entry(for frame: Int) -> Int { frame }

    /// The frame's number by the rate.
    public func time(ofFrame frame: Int) -> MediaTime? { format.time(ofFrame: frame) }

    /// Opens the file for a range of its frames.
    ///
    /// - Throws: ``FileError``.
    public func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        precondition(frames.lowerBound >= 0, "frames count from 0, not from \(frames.lowerBound)")
        let reader = try RawVideoReader(
            path: path, pixelFormat: pixelFormat, resolution: format.resolution, frameRate: format.frameRate ?? 30,
            colorSpace: colorSpace, capacity: capacity)
        try reader.keep(frames)
        return reader
    }
}
