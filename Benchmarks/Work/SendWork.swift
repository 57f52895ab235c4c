import Arguments
import Rill
import RillBeauty
import RillCore
import RillFiles

/// The whole sending side, as fast as possible: a clip's pictures, two encoders, and packets, which are sent to sockets
/// or discarded.
///
///     send --clip C [--bitrate 1500k] [--low-bitrate 45k] [--threads 1] [--beauty natural] [--still-blocks on]
///          [--high ADDRESS --low ADDRESS]
struct SendWork {
    private let clip: String
    private let settings: SendSettings
    private let sockets: (high: ConnectedUDPSocket, low: ConnectedUDPSocket)?
    /// The threads of each encoder. With one, the whole process has only one thread; otherwise reading and the low
    /// layer each have another.
    private let threadCount: Int

    init(_ arguments: Arguments) throws {
        threadCount = try arguments.number("threads") ?? 1
        clip = try arguments["clip"]
        let size = try Y4MReader(path: clip).format.resolution
        let bitrate = try arguments.optional("bitrate").map { try Bitrate(notation: $0) }
        var layers = [LayerSettings.high(size, bitrate: bitrate ?? .suggested(for: size)), LayerSettings.low]
        layers[0].encoder.threadCount = threadCount
        for index in layers.indices {
            layers[index].encoder.skipsStillBlocks = arguments.optional("still-blocks") == "on"
        }
        if let bitrate = arguments.optional("low-bitrate") { layers[1].bitrate = try Bitrate(notation: bitrate) }
        var settings = SendSettings(layers: layers, seed: 1)
        if let beauty = arguments.optional("beauty") { settings.beauty = try BeautyOptions(notation: beauty) }
        self.settings = settings
        if let high = arguments.optional("high") {
            sockets = (
                try ConnectedUDPSocket(to: UDPAddress.resolve(high)),
                try ConnectedUDPSocket(to: UDPAddress.resolve(arguments["low"]))
            )
        } else {
            sockets = nil
        }
    }

    func run() throws {
        // One picture is encoded and one is read; with several threads, one waits between them.
        let clip = try Y4MReader(path: clip, capacity: threadCount > 1 ? 3 : 2)
        let bytes = CodedBytes()
        let pipeline = try PacketSender(settings, taps: SendTaps(encoded: bytes))
        let highSource = pipeline.ssrc(of: .high)
        // Each layer's packets are sent to a separate port, as with FFmpeg and GStreamer.
        let packets = ConcurrentPacketTap { [sockets] packet, time in
            guard let sockets else { return }
            (SSRC(ofSenderOf: packet) == highSource ? sockets.high : sockets.low).send(packet, at: time)
        }
        var count = 0
        if threadCount > 1 {
            count = try pipeline.send(allOf: clip, to: packets)
        } else {
            while case .frame(let frame) = try clip.next() {
                try pipeline.send(frame, at: frame.captureTime, to: packets)
                pipeline.sendReports(at: frame.captureTime, to: packets)
                count += 1
            }
        }
        try pipeline.finish()
        print("frames=\(count)")
    }
}

/// Sums up the encoders' output, and prints it at the end.
private final class CodedBytes: EncodedFrameSink {
    private var (high, low) = (0, 0)

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        if frame.layer.rid == .high { high += payload.count } else { low += payload.count }
    }

    func finish() { print("high=\(high) low=\(low)") }
}
