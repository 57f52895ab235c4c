import Rill
public import RillCore
import RillLink
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
            capture?.add(datagram, direction == .toReceiver ? .toReceiver : .toSender, at: now)
            if direction == .toReceiver { recorder?.noteArrival(datagram, at: now) }
        }
        let call = VirtualCall(
            sender, source: source, encodeTime: settings.encodeTime, decodeTime: settings.decodeTime,
            over: VirtualLink(settings.network), back: VirtualLink(settings.returnPath), taps
        ) { feedback in
            ReceivePipeline(
                on: SharedSession(settings.receivingSession(seed: sender.settings.seed)), feedback: feedback)
        }
        if let recorder { call.way.observe(recorder.linkObserver) }
        let receiving = call.receiver.pipeline
        let streams = try meters.indices.map { index in
            try receiving.add(try receiveSettings(layer: index), sink: meters[index], at: .zero)
        }
        var framesSeen = 0
        try call.run(drainingWithin: Self.drainTime) {
            recorder?.network?.look(at: sender, at: call.now)
            guard call.sender.framesCaptured != framesSeen else { return }
            framesSeen = call.sender.framesCaptured
            progress(call.now)
        }
        try receiving.finish()
        try sender.finish()
        try capture?.finish()
        return report(
            mode: "virtual", duration: call.sender.duration, framesCaptured: call.sender.framesCaptured,
            framesDropped: call.sender.framesDropped, received: streams.compactMap { receiving.statistics(of: $0) },
            interruption: call.sender.sourceFailure)
    }

    /// How long after its last frame a session waits for what is still in flight.
    static let drainTime = MediaDuration.seconds(3)
}
