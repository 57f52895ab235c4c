package import Rill
package import RillCore

/// A call in virtual time: what a pipeline sends goes over a link to another one, and what that says goes back over a second link.
///
///     let call = try VirtualCall(pipeline, source: clip, over: VirtualLink(network), back: VirtualLink(network)) { feedback in
///         try ReceivePipeline(settings, sink: screen, feedback: feedback)
///     }
///     try call.run(drainingFor: .seconds(2))
///
/// The one place where two ends are joined that run pipelines with codecs; what is looked at on the way are ``Taps``.
package final class VirtualCall {
    /// What captures, encodes and sends.
    package let sender: VirtualSender<PacketTap>
    /// What receives, decodes and shows.
    package let receiver: VirtualReceiver<PacketTap>
    /// The link to the receiver.
    package let way: VirtualLink
    private let returnPath: VirtualLink
    private let driver: VirtualDriver

    /// What is looked at on the way, and what is held back.
    package struct Taps {
        /// Asked for each packet that is sent for the first time, and each report: whether it leaves.
        package var leaves: (Span<UInt8>, MediaTime) -> Bool = { _, _ in true }
        /// Told of what the receiver says, as it leaves.
        package var said: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
        /// Told of each datagram that arrives, before it is taken.
        package var arrived: (LinkDirection, Span<UInt8>, MediaTime) -> Void = { _, _, _ in }
        /// Told of each datagram that the receiver has taken.
        package var taken: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
        /// What the receiver says is heard.
        package var isHeard = true
        /// What it asks for is retransmitted.
        package var retransmits = true

        /// All is heard and nothing held back.
        package init() {}
    }

    /// A call that begins with the source's first frame.
    ///
    /// - Parameter receiving: makes what receives, with the sink for what it says.
    package init(
        _ pipeline: SendPipeline, source: any FrameSource, encodeTime: MediaDuration = .zero,
        decodeTime: MediaDuration = .zero, over way: VirtualLink, back returnPath: VirtualLink, _ taps: Taps = Taps(),
        receiving: (PacketTap) throws -> ReceivePipeline<PacketTap>
    ) rethrows {
        let feedback = PacketTap { packet, time in
            taps.said(packet, time)
            returnPath.send(packet, at: time)
        }
        let receiver = VirtualReceiver(try receiving(feedback), decodeTime: decodeTime)
        let packets = PacketTap { packet, time in
            if taps.leaves(packet, time) { way.send(packet, at: time) }
        }
        sender = VirtualSender(pipeline, source: source, packets: packets, encodeTime: encodeTime)
        way.connect { datagram, now in
            taps.arrived(.toReceiver, datagram, now)
            receiver.insert(datagram, at: now)
            taps.taken(datagram, now)
        }
        // Unowned: the way there holds the receiver, and that the return path.
        returnPath.connect { [unowned way] datagram, now in
            taps.arrived(.toSender, datagram, now)
            guard taps.isHeard else { return }
            if taps.retransmits {
                pipeline.receive(datagram, at: now, retransmittingTo: way)
            } else {
                pipeline.receive(datagram, at: now, retransmittingTo: PacketTap { _, _ in })
            }
        }
        (self.receiver, self.way, self.returnPath) = (receiver, way, returnPath)
        driver = VirtualDriver([sender, way, returnPath, receiver])
    }

    /// The time that it is.
    package var now: MediaTime { driver.now }

    /// Runs until the source has ended, and for `time` longer.
    package func run(drainingFor time: MediaDuration) throws {
        try driver.run { sender.isDone }
        try driver.run(until: driver.now + time)
    }

    /// Runs until the source has ended and what is on its way was shown, for `limit` longer at the most: a chain that stays broken
    /// would ask for key frames for ever.
    ///
    /// - Parameter progress: is called after each step.
    package func run(settlingWithin limit: MediaDuration, progress: () -> Void = {}) throws {
        var end = MediaTime.distantFuture
        try driver.run {
            progress()
            guard sender.isDone else { return false }
            if end == .distantFuture { end = driver.now + limit }
            return driver.now >= end || (way.isIdle && receiver.isIdle)
        }
    }
}
