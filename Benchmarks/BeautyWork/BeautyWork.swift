import Rill
import RillBeauty
import RillFiles

/// Reads a clip and makes its pictures beautiful, and nothing else; with `off` it reads alone.
///
///     beauty-work CLIP.y4m natural|off|smoothness=0.7,… [send]
///
/// With `send` each picture also goes through the whole sending side: scaled, encoded twice, cut into packets.
@main
struct BeautyWork {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: beauty-work CLIP.y4m OPTIONS [send]")
            return
        }
        let clip = try Y4MReader(path: arguments[1])
        let options = try BeautyOptions(notation: arguments[2])
        let count = arguments.count > 3 ? try send(clip, options) : try filter(clip, options)
        print("pictures=\(count)")
    }

    private static func filter(_ clip: Y4MReader, _ options: BeautyOptions) throws -> Int {
        let pool = try FramePool(resolution: clip.format.resolution, capacity: 1)
        var filter = BeautyFilter(options)
        var count = 0
        while case .frame(let frame) = try clip.next() {
            guard try filter.apply(to: frame, into: pool) != nil else { break }
            count += 1
        }
        return count
    }

    private static func send(_ clip: Y4MReader, _ options: BeautyOptions) throws -> Int {
        let high = LayerSettings.high(clip.format.resolution, bitrate: .suggested(for: clip.format.resolution))
        var settings = SendSettings(layers: [high, .low], seed: 1)
        settings.beauty = options
        let pipeline = try SendPipeline(settings)
        var count = 0
        while case .frame(let frame) = try clip.next() {
            try pipeline.send(frame, at: frame.captureTime, to: PacketTap { _, _ in })
            count += 1
        }
        try pipeline.finish()
        return count
    }
}
