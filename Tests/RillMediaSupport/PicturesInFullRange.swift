package import RillCore
import RillImage

/// A source whose pictures are said to be in full range, all or some of them: their samples stay.
package final class PicturesInFullRange: FrameSource {
    package var format: SourceFormat { source.format }
    private let source: any FrameSource
    private let isFull: (Int) -> Bool
    private var count = 0

    package init(_ source: any FrameSource, isFull: @escaping (Int) -> Bool = { _ in true }) {
        self.source = source
        self.isFull = isFull
    }

    package func next() throws -> SourceOutput {
        guard case .frame(var frame) = try source.next() else { return .end }
        frame.colorSpace.range = isFull(count) ? .full : .limited
        count += 1
        return .frame(frame)
    }
}

/// The pictures of such a source as they are to come out: each of full range reduced, in a buffer of its own.
package func reduced(_ source: any FrameSource) throws -> [VideoFrame] {
    var frames: [VideoFrame] = []
    while case .frame(let frame) = try source.next() {
        let pool = try FramePool(resolution: frame.resolution, capacity: 1)
        // A copy where nothing is reduced: a source has only so many buffers.
        let isFull = frame.colorSpace.range == .full
        guard let own = isFull ? frame.reducedToLimitedRange(into: pool) : frame.copied(into: pool) else { break }
        frames.append(own)
    }
    return frames
}

/// Pictures that are there already.
package final class PreparedPictures: FrameSource {
    package let format: SourceFormat
    private var frames: ArraySlice<VideoFrame>

    package init(_ frames: [VideoFrame]) {
        self.frames = frames[...]
        format = SourceFormat(resolution: frames[0].resolution, frameRate: 30, frameCount: frames.count)
    }

    package func next() -> SourceOutput { frames.popFirst().map { .frame($0) } ?? .end }
}
