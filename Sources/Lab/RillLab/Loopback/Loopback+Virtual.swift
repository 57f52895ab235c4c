import Rill
public import RillCore
import RillLink
import RillRTP
import RillReceive
import RillSession

extension Loopback {
    /// Runs the session in virtual time, as fast as possible.
    ///
    /// - Parameter progress: is called after each captured frame with the virtual time.
    /// - Returns: the report.
    /// - Throws: an error of the source, an encoder or a sink.
    public func runInVirtualTime(progress: (MediaTime) -> Void = { _ in }) throws -> LoopbackReport {
        var taps = VirtualCall.Taps()
        taps.arrived = { [recorder, capture] direction, datagram, now in
            capture?.add(datagram, direction, at: now)
            if direction == .toReceiver { recorder?.noteArrival(datagram, at: now) }
        }
        let packetSender = try PacketSender(sender)
        let descriptions = packetSender.streams
        recorder?.follow(descriptions)
        let call = VirtualCall(
            packetSender, source: source, encodeTime: settings.encodeTime, decodeTime: settings.decodeTime,
            over: VirtualLink(settings.network), back: VirtualLink(settings.returnPath), taps
        ) { feedback in
            ReceivePipeline(
                on: SharedSession(settings.receivingSession(seed: sender.settings.seed)), feedback: feedback)
        }
        if let recorder { call.way.observe(recorder.linkObserver) }
        let receiving = call.receiver.pipeline
        let streams = try meters.indices.map { index in
            // The receiver's own SSRC: any that differs from those of the streams.
            var receive = try ReceiveSettings(
                descriptions[index],
                ssrc: SSRC(packetSender.ssrc(of: settings.layers[index].rid).rawValue ^ 0x8000_0000))
            adjust(&receive, layer: index)
            return try receiving.add(receive, sink: meters[index], at: .zero)
        }
        var framesSeen = 0
        try call.run(drainingWithin: Self.drainTime) {
            recorder?.network?.look(
                sender.statistics.map(\.targetBitrate), packetSender.session.look { $0.statistics }, at: call.now)
            guard call.sender.framesCaptured != framesSeen else { return }
            framesSeen = call.sender.framesCaptured
            progress(call.now)
        }
        try receiving.finish()
        try sender.finish()
        try capture?.finish()
        return report(
            mode: "virtual", duration: call.sender.duration, framesCaptured: call.sender.framesCaptured,
            framesDropped: call.sender.framesDropped, sent: packetSender.statistics,
            received: streams.compactMap { receiving.statistics(of: $0) },
            interruption: call.sender.sourceFailure)
    }

    /// How long after its last frame a session waits for what is still in flight.
    static let drainTime = MediaDuration.seconds(3)
}
