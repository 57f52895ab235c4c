import Rill

/// A clip whose pictures all lie in memory, played over and over at 30 a second: a camera that costs nothing.
///
/// Stamps go on from one round to the next. The cut from the last picture to the first is coded as any other change.
final class HeldClip: FrameSource {
    let format: SourceFormat
    private let pictures: [VideoFrame]
    private let frameCount: Int
    private let rate = FrameRate(30)
    private var count = 0

    /// Reads the first `pictureCount` pictures of a clip, to be played until `frameCount` frames were given.
    init(_ path: String, pictureCount: Int, frameCount: Int) throws {
        let clip = try Y4MReader(path: path, capacity: pictureCount)
        var pictures: [VideoFrame] = []
        while pictures.count < pictureCount, case .frame(let picture) = try clip.next() { pictures.append(picture) }
        guard !pictures.isEmpty else { throw LatencyError.noPictures(path: path) }
        self.pictures = pictures
        self.frameCount = frameCount
        format = SourceFormat(resolution: clip.format.resolution, frameRate: rate, frameCount: frameCount)
    }

    func next() -> SourceOutput {
        guard count < frameCount else { return .end }
        var frame = pictures[count % pictures.count]
        frame.captureTime = rate.time(ofFrame: count)
        count += 1
        return .frame(frame)
    }
}

/// Why latencies cannot be measured.
enum LatencyError: Error, CustomStringConvertible {
    /// The clip has none.
    case noPictures(path: String)
    /// The system would not take so many reports of the receiver.
    case feedbackFailed(count: Int)

    var description: String {
        switch self {
        case .noPictures(let path): "\(path) has no pictures"
        case .feedbackFailed(let count): "\(count) reports of the receiver could not be sent"
        }
    }
}
