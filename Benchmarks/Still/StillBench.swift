import Arguments
import RillCodec
import RillCore
import RillFiles
import Scenes

/// What the high layer of VP8 costs and shows with and without still blocks, which are not coded again.
///
///     bench-still alter   --clip C.y4m --as NAME --output A.y4m      one of the alterations of a clip
///     bench-still encode  --clip A.y4m --kilobits N --still on|off   only reads and encodes, for counting instructions
///     bench-still compare --clip A.y4m --kilobits N,N,N [--cache F]  the pictures, at equal actual rates
///     bench-still show    --clip A.y4m --kilobits N --output M.y4m   source, skipped blocks, result and its error
///     bench-still names                                              the names of the alterations
///
/// `--codec vp9` is for encode and compare, and so is `--still-speed N`, libvpx's speed with still blocks on. `--cache`
/// keeps the figures without still blocks in files whose names start with F.
@main
enum StillBench {
    static func main() {
        Arguments.run("bench-still") { arguments in
            switch arguments.verb {
            case "alter":
                let clip = try Clip(arguments["clip"])
                guard let alteration = Alteration(rawValue: try arguments["as"]) else {
                    throw WrongUse("--as is one of \(Alteration.allCases.map(\.rawValue))")
                }
                try alteration.write(clip, to: arguments["output"])
            case "encode":
                let trial = try Trial(arguments, kilobits: arguments.number("kilobits") ?? 600)
                let clip = try Y4MReader(path: arguments["clip"])
                let encoder = try trial.encoder(clip.format.resolution)
                while case .frame(let frame) = try clip.next() { try encoder.encode(frame) { _, _ in } }
                print("frames=\(encoder.statistics.framesEncoded) bytes=\(encoder.statistics.bytesEncoded)")
            case "show": try Mosaic(arguments).run()
            case "compare": try Comparison(arguments).run()
            case "names": print(Alteration.allCases.map(\.rawValue).joined(separator: " "))
            default: throw WrongUse("no verb \(arguments.verb)")
            }
        }
    }
}

/// The pictures of a clip, in memory.
struct Clip {
    let resolution: Resolution
    let frames: [VideoFrame]

    init(_ path: String) throws {
        let reader = try Y4MReader(path: path, capacity: 1000)
        var frames: [VideoFrame] = []
        while case .frame(let frame) = try reader.next() { frames.append(frame) }
        (resolution, self.frames) = (reader.format.resolution, frames)
    }
}

/// One way to encode.
struct Trial {
    var kilobits: Int
    var isStill: Bool
    private let codec: VideoCodec
    private let stillSpeed: Int?

    init(_ arguments: Arguments, kilobits: Int) throws {
        self.kilobits = kilobits
        isStill = arguments.optional("still") == "on"
        codec = arguments.optional("codec") == "vp9" ? .vp9 : .vp8
        stillSpeed = arguments.optional("still-speed").flatMap(Int.init)
    }

    func encoder(_ resolution: Resolution) throws -> VPXEncoder {
        var settings = EncoderSettings(codec)
        settings.skipsStillBlocks = isStill
        settings.speed = isStill ? stillSpeed : nil
        return try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30,
            bitrate: .kilobits(kilobits))
    }
}
