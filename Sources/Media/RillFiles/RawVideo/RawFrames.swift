import RillCore

/// The common part of the readers of uncompressed video: consecutive frames of one size, each read into a buffer of
/// the reader's own pool.
struct FrameFiller: ~Copyable {
    /// The runs of a frame, which include its format and size.
    let runs: FrameRuns
    let frameRate: FrameRate
    private let colorSpace: ColorSpace
    private let capacity: Int
    private var pool: FramePool?
    /// The number of the next frame, counted from the start of the clip.
    private var frameCount = 0
    private let frameLimit: Int

    init(_ format: PixelFormat, _ resolution: Resolution, _ rate: FrameRate, _ colorSpace: ColorSpace, capacity: Int) {
        precondition(capacity > 0, "a reader's pool holds at least one frame, not \(capacity)")
        self.runs = FrameRuns(FrameLayout(format, resolution))
        self.frameRate = rate
        self.colorSpace = colorSpace
        self.capacity = capacity
        self.frameLimit = FileTime.frameLimit(at: rate)
    }

    /// Starts with frame number `first` of the clip, which determines the frames' times.
    mutating func begin(with first: Int) { frameCount = first }

    /// The pool's counts; `nil` before the first frame.
    var poolStatistics: FramePool.Statistics? { pool?.statistics }

    /// Returns the next frame. Its samples follow the `headerByteCount` bytes that the input has buffered.
    ///
    /// If the pool has no free buffer, nothing is consumed.
    mutating func next(
        from input: inout ByteInput, after headerByteCount: Int, lookahead: Int
    ) throws(FileError) -> SourceOutput {
        let pool = try framePool(for: input, after: headerByteCount)
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
        return .frame(frame.finish(captureTime: time, colorSpace: colorSpace))
    }

    /// Returns the pool. It is created with the first complete frame, so that a header with a false size costs no
    /// memory.
    private mutating func framePool(
        for input: borrowing ByteInput, after headerByteCount: Int
    ) throws(FileError) -> FramePool {
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
    private var output: ByteOutput?
    private let path: String
    private let format: PixelFormat
    private let resolution: Resolution
    /// The runs of the frames' layout, which rarely changes.
    private var runs: FrameRuns

    init(_ output: consuming ByteOutput, _ format: PixelFormat, _ resolution: Resolution) {
        self.path = output.path
        self.output = consume output
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
        precondition(output != nil, "\(path) was finished")
        try output?.write(header, runs, of: frame)
    }

    mutating func finish() throws(FileError) {
        guard let output = output.take() else { preconditionFailure("\(path) was finished before") }
        try output.finish()
    }
}
