public import RillCore

/// Plays a Y4M clip: 8-bit 4:2:0 frames behind a line of text.
///
///     let clip = try Y4MReader(path: "clip.y4m")
///     while case .frame(let frame) = try clip.next() { show(frame) }
///
/// What the clip says travels on each frame: the capture time (frame number by rate), and the colour range. Y4M cannot
/// say the matrix; it is BT.601 unless the caller knows better. Frames of interlaced clips come as they are.
///
/// One owner, one thread at a time. Cost per frame: one `readv(2)` straight into the frame's rows, which fetches the next
/// frame's header too; no copy.
public final class Y4MReader: FrameSource {
    /// What the first line says.
    public let header: Y4MHeader
    /// Size, rate, and the number of frames where it is known: of a regular file whose frames have no parameters.
    public private(set) var format: SourceFormat
    /// Frames that are still wanted.
    private var remaining = Int.max
    private var input: ByteInput
    private var filler: FrameFiller
    private var failure: FileError?

    /// Opens a clip and reads its first line; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - capacity: frames that can be in use downstream at once.
    ///   - defaultFrameRate: the rate of a clip that does not say its own.
    ///   - matrix: the matrix that the frames are marked with.
    /// - Throws: `notFound`, `openFailed`, `readFailed`; `empty`, `foreign`, `truncated`, `headerTooLong`;
    ///   `missingParameter`, `invalidField`, `resolutionOutOfRange`; `unsupportedFormat` for all but 8-bit 4:2:0.
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
        let rate = header.frameRate ?? defaultFrameRate
        self.header = header
        self.format = SourceFormat(
            resolution: header.resolution, frameRate: rate,
            frameCount: input.remainingByteCount.flatMap { Y4MReader.frameCount(in: $0, of: header.resolution) })
        self.filler = FrameFiller(
            .i420, header.resolution, rate, ColorSpace(matrix: matrix, range: header.range ?? .limited),
            capacity: capacity)
        self.input = input
    }

    /// Passes over the frames before a range, and ends behind it. Called before the first frame is read.
    ///
    /// Each frame's header is looked at, so that what is damaged is found as in a reading of the whole.
    func keep(_ frames: Range<Int>) throws(FileError) {
        for _ in 0..<frames.lowerBound {
            guard let headerByteCount = try Y4MReader.findFrame(in: &input) else { break }
            try input.advance(by: headerByteCount + FrameRuns.byteCount(of: header.resolution))
        }
        filler.begin(with: frames.lowerBound)
        remaining = frames.count
        format.frameCount = format.frameCount.map { frames.clamped(to: 0..<$0).count }
    }

    /// The next frame; `.end` after the last whole one.
    ///
    /// - Throws: `truncated` when the file ends inside a frame, `damaged` when none begins where one should,
    ///   `headerTooLong`, `readFailed`, `timeOutOfRange`, `outOfMemory`; then the same for ever.
    public func next() throws(FileError) -> SourceOutput {
        if let failure { throw failure }
        guard remaining > 0 else { return .end }
        do throws(FileError) {
            guard let headerByteCount = try Y4MReader.findFrame(in: &input) else { return .end }
            let output = try filler.next(
                from: &input, after: headerByteCount, lookahead: Y4MReader.plainFrameHeader)
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

    // MARK: Lines of text

    /// Length of `FRAME` and its line end, which is all that nearly every frame's header is.
    private static let plainFrameHeader = Y4MHeader.frameMagic.utf8.count + 1

    /// How many frames `byteCount` bytes are, if they are whole ones with plain headers.
    private static func frameCount(in byteCount: Int, of resolution: Resolution) -> Int? {
        let (count, rest) = byteCount.quotientAndRemainder(
            dividingBy: plainFrameHeader + FrameRuns.byteCount(of: resolution))
        return rest == 0 ? count : nil
    }

    private static func readHeader(from input: inout ByteInput) throws(FileError) -> Y4MHeader {
        let magic = Y4MHeader.magic.utf8
        let available = try input.fill(magic.count + 1)
        guard available > 0 else { throw .empty(path: input.path) }
        guard input.buffered.starts(with: magic.prefix(available)) else {
            throw .foreign(path: input.path, expected: Y4MHeader.magic, found: input.buffered.prefixBytes())
        }
        guard available > magic.count else {
            throw .truncated(path: input.path, position: 0, needed: magic.count + 1, available: available)
        }
        let separator = input.buffered[magic.count]
        guard separator == UInt8(ascii: " ") || separator == UInt8(ascii: "\n") else {
            throw .foreign(path: input.path, expected: Y4MHeader.magic + " ", found: input.buffered.prefixBytes())
        }
        let length = try input.lineByteCount(limit: Y4MHeader.maximumLineByteCount)
        let header = try Y4MHeader(parsing: input.buffered.prefixBytes(length - 1), path: input.path)
        input.consume(length)
        return header
    }

    /// Length of the next frame's header, which is then buffered and not consumed; `nil` at the end of the clip.
    private static func findFrame(in input: inout ByteInput) throws(FileError) -> Int? {
        let magic = Y4MHeader.frameMagic.utf8
        // No more than that, so that the samples behind it go straight into the frame.
        let available = try input.fill(plainFrameHeader, atMost: plainFrameHeader)
        guard available > 0 else { return nil }
        guard input.buffered.starts(with: magic.prefix(available)) else { throw damaged(input) }
        guard available >= plainFrameHeader else {
            throw .truncated(
                path: input.path, position: input.position, needed: plainFrameHeader, available: available)
        }
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
