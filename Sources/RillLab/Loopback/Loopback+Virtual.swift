import Rill
public import RillCore
import RillLink
import RillReceive

extension Loopback {
    /// Runs the session in virtual time, as fast as the cores go.
    ///
    /// - Parameter progress: is called after each captured frame with the virtual time.
    /// - Throws: an error of the source, an encoder or a sink.
    public func runInVirtualTime(progress: (MediaTime) -> Void = { _ in }) throws -> LoopbackReport {
        let way = VirtualLink(settings.network)
        let wayBack = VirtualLink(settings.wayBack)
        let capture = VirtualSender(sender, source: source, packets: way, encodeTime: settings.encodeTime)
        let receivers = try meters.indices.map { index in
            VirtualReceiver(
                try ReceivePipeline(try receiveSettings(layer: index), sink: meters[index], feedback: wayBack),
                decodeTime: settings.decodeTime)
        }
        var routes = try StreamRoutes(meters.indices.map { try receiveSettings(layer: $0).stream })
        if let recorder { way.observe(recorder.linkObserver) }
        way.connect { [recorder, capture = self.capture] datagram, now in
            capture?.add(datagram, .toReceiver, at: now)
            recorder?.noteArrival(datagram, at: now)
            routes.route(datagram) { receivers[$0].insert($1, at: now) }
        }
        // Unowned: the way there holds the receivers, and they the way back.
        wayBack.connect { [sender, unowned way, capture = self.capture] datagram, now in
            capture?.add(datagram, .toSender, at: now)
            sender.receive(datagram, at: now, resendingTo: way)
        }

        let driver = VirtualDriver([capture, way, wayBack] + receivers)
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
            return driver.now >= drainEnd || (way.isIdle && receivers.allSatisfy(\.isIdle))
        }
        for receiver in receivers { try receiver.pipeline.finish() }
        try sender.finish()
        try self.capture?.finish()
        return report(
            mode: "virtual", duration: capture.duration, framesCaptured: capture.framesCaptured,
            framesDropped: capture.framesDropped, received: receivers.map(\.pipeline.statistics),
            interruption: capture.sourceFailure)
    }

    /// How long after its last frame a session waits for what is still on its way.
    static let drainTime = MediaDuration.seconds(3)
}
