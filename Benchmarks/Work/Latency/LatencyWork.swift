import Arguments
import Clips
import Glibc
import Rill

/// A live call with oneself over the machine's own UDP, as an app has it: capture, encoding, receiving and decoding each
/// on threads of their own. The stamps of every frame are kept and printed at the end, in nanoseconds of one clock:
///
///     captured DUE WOKEN                                                      the capture thread, for each frame
///     sent RID TIMESTAMP CAPTURED PREPROCESSED SCALED ENCODED SENT            for each frame of each layer
///     shown RID TIMESTAMP ARRIVED ASSEMBLED RELEASED DECODED SHOWN
///     layer RID NAME=COUNT …                                                  what became of frames and packets
struct LatencyWork {
    private let clip: HeldClip
    /// Of the high layer.
    private let bitrate: Bitrate
    /// How long it lasts: at 30 frames a second.
    private let frameCount: Int

    /// So long the last frames may take to be shown.
    private static let drainTime = MediaDuration.seconds(3)

    init(_ arguments: Arguments) throws {
        clip = try HeldClip(path: arguments["clip"])
        bitrate = try Bitrate(notation: arguments["bitrate"])
        frameCount = try arguments.number("frames") ?? 1
    }

    func run() throws {
        let source = Pendulum(clip.frames, count: frameCount)
        let layers = [LayerSettings.high(source.format.resolution, bitrate: bitrate), .low]
        let clock = LiveClock()
        let log = LatencyLog(clock, layers: layers.map(\.rid), frameCount: frameCount)
        var settings = SendSettings(layers: layers, seed: 1)
        // What is asked for again is sent as it was: the receiver need not be told of a second stream.
        settings.retransmissionPayloadType = nil
        let pipeline = try SendPipeline(settings, taps: SendTaps(captured: log.captureTap(), encoded: log.encodedTap()))

        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: .large)
        let near = try ConnectedUDPSocket(to: far.localAddress, settings: .large)
        let feedback = FeedbackSocket(far, to: near.localAddress)
        let receiver = LiveReceiver(feedback: feedback, clock: clock, placement: .encoderApart)
        for layer in layers {
            let ssrc = pipeline.ssrc(of: layer.rid)
            let stream = JitterBufferSettings(ssrc: ssrc, payloadType: settings.payloadType, rid: layer.rid)
            // The receiver's own source number: any that no stream has.
            let receive = ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(ssrc.rawValue ^ 0x8000_0000))
            try receiver.add(receive, sink: log.shownTap(layer.rid))
        }
        let arrivals = SocketListener("rill-receive", far) { receiver.insert($0) }
        let sender = LiveSender(
            pipeline, source: source, packets: log.packetSink(near, of: pipeline), clock: clock,
            placement: .encoderApart)
        let reports = SocketListener("rill-feedback", near) { sender.receive($0) }

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
        guard feedback.failedCount == 0 else {
            throw WrongUse("\(feedback.failedCount) reports of the receiver could not be sent")
        }
        print("frames=\(sender.framesCaptured)")
    }
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
