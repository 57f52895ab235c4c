import Rill
import RillCore
import RillFiles

/// The whole sending side, as fast as it goes: a clip's pictures, two encoders, packets, sockets.
struct SendWork {
    var clip: String
    /// Where each layer's packets go to.
    var high: UDPAddress
    var low: UDPAddress
    var bitrate: Bitrate
    var lowBitrate: Bitrate
    /// Of each encoder; with one the whole process has but one, else reading and the low layer have one of their own.
    var threadCount: Int

    /// One is encoded and one is read; where several threads work, one waits between them.
    private var pictureCount: Int { threadCount > 1 ? 3 : 2 }

    func run() throws -> Int {
        let clip = try Y4MReader(path: clip, capacity: pictureCount)
        var layers = [LayerSettings.high(clip.format.resolution, bitrate: bitrate), LayerSettings.low]
        layers[0].encoder.threadCount = threadCount
        layers[1].bitrate = lowBitrate
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1))
        let packets = LayerSockets(
            highSource: pipeline.ssrc(of: .high), high: try ConnectedUDPSocket(to: high),
            low: try ConnectedUDPSocket(to: low))
        guard threadCount == 1 else {
            let count = try pipeline.send(allOf: clip, to: packets)
            try pipeline.finish()
            return count
        }
        var count = 0
        while case .frame(let frame) = try clip.next() {
            try pipeline.send(frame, at: frame.captureTime, to: packets)
            count += 1
        }
        try pipeline.finish()
        return count
    }
}

/// Each layer's packets to a port of their own, as FFmpeg and GStreamer send theirs.
private final class LayerSockets: PacketSink, Sendable {
    private let highSource: SSRC
    private let high: ConnectedUDPSocket
    private let low: ConnectedUDPSocket

    init(highSource: SSRC, high: ConnectedUDPSocket, low: ConnectedUDPSocket) {
        self.highSource = highSource
        self.high = high
        self.low = low
    }

    func send(_ packet: Span<UInt8>, at time: MediaTime) {
        let socket = SSRC(ofSenderOf: packet) == highSource ? high : low
        socket.send(packet, at: time)
    }
}

/// The high layer's packets, each stamped with its picture's time: what receivers are given.
struct PacketWork {
    var clip: String
    var output: String
    var bitrate: Bitrate

    func run() throws -> Int {
        let clip = try Y4MReader(path: clip, capacity: 2)
        let packets = try RTPDumpWriter(path: output)
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(clip.format.resolution, bitrate: bitrate)], seed: 1))
        var count = 0
        while case .frame(let frame) = try clip.next() {
            try pipeline.send(frame, at: frame.captureTime, to: packets)
            count += 1
        }
        try pipeline.finish()
        try packets.finish()
        return count
    }
}
