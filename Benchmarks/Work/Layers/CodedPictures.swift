import Arguments
import Rill
import RillFiles

/// What a viewer of an IVF file sees at each frame of its source: the newest picture, decoded by somebody else and
/// read from standard input.
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

    /// The picture shown at frame `number` of the source, and the bytes that were coded for that frame: 0 for one that
    /// the encoder left out. Ask for each frame, in order.
    func shown(at number: Int) throws -> (picture: VideoFrame, byteCount: Int) {
        var byteCount = 0
        if let following, following.number == number {
            guard case .frame(let frame) = try decoded.next() else {
                throw WrongUse("there are fewer pictures than coded frames")
            }
            picture = frame
            byteCount = following.byteCount
            try advance()
        }
        guard let picture else { throw WrongUse("the first frame is not coded") }
        return (picture, byteCount)
    }

    /// Checks that every coded frame and picture has had its turn.
    func finish() throws {
        guard following == nil else { throw WrongUse("there are more coded frames than the source has") }
        guard case .end = try decoded.next() else { throw WrongUse("there are more pictures than coded frames") }
    }

    private func advance() throws {
        let previous = following?.number ?? -1
        following = try file.next(into: &payload).map { frame in
            (Int((frame.time.seconds * rate.framesPerSecond).rounded()), frame.byteCount)
        }
        guard let following else { return }
        guard following.number > previous else {
            throw WrongUse("two coded frames stand for frame \(following.number) of the source")
        }
    }
}
