public import RillCore

/// A Y4M file, to be opened for ranges of its frames: several threads can read it side by side.
///
///     let clip = try Y4MClip(path: "clip.y4m")
///     let second = try clip.open(frames: 300..<600)
///
/// Cost of opening: a look at the header of each frame before the range.
public struct Y4MClip: RangedSource {
    /// The file.
    public let path: String
    /// Size, rate, and the number of frames where all have plain headers.
    public let format: SourceFormat
    private let matrix: ColorSpace.Matrix

    /// Opens a file and reads its first line.
    ///
    /// - Throws: as ``Y4MReader`` does.
    public init(path: String, matrix: ColorSpace.Matrix = .bt601) throws(FileError) {
        self.path = path
        self.matrix = matrix
        format = try Y4MReader(path: path, matrix: matrix).format
    }

    /// Every frame stands for itself.
    public func entry(for frame: Int) -> Int { frame }

    /// The frame's number by the rate.
    public func time(ofFrame frame: Int) -> MediaTime? { format.time(ofFrame: frame) }

    /// Opens the file for a range of its frames.
    ///
    /// - Throws: ``FileError``, also for a frame before the range whose header is damaged.
    public func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        precondition(frames.lowerBound >= 0, "frames count from 0, not from \(frames.lowerBound)")
        let reader = try Y4MReader(path: path, capacity: capacity, matrix: matrix)
        try reader.keep(frames)
        return reader
    }
}
