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
