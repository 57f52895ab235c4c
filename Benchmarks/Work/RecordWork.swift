import Arguments
import Clips
import Rill
import RillFiles

/// Records both layers' packets, or only the high layer's, in a file for each layer, with the capture times of their
/// pictures.
///
///     record --clip C --high FILE [--low FILE --low-stream 45k@5] --bitrate B --seconds S
struct RecordWork {
    private let clip: HeldClip
    private let high: RTPDumpWriter
    private let low: RTPDumpWriter?
    private let layers: [LayerSettings]
    private let seconds: Double

    init(_ arguments: Arguments) throws {
        seconds = try arguments.seconds()
        clip = try HeldClip(path: arguments["clip"])
        high = try RTPDumpWriter(path: arguments["high"])
        low = try arguments.optional("low").map { try RTPDumpWriter(path: $0) }
        var layers = [LayerSettings.high(clip.resolution, bitrate: try Bitrate(notation: arguments["bitrate"]))]
        if low != nil { layers.append(try .low(notation: arguments["low-stream"])) }
        self.layers = layers
    }

    func run() throws {
        let pipeline = try PacketSender(SendSettings(layers: layers, seed: 1))
        let highSource = pipeline.ssrc(of: .high)
        let packets = PacketTap { packet, time in
            (SSRC(ofSenderOf: packet) == highSource ? high : low)?.send(packet, at: time)
        }
        let source = Pendulum(clip.frames)
        var count = 0
        while case .frame(let frame) = source.next(), frame.captureTime.seconds < seconds {
            try pipeline.send(frame, at: frame.captureTime, to: packets)
            count += 1
        }
        try pipeline.finish()
        try high.finish()
        try low?.finish()
        print("frames=\(count)")
    }
}
