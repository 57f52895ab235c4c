import Glibc
import Rill
import RillCore

/// A live call with oneself over the machine's own UDP, as an app has it: capture, encoding, receiving and decoding each
/// on threads of their own. The stamps of every frame are kept and printed at the end, in nanoseconds of one clock:
///
///     bare DUE WOKEN HANDED                                                   before it, two threads that do nothing else
///     captured DUE WOKEN                                                      the capture thread, for each frame
///     sent RID TIMESTAMP CAPTURED PREPROCESSED SCALED ENCODED SENT            for each frame of each layer
///     shown RID TIMESTAMP ARRIVED ASSEMBLED RELEASED DECODED SHOWN
///     layer RID NAME=COUNT …                                                  what became of frames and packets
struct LatencyWork {
    /// Y4M.
    var clip: String
    /// Of the high layer.
    var bitrate: Bitrate
    /// How long it lasts: at 30 frames a second.
    var frameCount: Int

    /// So long the last frames may take to be shown.
    private static let drainTime = MediaDuration.seconds(3)

    func run() throws -> Int {
        let source = HeldClipSource(try HeldClip(path: clip), frameCount: frameCount)
        let layers = [LayerSettings.high(source.format.resolution, bitrate: bitrate), .low]
        let clock = LiveClock()
        for line in WakeProbe(clock: clock, frameCount: frameCount).run() { print(line) }
        let log = LatencyLog(clock, layers: layers.map(\.rid), frameCount: frameCount)
        var settings = SendSettings(layers: layers, seed: 1)
        // What is asked for again is sent as it was: the receiver need not be told of a second stream.
        settings.retransmissionPayloadType = nil
        let pipeline = try SendPipeline(settings, taps: SendTaps(captured: log.captureTap(), encoded: log.encodedTap()))

        var buffers = UDPSocket.Settings()
        buffers.receiveBufferByteCount = 4 << 20
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: buffers)
        let near = try ConnectedUDPSocket(to: far.localAddress, settings: buffers)
        let feedback = FeedbackSocket(far, to: near.localAddress)
        let receiver = LiveReceiver(feedback: feedback, clock: clock, placement: .encoderApart)
        for layer in layers {
            let ssrc = pipeline.ssrc(of: layer.rid)
            let stream = JitterBufferSettings(ssrc: ssrc, payloadType: settings.payloadType, rid: layer.rid)
            // The receiver's own source number: any that no stream has.
            let receive = ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(ssrc.rawValue ^ 0x8000_0000))
            try receiver.add(receive, sink: log.shownTap(layer.rid))
        }
        let arrivals = SocketListener("rill-receive", far, on: .allButLast) { receiver.insert($0) }
        let sender = LiveSender(
            pipeline, source: source, packets: log.packetSink(near, of: pipeline), clock: clock,
            placement: .encoderApart)
        let reports = SocketListener("rill-feedback", near, on: .allButLast) { sender.receive($0) }

        let failure = Result { try sender.waitUntilFinished() }
        let end = clock.now + LatencyWork.drainTime
        while clock.now < end, log.hasUnshownFrames || !receiver.isIdle { usleep(5000) }
        // Whatever failed, no thread goes on.
        try arrivals.stop()
        try reports.stop()
        try receiver.stop()
        try failure.get()
        for line in log.lines { print(line) }
        for (index, layer) in layers.enumerated() {
            let counts = LayerCounts(
                pipeline.statistics[index], busyDrops: sender.framesDropped[index],
                receiver.statistics(of: pipeline.ssrc(of: layer.rid)))
            print("layer \(layer.rid) \(counts.text)")
        }
        if feedback.failedCount > 0 { throw FeedbackFailed(count: feedback.failedCount) }
        return sender.framesCaptured
    }
}

/// The system would not take so many reports of the receiver.
private struct FeedbackFailed: Error, CustomStringConvertible {
    let count: Int
    var description: String { "\(count) reports of the receiver could not be sent" }
}

/// What became of a layer's frames and packets.
private struct LayerCounts {
    var text: String

    init(_ sent: SendStatistics, busyDrops: Int, _ received: ReceiveStatistics?) {
        let counts: KeyValuePairs = [
            // In the order of the way.
            "encoderBusy": busyDrops, "rateControl": sent.encoder.framesDropped, "unchanged": sent.framesUnchanged,
            "coded": sent.encoder.framesEncoded, "sizeChanges": sent.qualityLimitationResolutionChanges,
            "packetsSent": sent.stream.packetsSent, "packetsReceived": received?.stream.packetsReceived ?? 0,
            "packetsLost": received?.stream.packetsLost ?? 0, "decoded": received?.decoder.framesDecoded ?? 0,
            "shown": received?.framesShown ?? 0,
        ]
        text = counts.map { "\($0)=\($1)" }.joined(separator: " ")
    }
}
