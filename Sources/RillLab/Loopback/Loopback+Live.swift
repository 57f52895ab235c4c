import Rill
public import RillCore
import RillLink
import RillThreads

extension Loopback {
    /// Runs the session live: real threads, in real time, until the source ends.
    ///
    /// - Parameter progress: is called about ten times a second with the time since the start.
    /// - Returns: the report.
    /// - Throws: an error of the source, an encoder or a sink.
    public func runLive(progress: (MediaTime) -> Void = { _ in }) throws -> LoopbackReport {
        let clock = LiveClock()
        let sender = self.sender
        let capture = self.capture
        // Retransmissions use the forward link, which is created after the return link.
        let laid = Monitor<LiveLink?>(nil)
        let returnPath = LiveLink(settings.returnPath, clock: clock) { datagram, now in
            capture?.add(datagram, .toSender, at: now)
            // Nothing arrives here before something was sent forward.
            if let way = laid.withLock({ $0 }) { sender.receive(datagram, at: now, retransmittingTo: way) }
        }
        let receiver = LiveReceiver(feedback: returnPath, clock: clock)
        for index in meters.indices {
            // Exclusive to the decoding thread until `stop` has joined it, before it is read here again.
            nonisolated(unsafe) let sink: any FrameSink = meters[index]
            try unsafe receiver.add(try receiveSettings(layer: index), sink: sink)
        }
        let recorder = self.recorder
        let way = LiveLink(settings.network, clock: clock, observer: recorder?.linkObserver) { datagram, now in
            capture?.add(datagram, .toReceiver, at: now)
            recorder?.noteArrival(datagram, at: now)
            receiver.insert(datagram)
        }
        laid.withLock { $0 = way }
        // Exclusive to the capture thread from here on: a loopback runs once.
        nonisolated(unsafe) let source = self.source
        let live = unsafe LiveSender(sender, source: source, packets: way, clock: clock)
        while !live.isFinished {
            clock.sleep(until: clock.now + .milliseconds(100))
            progress(clock.now)
            recorder?.network?.look(at: sender, at: clock.now)
        }
        let drainEnd = clock.now + Self.drainTime
        while clock.now < drainEnd, !(way.isIdle && receiver.isIdle) {
            clock.sleep(until: clock.now + .milliseconds(5))
        }
        // Whatever failed, no thread outlives the session.
        let failure = Result { try live.waitUntilFinished() }
        way.stop()
        returnPath.stop()
        try receiver.stop()
        try failure.get()
        try capture?.finish()
        return report(
            mode: "live", duration: live.duration, framesCaptured: live.framesCaptured,
            framesDropped: live.framesDropped,
            received: sender.layers.map { layer in
                guard let statistics = receiver.statistics(of: layer.ssrc) else {
                    preconditionFailure("the layer \(layer.settings.rid) was added above")
                }
                return statistics
            }, interruption: live.sourceFailure)
    }
}
