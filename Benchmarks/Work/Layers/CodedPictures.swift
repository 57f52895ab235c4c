import Arguments
import Rill
import RillFiles

/// The picture that a viewer of an IVF file sees at each frame of its source: the newest one. Another program decodes
/// the pictures, which are read from standard input.
final class CodedPictures {
    private let file: IVFReader
    private let decoded: RawVideoReader
    private let rate: FrameRate
    private var payload: [UInt8] = []
    private var following: (number: Int, byteCount: Int)?
    private var picture: VideoFrame?

    init(path: String, resolution: Resolution, rate: FrameRate) throws {
        self.file = try IVFReader(path: path)
        self.decoded = try RawVideoReader(path: "-", resolution: resolution, frameRate: rate)
        self.rate = rate
        try advance()
    }

    /// The picture shown at frame `number` of the source, and the encoded bytes of that frame: 0 if the encoder dropped
    /// it. Call it for each frame, in order.
    func shown(at number: Int) throws -> (picture: VideoFrame, byteCount: Int) {
        var byteCount = 0
        if let following, following.number == number {
            guard case .frame(let frame) = try decoded.next() else {
                throw WrongUse("there are fewer pictures than encoded frames")
            }
            picture = frame
            byteCount = following.byteCount
            try advance()
        }
        guard let picture else { throw WrongUse("the first frame is not encoded") }
        return (picture, byteCount)
    }

    /// Checks that every encoded frame and picture was used.
    func finish() throws {
        guard following == nil else { throw WrongUse("there are more encoded frames than the source has") }
        guard case .end = try decoded.next() else { throw WrongUse("there are more pictures than encoded frames") }
    }

    private func advance() throws {
        let previous = following?.number ?? -1
        following = try file.next(into: &payload).map { frame in
            (Int((frame.time.seconds * rate.framesPerSecond).rounded()), frame.byteCount)
        }
        guard let following else { return }
        guard following.number > previous else {
            throw WrongUse("two encoded frames are for frame \(following.number) of the source")
        }
    }
}
