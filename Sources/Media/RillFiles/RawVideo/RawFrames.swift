public import RillCore

/// The common part of the readers of uncompressed video: consecutive frames of one size, each read into a buffer of
/// the reader's own pool.
struct FrameFiller: ~Copyable {
    var input: ByteInput
    /// The size, the rate and, if known, the number of frames.
    private(set) var format: SourceFormat
    /// The runs of a frame, which include its format and size.
    private let runs: FrameRuns
    private let frameRate: FrameRate
    private let colorSpace: ColorSpace
    private let capacity: Int
    private var pool: FramePool?
    /// The number of the next frame, counted from the start of the clip.
    private var frameCount = 0
    private let frameLimit: Int
    /// The number of frames still to be returned.
    private var remaining = Int.max
    private var failure: FileError?

    init(
        _ input: consuming ByteInput, _ pixelFormat: PixelFormat, _ resolution: Resolution, _ rate: FrameRate,
        _ colorSpace: ColorSpace, frameCount: Int?, capacity: Int
    ) {
        precondition(capacity > 0, "a reader's pool holds at least one frame, not \(capacity)")
        self.input = input
        format = SourceFormat(resolution: resolution, frameRate: rate, frameCount: frameCount)
        self.runs = FrameRuns(FrameLayout(pixelFormat, resolution))
        self.frameRate = rate
        self.colorSpace = colorSpace
        self.capacity = capacity
        self.frameLimit = FileTime.frameLimit(at: rate)
    }

    /// Makes a range's first frame the next one, and ends after its last. The input is at that frame already.
    mutating func keep(_ frames: Range<Int>) {
        frameCount = frames.lowerBound
        remaining = frames.count
        format.frameCount = format.frameCount.map { frames.clamped(to: 0..<$0).count }
    }

    /// The pool's counts; `nil` before the first frame.
    var poolStatistics: FramePool.Statistics? { pool?.statistics }

    /// Returns the next frame, or `.end` after the last one. After a failure all later calls throw the same error.
    ///
    /// - Parameters:
    ///   - lookahead: the maximum number of bytes to fetch beyond the frame.
    ///   - findFrame: returns the length of the next frame's header, which is then buffered; `nil` at the end.
    mutating func next(
        lookahead: Int, _ findFrame: (inout ByteInput) throws(FileError) -> Int?
    ) throws(FileError) -> SourceOutput {
        if let failure { throw failure }
        guard remaining > 0 else { return .end }
        do throws(FileError) {
            guard let headerByteCount = try findFrame(&input) else { return .end }
            return try read(after: headerByteCount, lookahead: lookahead)
        } catch {
            failure = error
            throw error
        }
    }

    /// Reads a frame's samples, which follow its buffered header. If the pool has no free buffer, nothing is consumed.
    private mutating func read(after headerByteCount: Int, lookahead: Int) throws(FileError) -> SourceOutput {
        let pool = try framePool(after: headerByteCount)
        guard var frame = pool.makeFrame() else { return .noBuffer }
        input.consume(headerByteCount)
        let position = input.position
        guard frameCount < frameLimit else { throw .timeOutOfRange(path: input.path, position: position) }
        let count = try input.read(runs, of: &frame, lookahead: lookahead)
        guard count == runs.byteCount else {
            throw .truncated(path: input.path, position: position, needed: runs.byteCount, available: count)
        }
        let time = frameRate.time(ofFrame: frameCount)
        frameCount += 1
        remaining -= 1
        return .frame(frame.finish(captureTime: time, colorSpace: colorSpace))
    }

    /// Returns the pool. It is created with the first complete frame, so that a header with a false size costs no
    /// memory.
    private mutating func framePool(after headerByteCount: Int) throws(FileError) -> FramePool {
        if let pool { return pool }
        if let remaining = input.remainingByteCount, remaining - headerByteCount < runs.byteCount {
            throw .truncated(
                path: input.path, position: input.position + headerByteCount, needed: runs.byteCount,
                available: max(0, remaining - headerByteCount))
        }
        do {
            let pool = try FramePool(layout: runs.layout, capacity: capacity)
            self.pool = pool
            return pool
        } catch {
            switch error {
            case .outOfMemory(let byteCount): throw .outOfMemory(path: input.path, byteCount: byteCount)
            }
        }
    }
}

/// The common part of the writers of uncompressed video: frames of one format and size, each after a header.
struct FrameWriter: ~Copyable {
    private var output: ByteOutput
    var path: String { output.path }
    private let format: PixelFormat
    private let resolution: Resolution
    /// The runs of the frames' layout, which rarely changes.
    private var runs: FrameRuns

    init(_ output: consuming ByteOutput, _ format: PixelFormat, _ resolution: Resolution) {
        self.output = output
        self.format = format
        self.resolution = resolution
        self.runs = FrameRuns(FrameLayout(format, resolution))
    }

    mutating func write(_ header: Span<UInt8>, _ frame: VideoFrame) throws(FileError) {
        guard frame.format == format, frame.resolution == resolution else {
            throw .unexpectedInput(
                path: path, expected: "\(format.rawValue) frames of \(resolution)",
                given: "a frame of \(frame.format.rawValue), \(frame.resolution)")
        }
        if runs.layout != frame.layout { runs = FrameRuns(frame.layout) }
        try output.write(header, runs, of: frame)
    }

    mutating func finish() throws(FileError) {
        try output.finish()
    }
}

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
