import Rill
import RillFiles

/// The whole sending side in virtual time, and nothing else: reads a clip, encodes the high and the low layer, cuts
/// both into packets, and drops the packets.
///
///     send-side CLIP.y4m --bitrate 1500k --low-bitrate 45k
///
/// It prints what that came to: `coded high=BYTES low=BYTES`, `packets=COUNT`.
@main
struct SendSide {
    static func main() throws {
        guard let options = try Options(Array(CommandLine.arguments.dropFirst())) else {
            print("usage: send-side CLIP.y4m --bitrate RATE --low-bitrate RATE")
            return
        }
        let clip = try Y4MReader(path: options.clip)
        var low = LayerSettings.low
        low.bitrate = options.lowBitrate
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(clip.format.resolution, bitrate: options.bitrate), low], seed: 1),
            taps: SendTaps(encoded: CodedByteCounter()))
        var packetCount = 0
        let packets = PacketTap { _, _ in packetCount += 1 }

        while case .frame(let frame) = try clip.next() {
            let now = frame.captureTime
            try pipeline.send(frame, at: now, to: packets)
            pipeline.sendReports(at: now, to: packets)
        }
        try pipeline.finish()
        print("packets=\(packetCount)")
    }
}

/// What stands on the command line.
private struct Options {
    var clip: String
    var bitrate = Bitrate.kilobits(1500)
    var lowBitrate = Bitrate.kilobits(45)

    /// `nil` when the arguments are not those that `usage` shows.
    init?(_ arguments: [String]) throws {
        guard let clip = arguments.first, arguments.count % 2 == 1 else { return nil }
        self.clip = clip
        for index in stride(from: 1, to: arguments.count, by: 2) {
            let value = try Bitrate(notation: arguments[index + 1])
            switch arguments[index] {
            case "--bitrate": bitrate = value
            case "--low-bitrate": lowBitrate = value
            default: return nil
            }
        }
    }
}

/// Sums up what the encoders make, and says it at the end.
private final class CodedByteCounter: EncodedFrameSink {
    private var highByteCount = 0
    private var lowByteCount = 0

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        if frame.layer.rid == .high { highByteCount += payload.count } else { lowByteCount += payload.count }
    }

    func finish() { print("coded high=\(highByteCount) low=\(lowByteCount)") }
}
