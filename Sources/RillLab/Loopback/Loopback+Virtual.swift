import Rill
public import RillCore
import RillLink
import RillReceive
import RillSession

extension Loopback {
    /// Runs the session in virtual time, as fast as the cores go.
    ///
    /// - Parameter progress: is called after each captured frame with the virtual time.
    /// - Throws: an error of the source, an encoder or a sink.
    public func runInVirtualTime(progress: (MediaTime) -> Void = { _ in }) throws -> LoopbackReport {
        let way = VirtualLink(settings.network)
        let wayBack = VirtualLink(settings.wayBack)
        let capture = VirtualSender(sender, source: source, packets: way, encodeTime: settings.encodeTime)
        let receiving = ReceivePipeline(
            on: SharedSession(settings.receivingSession(seed: sender.settings.seed)), feedback: wayBack)
        let streams = try meters.indices.map { index in
            try receiving.add(try receiveSettings(layer: index), sink: meters[index], at: .zero)
        }
        let receiver = VirtualReceiver(receiving, decodeTime: settings.decodeTime)
        if let recorder { way.observe(recorder.linkObserver) }
        way.connect { [recorder, capture = self.capture] datagram, now in
            capture?.add(datagram, .toReceiver, at: now)
            recorder?.noteArrival(datagram, at: now)
            receiver.insert(datagram, at: now)
        }
        // Unowned: the way there holds the receiver, and that one the way back.
        wayBack.connect { [sender, unowned way, capture = self.capture] datagram, now in
            capture?.add(datagram, .toSender, at: now)
            sender.receive(datagram, at: now, resendingTo: way)
        }

        let driver = VirtualDriver([capture, way, wayBack, receiver])
        var framesSeen = 0
        var drainEnd = MediaTime.distantFuture
        try driver.run {
            if capture.framesCaptured != framesSeen {
                framesSeen = capture.framesCaptured
                progress(driver.now)
            }
            guard capture.isDone else { return false }
            // What is on its way still arrives; a chain that stays broken would ask for key frames for ever.
            if drainEnd == .distantFuture { drainEnd = driver.now + Self.drainTime }
            return driver.now >= drainEnd || (way.isIdle && receiver.isIdle)
        }
        try receiving.finish()
        try sender.finish()
        try self.capture?.finish()
        return report(
            mode: "virtual", duration: capture.duration, framesCaptured: capture.framesCaptured,
            framesDropped: capture.framesDropped, received: streams.compactMap { receiving.statistics(of: $0) },
            interruption: capture.sourceFailure)
    }

    /// How long after its last frame a session waits for what is still on its way.
    static let drainTime = MediaDuration.seconds(3)
}
