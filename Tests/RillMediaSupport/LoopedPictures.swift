package import RillCore
import RillTestSupport

/// A source of any length made of a few prepared pictures, one after the other and from the beginning again: real work
/// for an encoder at no cost for a test.
package final class LoopedPictures: FrameSource {
    package let format: SourceFormat
    private let pictures: [VideoFrame]
    private var count = 0

    /// - Parameter distinct: how many pictures are drawn.
    package init(_ resolution: Resolution, frameRate: FrameRate = 30, frameCount: Int, distinct: Int = 20) throws {
        let source = try TestPictures(resolution, capacity: distinct)
        format = SourceFormat(resolution: resolution, frameRate: frameRate, frameCount: frameCount)
        pictures = (0..<distinct).map(source.picture)
    }

    /// The same pictures again, from the beginning.
    package init(_ other: LoopedPictures) {
        format = other.format
        pictures = other.pictures
    }

    package func next() -> SourceOutput {
        guard let total = format.frameCount, let rate = format.frameRate, count < total else { return .end }
        var frame = pictures[count % pictures.count]
        frame.captureTime = rate.time(ofFrame: count)
        frame.timestamps = FrameTimestamps()
        count += 1
        return .frame(frame)
    }
}
