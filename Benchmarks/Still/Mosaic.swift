import Arguments
import RillCodec
import RillCore
import RillFiles

/// Four pictures in one, frame by frame: the source, with still blocks blackened below their middle; what decoders
/// show; its error times ten on gray; and what they show without still blocks.
struct Mosaic {
    private let clip: Clip
    private let output: String
    private let trial: Trial

    init(_ arguments: Arguments) throws {
        clip = try Clip(arguments["clip"])
        output = try arguments["output"]
        trial = try Trial(arguments, kilobits: arguments.number("kilobits") ?? 600)
    }

    func run() throws {
        let (width, height) = (clip.resolution.width, clip.resolution.height)
        let size = Resolution(width: 2 * width, height: 2 * height)
        let writer = try Y4MWriter(path: output, resolution: size, frameRate: 30)
        let pool = try FramePool(resolution: size, capacity: 2)
        var (on, off) = (trial, trial)
        (on.isStill, off.isStill) = (true, false)
        let streams = try (Stream(on, clip.resolution), Stream(off, clip.resolution))
        for (index, source) in clip.frames.enumerated() {
            let (still, usual) = (try streams.0.send(source), try streams.1.send(source))
            guard var frame = pool.makeFrame() else { throw WrongUse("no memory") }
            var planes = frame.planes
            fill(&planes.y, source.y, still.y, usual.y, streams.0.encoder.activeMap)
            fill(&planes.u, source.u, still.u, usual.u, nil)
            fill(&planes.v, source.v, still.v, usual.v, nil)
            try writer.consume(frame.finish(captureTime: FrameRate(30).time(ofFrame: index)))
        }
        try writer.finish()
    }

    /// - Parameter map: the macroblocks that were coded, for luma.
    private func fill(_ target: inout MutablePlane, _ source: Plane, _ still: Plane, _ usual: Plane, _ map: [UInt8]?) {
        let columns = (clip.resolution.width + 15) / 16
        for y in 0..<source.height {
            var (upper, error) = ([UInt8](), [UInt8]())
            for x in 0..<source.width {
                let isStill = map.map { !$0.isEmpty && $0[y / 16 * columns + x / 16] == 0 && y % 16 >= 8 } ?? false
                upper.append(isStill ? source.row(y)[x] / 4 : source.row(y)[x])
                let difference = Int(still.row(y)[x]) - Int(source.row(y)[x])
                error.append(UInt8(clamping: 128 + 10 * difference))
            }
            var row = target.row(y)
            for x in 0..<source.width { (row[x], row[source.width + x]) = (upper[x], still.row(y)[x]) }
            row = target.row(source.height + y)
            for x in 0..<source.width { (row[x], row[source.width + x]) = (error[x], usual.row(y)[x]) }
        }
    }

    /// An encoder with its decoder.
    private final class Stream {
        let encoder: VPXEncoder
        private let decoder: VPXDecoder

        init(_ trial: Trial, _ resolution: Resolution) throws {
            encoder = try trial.encoder(resolution)
            decoder = try VPXDecoder(encoder.settings.codec, poolCapacity: 2)
        }

        func send(_ source: VideoFrame) throws -> VideoFrame {
            var picture: VideoFrame?
            try encoder.encode(source) { coded, bytes in
                if case .picture(let decoded) = try decoder.decode(bytes, captureTime: coded.captureTime) {
                    picture = decoded
                }
            }
            guard let picture else { throw WrongUse("nothing was decoded") }
            return picture
        }
    }
}
