/// A clip that can be opened for any range of its frames, any number of times, also by several threads at once.
///
/// ```swift
/// let clip = try ContainerClip(path: "clip.mp4")
/// let second = try clip.open(frames: 300..<600)   // frames 300 to 599, with their own times
/// ```
///
/// Adjacent ranges, read one after the other, yield exactly what one reading from the start yields: bit for bit, with
/// the same times. Frames count from 0. In a damaged clip a number is a position: a frame that cannot be decoded is
/// missing from a range as from the whole clip, and later frames keep their numbers.
///
/// The value holds no open file.
public protocol RangedSource: Sendable {
    /// The format that every reading reports. `frameCount` counts the frames of the whole clip; it is `nil` if it is
    /// only known after reading all of them.
    var format: SourceFormat { get }

    /// Returns the frame where a reading must start to yield `frame`: at most `frame`.
    ///
    /// If it equals `frame`, a range that starts there costs nothing extra. Otherwise all frames in between are
    /// decoded and dropped.
    func entry(for frame: Int) -> Int

    /// Returns when a frame is shown, or `nil` if that is not known without decoding.
    func time(ofFrame frame: Int) -> MediaTime?

    /// Opens the clip for a range of its frames.
    ///
    /// - Parameters:
    ///   - frames: the range. It may be empty but not negative; frames beyond the end are left out.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Returns: a source that yields the frames in order.
    /// - Throws: errors of opening the file.
    func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource
}

extension RangedSource {
    /// Opens the clip with a pool of eight pictures.
    public func open(frames: Range<Int>) throws -> any FrameSource { try open(frames: frames, capacity: 8) }
}
