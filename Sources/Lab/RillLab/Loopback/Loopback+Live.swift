import Rill
public import RillCore
import RillLink
import RillSession
import RillThreads

extension Loopback {
    /// Runs the session live: two calls with real threads, in real time, until the source ends.
    ///
    /// The receiving call knows the sender's streams from a session description, as apps exchange them.
    ///
    /// - Parameter progress: is called about ten times a second with the time since the start.
    /// - Returns: the report.
    /// - Throws: an error of the source, an encoder or a sink.
    public func runLive(progress: (MediaTime) -> Void = { _ in }) throws -> LoopbackReport {
        let clock = LiveClock()
        let (recorder, capture) = (recorder, capture)
        let (near, far) = LinkTransport.pair(
            settings.network, back: settings.returnPath, clock: clock, sent: recorder?.linkObserver
        ) { datagram, now, isForward in
            capture?.add(datagram, isForward ? .toReceiver : .toSender, at: now)
            if isForward { recorder?.noteArrival(datagram, at: now) }
        }
        var call = VideoCallSettings(layers: settings.layers)
        call.send = sender.settings
        // Exclusive to the capture thread from here on: a loopback runs once.
        let gate = AwaitingSource.Gate()
        nonisolated(unsafe) let source: any FrameSource = AwaitingSource(self.source, gate)
        let sending = try unsafe VideoCall(call, source: source, through: sender, clock: clock)
        let receiving = try VideoCall(call, source: nil, clock: clock)
        // Whatever fails, no thread outlives the session.
        defer {
            gate.open()
            sending.endNow()
            receiving.endNow()
        }
        let (us, them) = try join(sending, near, receiving, far)
        gate.open()
        guard let encoders = sending.encoders else { preconditionFailure("a call with a source encodes it") }
        while !encoders.isFinished {
            clock.sleep(until: clock.now + .milliseconds(100))
            progress(clock.now)
            recorder?.network?.look(sender.statistics.map(\.targetBitrate), us.statistics.session, at: clock.now)
        }
        let drainEnd = clock.now + Self.drainTime
        while clock.now < drainEnd, !(us.isIdle && far.isIdle && them.isIdle) {
            clock.sleep(until: clock.now + .milliseconds(5))
        }
        let sent = us.statistics.session.sending
        receiving.endNow()
        sending.endNow()
        try encoders.waitUntilFinished()
        for meter in meters { if let failure = meter.failure { throw failure } }
        try capture?.finish()
        let received = receiving.statistics.participants.first?.shown ?? []
        return report(
            mode: "live", duration: encoders.duration, framesCaptured: encoders.framesCaptured,
            framesDropped: encoders.framesDropped,
            sent: zip(sender.statistics, sent).map { layer, stream in
                var layer = layer
                (layer.ssrc, layer.stream) = (stream.ssrc, stream.stream)
                return layer
            }, received: received.map(\.received), interruption: encoders.sourceFailure)
    }

    /// Lets the two calls know each other: the receiving one shows each layer to its meter.
    private func join(
        _ sending: VideoCall, _ near: LinkTransport, _ receiving: VideoCall, _ far: LinkTransport
    ) throws -> (us: CallParticipant, them: CallParticipant) {
        var viewer = ParticipantSettings("receiver", at: far.localAddress, key: nil)
        viewer.streams = []
        let us = try sending.add(viewer, over: near)
        var sender = ParticipantSettings("sender", at: near.localAddress, key: nil)
        let streams = try us.description(at: far.localAddress).streams(.send)
        sender.streams = streams
        recorder?.follow(streams)
        let them = try receiving.add(sender, over: far) { them in
            for (index, layer) in them.layers.enumerated() {
                // Exclusive to the decoding thread until the call has ended, before it is read here again.
                nonisolated(unsafe) let sink: any FrameSink = meters[index]
                try unsafe them.show(layer, on: sink) { adjust(&$0, layer: index) }
            }
        }
        return (us, them)
    }
}

/// A source whose first frame waits until a gate is opened: both ends of a call exist by then.
private final class AwaitingSource: FrameSource {
    private let source: any FrameSource
    private let gate: Gate

    init(_ source: any FrameSource, _ gate: Gate) { (self.source, self.gate) = (source, gate) }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        gate.pass()
        return try source.next()
    }

    /// Any thread opens it.
    final class Gate: Sendable {
        private let isOpen = Monitor(false)
        func open() { isOpen.change { $0 = true } }
        func pass() { isOpen.wait { $0 ? () : nil } }
    }
}
