/// A clip that can be opened for any range of its frames, as often as is wanted, also by several threads at once.
///
///     let clip = try ContainerClip(path: "clip.mp4")
///     let second = try clip.open(frames: 300..<600)   // frames 300 to 599, with their own times
///
/// Ranges that lie side by side give, one after the other, exactly what one reading from the beginning gives: bit for
/// bit, with the same times. Frames count from 0. In a clip that is damaged a number stands for a place: what cannot be
/// decoded there is missing, from a range as from the whole, and the numbers of the frames behind it stay.
///
/// It is a value that holds no file open.
public protocol RangedSource: Sendable {
    /// What every reading says of its frames. `frameCount` counts those of the whole clip; it is `nil` where that is only
    /// known when all were read.
    var format: SourceFormat { get }

    /// The frame that a reading has to begin with to give `frame`: at most `frame`. Where they are the same, a range that
    /// begins there costs nothing more; where the answer is far before, all between is decoded for nothing.
    func entry(for frame: Int) -> Int

    /// When a frame is shown; `nil` where that is not known without decoding.
    func time(ofFrame frame: Int) -> MediaTime?

    /// Opens the clip for a range of its frames.
    ///
    /// - Parameters:
    ///   - frames: which; what of them lies behind the end is not there. It may be empty, and not negative.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: whatever opening the file throws.
    func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource
}

extension RangedSource {
    /// The same with a pool of eight pictures.
    public func open(frames: Range<Int>) throws -> any FrameSource { try open(frames: frames, capacity: 8) }
}
