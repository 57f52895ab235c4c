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
    public private(set) var format: SourceFormat
    /// The number of frames still to be returned.
    private var remaining = Int.max
    private var input: ByteInput
    private var filler: FrameFiller
    private var failure: FileError?

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
        self.filler = FrameFiller(pixelFormat, resolution, frameRate, colorSpace, capacity: capacity)
        self.format = SourceFormat(
            resolution: resolution, frameRate: frameRate,
            frameCount: input.remainingByteCount.map { $0 / FrameRuns.byteCount(of: resolution) })
        self.input = input
    }

    /// Skips the frames before a range, and ends after it. Called before the first frame is read.
    func keep(_ frames: Range<Int>) throws(FileError) {
        let (byteCount, isTooMuch) = frames.lowerBound.multipliedReportingOverflow(
            by: FrameRuns.byteCount(of: format.resolution))
        try input.advance(by: isTooMuch ? Int.max - input.position : byteCount)
        filler.begin(with: frames.lowerBound)
        remaining = frames.count
        format.frameCount = format.frameCount.map { frames.clamped(to: 0..<$0).count }
    }

    /// Returns the next frame, or `.end` after the last complete one.
    ///
    /// - Throws: `empty`, `truncated` if the file ends inside a frame, `readFailed`, `outOfMemory`. All later calls
    ///   throw the same error.
    public func next() throws(FileError) -> SourceOutput {
        if let failure { throw failure }
        guard remaining > 0 else { return .end }
        do throws(FileError) {
            // One more byte distinguishes the end of the file from a truncated frame.
            guard try input.fill(1, atMost: 1) > 0 else {
                guard input.position > 0 else { throw .empty(path: input.path) }
                return .end
            }
            let output = try filler.next(from: &input, after: 0, lookahead: 1)
            if case .frame = output { remaining -= 1 }
            return output
        } catch {
            failure = error
            throw error
        }
    }

    /// The number of bytes read so far.
    public var position: Int { input.position }

    /// The counts of the reader's own frame pool, which is created with the first frame; `nil` before that.
    public var poolStatistics: FramePool.Statistics? { filler.poolStatistics }
}
