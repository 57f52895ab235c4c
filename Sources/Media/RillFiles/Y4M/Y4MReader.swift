public import RillCore

/// Reads a Y4M clip: 8-bit 4:2:0 frames after a line of text.
///
/// ```swift
/// let clip = try Y4MReader(path: "clip.y4m")
/// while case .frame(let frame) = try clip.next() { show(frame) }
/// ```
///
/// Each frame carries its capture time (its number divided by the rate) and the clip's color range. Y4M does not
/// store the matrix; it is BT.601 unless the caller sets another. Frames of interlaced clips are returned unchanged.
///
/// One owner, one thread at a time. Cost per frame: one `readv(2)` straight into the frame's rows, which also fetches
/// the next frame's header; no copy.
public final class Y4MReader: FrameSource {
    /// The header in the first line.
    public let header: Y4MHeader
    /// The size, the rate and, if known, the number of frames: for a regular file whose frames have plain headers.
    public var format: SourceFormat { frames.format }
    private var frames: FrameFiller

    /// Opens a clip and reads its first line.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - capacity: how many frames may be in use downstream at once.
    ///   - defaultFrameRate: the rate of a clip that does not store one.
    ///   - matrix: the color matrix of the frames.
    /// - Throws: `notFound`, `openFailed`, `readFailed`; `empty`, `foreign`, `truncated`, `headerTooLong`;
    ///   `missingParameter`, `invalidField`, `resolutionOutOfRange`; `unsupportedFormat` unless it is 8-bit 4:2:0.
    public convenience init(
        path: String, capacity: Int = 8, defaultFrameRate: FrameRate = 30, matrix: ColorSpace.Matrix = .bt601
    ) throws(FileError) {
        try self.init(
            try ByteInput(path: path), capacity: capacity, defaultFrameRate: defaultFrameRate, matrix: matrix)
    }

    package init(
        _ input: consuming ByteInput, capacity: Int = 8, defaultFrameRate: FrameRate = 30,
        matrix: ColorSpace.Matrix = .bt601
    ) throws(FileError) {
        var input = input
        let header = try Y4MReader.readHeader(from: &input)
        let frameCount = input.remainingByteCount.flatMap { Y4MReader.frameCount(in: $0, of: header.resolution) }
        self.header = header
        frames = FrameFiller(
            input, .i420, header.resolution, header.frameRate ?? defaultFrameRate,
            ColorSpace(matrix: matrix, range: header.range ?? .limited), frameCount: frameCount, capacity: capacity)
    }

    /// Skips the frames before a range, and ends after it. Called before the first frame is read.
    ///
    /// Each skipped frame's header is checked, so damage is found as when reading the whole clip.
    func keep(_ range: Range<Int>) throws(FileError) {
        for _ in 0..<range.lowerBound {
            guard let headerByteCount = try Y4MReader.findFrame(in: &frames.input) else { break }
            try frames.input.advance(by: headerByteCount + FrameRuns.byteCount(of: header.resolution))
        }
        frames.keep(range)
    }

    /// Returns the next frame, or `.end` after the last complete one.
    ///
    /// - Throws: `truncated` if the file ends inside a frame, `damaged` if none starts where one should,
    ///   `headerTooLong`, `readFailed`, `timeOutOfRange`, `outOfMemory`. All later calls throw the same error.
    public func next() throws(FileError) -> SourceOutput {
        try frames.next(lookahead: Y4MReader.plainFrameHeader) { (input) throws(FileError) in
            try Y4MReader.findFrame(in: &input)
        }
    }

    /// The number of bytes read so far.
    public var position: Int { frames.input.position }

    /// The counts of the reader's own frame pool, which is created with the first frame; `nil` before that.
    public var poolStatistics: FramePool.Statistics? { frames.poolStatistics }

    // MARK: Lines of text

    /// The length of `FRAME` and its line end, which make up nearly every frame's header.
    private static let plainFrameHeader = Y4MHeader.frameMagic.utf8.count + 1

    /// Returns the number of frames in `byteCount` bytes, if these are complete frames with plain headers.
    private static func frameCount(in byteCount: Int, of resolution: Resolution) -> Int? {
        let (count, rest) = byteCount.quotientAndRemainder(
            dividingBy: plainFrameHeader + FrameRuns.byteCount(of: resolution))
        return rest == 0 ? count : nil
    }

    private static func readHeader(from input: inout ByteInput) throws(FileError) -> Y4MHeader {
        let magic = Y4MHeader.magic.utf8
        try input.requireStart(magic.count + 1, of: Y4MHeader.magic)
        let separator = input.buffered[magic.count]
        guard separator == UInt8(ascii: " ") || separator == UInt8(ascii: "\n") else {
            throw .foreign(path: input.path, expected: Y4MHeader.magic + " ", found: input.buffered.prefixBytes())
        }
        let length = try input.lineByteCount(limit: Y4MHeader.maximumLineByteCount)
        let header = try Y4MHeader(parsing: input.buffered.prefixBytes(length - 1), path: input.path)
        input.consume(length)
        return header
    }

    /// Returns the length of the next frame's header, which is then buffered but not consumed; `nil` at the end of
    /// the clip.
    private static func findFrame(in input: inout ByteInput) throws(FileError) -> Int? {
        let magic = Y4MHeader.frameMagic.utf8
        // No more than that, so that the samples after it go straight into the frame.
        let available = try input.fill(plainFrameHeader, atMost: plainFrameHeader)
        guard available > 0 else { return nil }
        guard input.buffered.starts(with: magic.prefix(available)) else { throw damaged(input) }
        try input.require(plainFrameHeader)
        let separator = input.buffered[magic.count]
        switch separator {
        case UInt8(ascii: "\n"): return plainFrameHeader
        case UInt8(ascii: " "): return try input.lineByteCount(limit: Y4MHeader.maximumLineByteCount)
        default: throw damaged(input)
        }
    }

    private static func damaged(_ input: borrowing ByteInput) -> FileError {
        .damaged(
            path: input.path, position: input.position, expected: "a frame (\"\(Y4MHeader.frameMagic)\")",
            found: input.buffered.prefixBytes())
    }
}

/// A Y4M file that can be opened for ranges of its frames, so that several threads can read it in parallel.
///
/// ```swift
/// let clip = try Y4MClip(path: "clip.y4m")
/// let second = try clip.open(frames: 300..<600)
/// ```
///
/// Cost of opening: reading the header of each frame before the range.
public struct Y4MClip: RangedSource {
    /// The file.
    public let path: String
    /// The size, the rate and, if all frames have plain headers, the number of frames.
    public let format: SourceFormat
    private let matrix: ColorSpace.Matrix

    /// Opens a file and reads its first line.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - matrix: the color matrix of the frames, which Y4M does not store.
    /// - Throws: the errors of ``Y4MReader``.
    public init(path: String, matrix: ColorSpace.Matrix = .bt601) throws(FileError) {
        self.path = path
        self.matrix = matrix
        format = try Y4MReader(path: path, matrix: matrix).format
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
    /// - Throws: ``FileError``, also for a damaged header of a frame before the range.
    public func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        precondition(frames.lowerBound >= 0, "frames count from 0, not from \(frames.lowerBound)")
        let reader = try Y4MReader(path: path, capacity: capacity, matrix: matrix)
        try reader.keep(frames)
        return reader
    }
}
