import RillCore
import RillMediaSupport

/// Pictures that end when a condition is true: what a test needs takes longer on a busy machine.
final class EndingPictures: FrameSource {
    private let pictures: LoopedPictures
    private let least: Int
    private let isOver: @Sendable () -> Bool
    private var count = 0
    var format: SourceFormat { pictures.format }

    /// - Parameters:
    ///   - frameCounts: how many pictures there are at least and at most.
    ///   - isOver: whether there are enough.
    init(
        _ size: Resolution, frameRate: FrameRate = 30, frameCounts: ClosedRange<Int>,
        isOver: @escaping @Sendable () -> Bool
    ) throws {
        pictures = try LoopedPictures(size, frameRate: frameRate, frameCount: frameCounts.upperBound)
        (least, self.isOver) = (frameCounts.lowerBound, isOver)
    }

    func next() -> SourceOutput {
        if count >= least, isOver() { return .end }
        count += 1
        return pictures.next()
    }
}
