public import RillCore

/// A file of frames without headers that can be opened for ranges of them, so that several threads can read it in
/// parallel.
///
/// ```swift
/// let clip = try RawVideoClip(path: "clip.yuv", resolution: .vga, frameRate: 30)
/// let second = try clip.open(frames: 300..<600)
/// ```
public struct RawVideoClip: RangedSource {
    /// The file.
    public let path: String
    /// The size, rate and number of complete frames.
    public let format: SourceFormat
    private let pixelFormat: PixelFormat
    private let colorSpace: ColorSpace

    /// Opens a file for its size; see ``RawVideoReader`` for the parameters.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - pixelFormat: how its samples are arranged.
    ///   - resolution: the size of every picture.
    ///   - frameRate: the rate that determines the capture times.
    ///   - colorSpace: the color space of the samples.
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

    /// Returns `frame`: every frame is independent.
    public func entry(for frame: Int) -> Int { frame }

    /// Returns the time of a frame from its number and the rate.
    public func time(ofFrame frame: Int) -> MediaTime? { format.time(ofFrame: frame) }

    /// Opens the file for a range of its frames.
    ///
    /// - Parameters:
    ///   - frames: the range. It may be empty but not negative; frames beyond the end are left out.
    ///   - capacity: how many frames may be in use downstream at once.
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
