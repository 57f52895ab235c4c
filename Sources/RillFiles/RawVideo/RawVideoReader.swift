public import RillCore

/// Plays frames without any header: samples and nothing else, whose size and rate the caller knows.
///
///     let clip = try RawVideoReader(path: "clip.yuv", resolution: .vga, frameRate: 30)
///     while case .frame(let frame) = try clip.next() { show(frame) }
///
/// Pictures come in the format of the file: ``PixelFormat/nv12`` files give `.nv12` frames. One owner, one thread at a
/// time. Cost per frame: one read straight into the frame's rows, no copy.
public final class RawVideoReader: FrameSource {
    /// Size, rate, and, for a regular file, the number of whole frames that it holds.
    public private(set) var format: SourceFormat
    /// Frames that are still wanted.
    private var remaining = Int.max
    private var input: ByteInput
    private var filler: FrameFiller
    private var failure: FileError?

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - pixelFormat: how its samples lie.
    ///   - resolution: size of every picture; odd sizes round the chroma planes up.
    ///   - frameRate: the rate that the capture times are made of.
    ///   - colorSpace: what the numbers mean; it goes on every frame.
    ///   - capacity: frames that can be in use downstream at once.
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

    /// Passes over the frames before a range, and ends behind it. Called before the first frame is read.
    func keep(_ frames: Range<Int>) throws(FileError) {
        let (byteCount, isTooMuch) = frames.lowerBound.multipliedReportingOverflow(
            by: FrameRuns.byteCount(of: format.resolution))
        try input.advance(by: isTooMuch ? Int.max - input.position : byteCount)
        filler.begin(with: frames.lowerBound)
        remaining = frames.count
        format.frameCount = format.frameCount.map { frames.clamped(to: 0..<$0).count }
    }

    /// The next frame; `.end` after the last whole one.
    ///
    /// - Throws: `empty`, `truncated` when the file ends inside a frame, `readFailed`, `outOfMemory`; then the same for ever.
    public func next() throws(FileError) -> SourceOutput {
        if let failure { throw failure }
        guard remaining > 0 else { return .end }
        do throws(FileError) {
            // One byte of what follows tells the end of the file from a frame that is cut off.
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

    /// Bytes read so far.
    public var position: Int { input.position }

    /// Counts of the reader's own pool of frames, which is made with the first frame; `nil` before that.
    public var poolStatistics: FramePool.Statistics? { filler.poolStatistics }
}
