import Arguments
import Clips
import Glibc
import Rill
import RillSecurity
import RillTransport

/// A live call over UDP on this machine, with a sender, a viewer and all the threads of a call. The timestamps of every
/// frame are stored and printed at the end, in nanoseconds of one clock:
///
///     captured DUE WOKEN                                                      the capture thread, for each frame
///     sent RID TIMESTAMP CAPTURED PREPROCESSED SCALED ENCODED SENT            for each frame of each layer
///     shown RID TIMESTAMP ARRIVED ASSEMBLED RELEASED DECODED SHOWN
///     layer RID NAME=COUNT …                                                  the counts of frames and packets
struct LatencyWork {
    private let clip: HeldClip
    /// The high layer's bitrate.
    private let bitrate: Bitrate
    /// The call's length, at 30 frames per second.
    private let frameCount: Int
    /// The SRTP key of both ends.
    private let key: SRTPKey?

    /// The time limit for showing the last frames.
    private static let drainTime = MediaDuration.seconds(3)

    init(_ arguments: Arguments) throws {
        clip = try HeldClip(path: arguments["clip"])
        bitrate = try Bitrate(notation: arguments["bitrate"])
        frameCount = try arguments.number("frames") ?? 1
        key =
            switch arguments.optional("protection") {
            case nil: nil
            case "gcm"?: .generate(.aeadAES128GCM)
            case "cm"?: .generate(.aesCM128Tag80)
            case let other?: throw WrongUse("--protection \(other): expected gcm or cm")
            }
    }

    func run() throws {
        let layers = [LayerSettings.high(clip.resolution, bitrate: bitrate), .low]
        let clock = LiveClock()
        let log = LatencyLog(clock, layers: layers.map(\.rid), frameCount: frameCount)
        var settings = VideoCallSettings(layers: layers)
        settings.placement = .encoderApart
        let near = WatchedTransport(
            try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: .large), clock, log)
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0), settings: .large)

        let watching = try VideoCall(settings, source: nil, clock: clock)
        let sender = try watching.add(ParticipantSettings("sender", at: near.localAddress, key: key), over: far) {
            them in
            for layer in layers { try them.show(layer.rid, on: log.shownTap(layer.rid)) }
        }
        let source = GatedSource(Pendulum(clip.frames, count: frameCount))
        let gate = source.gate
        let sending = try VideoCall(
            settings, source: source,
            taps: SendTaps(captured: log.captureTap(), encoded: log.encodedTap()), clock: clock)
        let viewer = try sending.add(ParticipantSettings("viewer", at: far.localAddress, key: key), over: near) {
            them in
            let sources = them.statistics.session.sending.map(\.ssrc)
            near.watch(Dictionary(uniqueKeysWithValues: zip(sources, layers.map(\.rid))))
        }
        gate.add()

        let limit = clock.now + .milliseconds(frameCount * 40) + LatencyWork.drainTime
        while clock.now < limit, log.captureCount < frameCount { usleep(5000) }
        let end = clock.now + LatencyWork.drainTime
        // The last frame may still be on its way to its encoder.
        usleep(200_000)
        while clock.now < end, log.hasUnshownFrames { usleep(5000) }
        let (sent, shown, stated) = (viewer.statistics.session.sending, sender.statistics, sending.statistics.layers)
        for call in [sending, watching] { call.waitForEnd() }
        for line in log.lines { print(line) }
        for (index, layer) in stated.enumerated() {
            let received = shown.shown.first { $0.rid == layer.rid }?.received
            print("layer \(layer.rid) \(LayerCounts(layer, sent[index].stream, received).text)")
        }
        guard shown.unprotected?.refused ?? 0 == 0 else { throw WrongUse("packets were rejected: \(shown)") }
        print("frames=\(log.captureCount)")
    }
}

/// A source whose first frame waits until there is a viewer.
private final class GatedSource: FrameSource {
    let gate = Tally()
    private let source: Pendulum

    init(_ source: Pendulum) {
        self.source = source
    }

    var format: SourceFormat { source.format }

    func next() -> SourceOutput {
        while gate.count == 0 { usleep(1000) }
        return source.next()
    }
}

/// The counts of a layer's frames and packets.
private struct LayerCounts {
    var text: String

    init(_ layer: CallStatistics.Layer, _ sent: RTPStreamStatistics, _ received: ReceiveStatistics?) {
        let counts: KeyValuePairs = [
            // In processing order.
            "encoderBusy": layer.framesReplaced, "rateControl": layer.encoder.framesDropped,
            "unchanged": layer.framesUnchanged, "coded": layer.encoder.framesEncoded,
            "sizeChanges": layer.qualityLimitationResolutionChanges, "packetsSent": sent.packetsSent,
            "packetsReceived": received?.stream.packetsReceived ?? 0, "packetsLost": received?.stream.packetsLost ?? 0,
            "decoded": received?.decoder.framesDecoded ?? 0, "shown": received?.framesShown ?? 0,
        ]
        text = counts.map { "\($0)=\($1)" }.joined(separator: " ")
    }
}
