import Arguments
import Rill
import RillFiles

/// The first pictures of a clip, held in memory and shared by any number of sources: what is measured then reads no file.
struct HeldClip {
    let frames: [VideoFrame]
    let resolution: Resolution

    /// As many pictures of 1280x720 are 83 MB.
    private static let mostFrames = 60

    /// Reads a Y4M file; its pictures resized where another size is wanted.
    init(path: String, resolution wanted: Resolution? = nil) throws {
        let mostFrames = HeldClip.mostFrames
        let clip = try Y4MReader(path: path, capacity: wanted == nil ? mostFrames : 1)
        resolution = wanted ?? clip.format.resolution
        let pool = try wanted.map { try FramePool(resolution: $0, capacity: mostFrames) }
        var frames: [VideoFrame] = []
        while frames.count < mostFrames, case .frame(let frame) = try clip.next() {
            guard let pool else {
                frames.append(frame)
                continue
            }
            // The pool has room for as many pictures as are asked of it.
            if let scaled = frame.scaled(into: pool) { frames.append(scaled) }
        }
        guard !frames.isEmpty else { throw WrongUse("\(path) has no pictures") }
        self.frames = frames
    }

    /// Bytes of the pictures that are held.
    var byteCount: Int { frames.count * resolution.pixelCount * 3 / 2 }
}

/// A camera made of a held clip, which costs nothing: it plays the clip forwards and backwards, so that no cut is in it,
/// 30 pictures a second.
final class HeldClipSource: FrameSource {
    let format: SourceFormat
    private let clip: HeldClip
    private let first: Int
    private let frameCount: Int
    private var count = 0

    static let frameRate: FrameRate = 30

    /// - Parameters:
    ///   - first: the picture to begin with, so that no two cameras show the same.
    ///   - frameCount: how many it gives; endlessly many where nothing is said.
    init(_ clip: HeldClip, from first: Int = 0, frameCount: Int = .max) {
        (self.clip, self.first, self.frameCount) = (clip, first, frameCount)
        format = SourceFormat(
            resolution: clip.resolution, frameRate: HeldClipSource.frameRate,
            frameCount: frameCount == .max ? nil : frameCount)
    }

    func next() -> SourceOutput {
        guard count < frameCount else { return .end }
        var frame = clip.frames[HeldClipSource.index(of: first + count, among: clip.frames.count)]
        frame.captureTime = HeldClipSource.frameRate.time(ofFrame: count)
        frame.stamps = FrameStamps()
        frame.isBeginning = count == 0
        count += 1
        return .frame(frame)
    }

    /// 0, 1, 2, 3, 2, 1, 0, 1 … of four.
    private static func index(of count: Int, among frames: Int) -> Int {
        guard frames > 1 else { return 0 }
        let place = count % (2 * frames - 2)
        return place < frames ? place : 2 * frames - 2 - place
    }
}
