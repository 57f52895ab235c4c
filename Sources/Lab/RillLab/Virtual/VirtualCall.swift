package import Rill
package import RillCore

/// A call in virtual time: one end sends over a link to another one, whose feedback returns over a second link.
///
/// ```swift
/// let call = try VirtualCall(
///     sender, source: clip, over: VirtualLink(network), back: VirtualLink(network)
/// ) { feedback in
///     try ReceivePipeline(settings, sink: screen, feedback: feedback)
/// }
/// try call.run(drainingFor: .seconds(2))
/// ```
///
/// This is the only place that joins two ends with codecs; ``Taps`` observe and change what passes.
package final class VirtualCall {
    /// Captures, encodes and sends.
    package let sender: VirtualSender<PacketTap>
    /// Receives, decodes and shows.
    package let receiver: VirtualReceiver<PacketTap>
    /// The link to the receiver.
    package let way: VirtualLink
    private let returnPath: VirtualLink
    /// What the call consists of, in the order in which data passes it: for a driver of several calls.
    let stages: [any TimedStage]
    private let driver: VirtualDriver

    /// Observers and switches of a call.
    package struct Taps {
        /// Is called for each packet that is sent for the first time, and each report; returns whether to send it.
        package var leaves: (Span<UInt8>, MediaTime) -> Bool = { _, _ in true }
        /// Is called with the receiver's feedback when it is sent.
        package var said: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
        /// Is called with each datagram that arrives, before it is inserted.
        package var arrived: (LinkDirection, Span<UInt8>, MediaTime) -> Void = { _, _, _ in }
        /// Is called with each datagram after the receiver inserted it.
        package var taken: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
        /// Whether the receiver's feedback reaches the sender.
        package var deliversFeedback = true
        /// Whether NACKed packets are retransmitted.
        package var retransmits = true

        /// Creates taps that change nothing.
        package init() {}
    }

    /// Creates a call that starts with the source's first frame.
    ///
    /// - Parameters:
    ///   - sending: encodes and packetizes.
    ///   - source: the frames to send.
    ///   - encodeTime: the time that an encoder takes per frame; zero by default.
    ///   - decodeTime: the time that a decoder takes per frame; zero by default.
    ///   - way: the link to the receiver.
    ///   - returnPath: the link back to the sender.
    ///   - taps: observers and switches; none by default.
    ///   - receiving: creates the receiving pipeline, with the sink for its feedback.
    /// - Throws: what `receiving` throws.
    package init(
        _ sending: PacketSender, source: any FrameSource, encodeTime: MediaDuration = .zero,
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
        sender = VirtualSender(sending, source: source, packets: packets, encodeTime: encodeTime)
        way.connect { datagram, now in
            taps.arrived(.toReceiver, datagram, now)
            receiver.insert(datagram, at: now)
            taps.taken(datagram, now)
        }
        // Unowned: the forward link holds the receiver, and that holds the return path.
        returnPath.connect { [unowned way] datagram, now in
            taps.arrived(.toSender, datagram, now)
            guard taps.deliversFeedback else { return }
            if taps.retransmits {
                sending.receive(datagram, at: now, retransmittingTo: way)
            } else {
                sending.receive(datagram, at: now, retransmittingTo: PacketTap { _, _ in })
            }
        }
        (self.receiver, self.way, self.returnPath) = (receiver, way, returnPath)
        stages = [sender, way, returnPath, receiver]
        driver = VirtualDriver(stages)
    }

    /// The current virtual time.
    package var now: MediaTime { driver.now }

    /// Whether nothing is in flight to the receiver, or waits there.
    var isIdle: Bool { way.isIdle && receiver.isIdle }

    /// Runs until the source has ended, and for `time` longer.
    package func run(drainingFor time: MediaDuration) throws {
        try driver.run { sender.isDone }
        try driver.run(until: driver.now + time)
    }

    /// Runs until the source has ended and everything in flight was shown, but at most `limit` longer: a chain that
    /// stays broken would request key frames forever.
    ///
    /// - Parameters:
    ///   - limit: the time limit after the source's end.
    ///   - progress: is called after each step.
    package func run(drainingWithin limit: MediaDuration, progress: () -> Void = {}) throws {
        try driver.run(drainingWithin: limit) {
            progress()
            return sender.isDone
        } isIdle: {
            isIdle
        }
    }
}
