import RillCore

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
