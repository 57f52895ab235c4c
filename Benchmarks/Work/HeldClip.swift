import Arguments
import Rill
import RillFiles

/// The first pictures of a clip, held in memory and shared by any number of sources, so that the measured work reads no
/// file.
struct HeldClip {
    let frames: [VideoFrame]
    let resolution: Resolution

    /// This many pictures of 1280x720 take 83 MB.
    private static let mostFrames = 60

    /// Reads a Y4M file and resizes its pictures if another size is requested.
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
            // The pool has a frame for every picture.
            if let scaled = frame.scaled(into: pool) { frames.append(scaled) }
        }
        guard !frames.isEmpty else { throw WrongUse("\(path) has no pictures") }
        self.frames = frames
    }

    /// The bytes of the held pictures.
    var byteCount: Int { frames.count * resolution.pixelCount * 3 / 2 }
}
