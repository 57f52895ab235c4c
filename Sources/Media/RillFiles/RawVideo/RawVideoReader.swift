public import RillCore

/// Reads frames without headers: only samples, whose size and rate the caller knows.
///
/// ```swift
/// let clip = try RawVideoReader(path: "clip.yuv", resolution: .vga, frameRate: 30)
/// while case .frame(let frame) = try clip.next() { show(frame) }
/// ```
///
/// Frames have the format of the file: ``/RillCore/PixelFormat/nv12`` files yield `.nv12` frames. One owner, one
/// thread at a time. Cost per frame: one read straight into the frame's rows, without a copy.
public final class RawVideoReader: FrameSource {
    /// The size, the rate and, for a regular file, the number of complete frames.
    public var format: SourceFormat { frames.format }
    private var frames: FrameFiller

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - pixelFormat: how its samples are arranged.
    ///   - resolution: the size of every picture; odd sizes round the chroma planes up.
    ///   - frameRate: the rate that determines the capture times.
    ///   - colorSpace: the color space of every frame.
    ///   - capacity: how many frames may be in use downstream at once.
    /// - Throws: `notFound`, `openFailed`.
    public convenience init(
        path: String, pixelFormat: PixelFormat = .i420, resolution: Resolution, frameRate: FrameRate = 30,
        colorSpace: ColorSpace = .bt601, capacity: Int = 8
    ) throws(FileError) {
        self.init(
            try ByteInput(path: path), pixelFormat: pixelFormat, resolution: resolution, frameRate: frameRate,
            colorSpace: colorSpace, capacity: capacity)
    }

    package init(
        _ input: consuming ByteInput, pixelFormat: PixelFormat = .i420, resolution: Resolution,
        frameRate: FrameRate = 30, colorSpace: ColorSpace = .bt601, capacity: Int = 8
    ) {
        let frameCount = input.remainingByteCount.map { $0 / FrameRuns.byteCount(of: resolution) }
        frames = FrameFiller(
            input, pixelFormat, resolution, frameRate, colorSpace, frameCount: frameCount, capacity: capacity)
    }

    /// Skips the frames before a range, and ends after it. Called before the first frame is read.
    func keep(_ range: Range<Int>) throws(FileError) {
        let (byteCount, isTooMuch) = range.lowerBound.multipliedReportingOverflow(
            by: FrameRuns.byteCount(of: format.resolution))
        try frames.input.advance(by: isTooMuch ? Int.max - position : byteCount)
        frames.keep(range)
    }

    /// Returns the next frame, or `.end` after the last complete one.
    ///
    /// - Throws: `empty`, `truncated` if the file ends inside a frame, `readFailed`, `outOfMemory`. All later calls
    ///   throw the same error.
    public func next() throws(FileError) -> SourceOutput {
        try frames.next(lookahead: 1) { (input) throws(FileError) in
            // One more byte distinguishes the end of the file from a truncated frame.
            if try input.fill(1, atMost: 1) > 0 { return 0 }
            guard input.position > 0 else { throw .empty(path: input.path) }
            return nil
        }
    }

    /// The number of bytes read so far.
    public var position: Int { frames.input.position }

    /// The counts of the reader's own frame pool, which is created with the first frame; `nil` before that.
    public var poolStatistics: FramePool.Statistics? { frames.poolStatistics }
}

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
