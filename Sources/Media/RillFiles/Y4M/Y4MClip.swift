public import RillCore

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
