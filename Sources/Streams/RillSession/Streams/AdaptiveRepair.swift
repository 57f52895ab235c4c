import RillCore
import RillSend

/// How a stream's FEC follows what the path loses.
struct AdaptiveRepair {
    private var policy = RepairPolicy()
    private var last = (frames: 0, packets: 0)

    /// Decides again, from what was sent since the last time.
    ///
    /// - Parameters:
    ///   - sender: the stream.
    ///   - loss: the share of packets that the path loses, 0 to 1.
    mutating func update(_ sender: inout RTPStreamSender, loss: Double) {
        let counts = sender.statistics
        let packets =
            counts.packetsSent - counts.fecPacketsSent - counts.retransmittedPacketsSent - counts.paddingPacketsSent
        let (frames, sent) = (counts.framesSent - last.frames, packets - last.packets)
        guard frames > 0, let roundTrip = sender.recentRoundTripTime else { return }
        last = (counts.framesSent, packets)
        sender.setFECPercentage(
            policy.update(loss: loss, roundTrip: roundTrip, packetsPerFrame: Double(sent) / Double(frames)))
    }
}
