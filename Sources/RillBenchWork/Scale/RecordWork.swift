import Rill
import RillCore
import RillFiles

/// Both layers' packets, each into a file of its own, stamped with their pictures' times.
struct RecordWork {
    var clip: String
    var high: String
    var lowPath: String
    var bitrate: Bitrate
    var low: LowStream
    var seconds: Double

    func run() throws -> Int {
        let clip = try HeldClip(path: clip, resolution: nil)
        let layers = [LayerSettings.high(clip.resolution, bitrate: bitrate), low.settings]
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1))
        let files = (high: try RTPDumpWriter(path: high), low: try RTPDumpWriter(path: lowPath))
        let highSource = pipeline.ssrc(of: .high)
        let packets = PacketTap { packet, time in
            (SSRC(ofSenderOf: packet) == highSource ? files.high : files.low).send(packet, at: time)
        }
        let source = HeldClipSource(clip, from: 0)
        var count = 0
        while case .frame(let frame) = source.next(), frame.captureTime.seconds < seconds {
            try pipeline.send(frame, at: frame.captureTime, to: packets)
            count += 1
        }
        try pipeline.finish()
        try files.high.finish()
        try files.low.finish()
        return count
    }
}
