internal import RillCore

/// What a ``PacketRestorer`` counts, since it was made: names are those of "inbound-rtp" in W3C webrtc-stats where it has
/// one.
public struct RepairStatistics: Codable, Equatable, Sendable {
    /// Packets that came again on the stream of retransmissions.
    public internal(set) var retransmittedPacketsReceived = 0
    /// Their payload, as it was in the original packets.
    public internal(set) var retransmittedBytesReceived = 0
    /// FEC packets that came.
    public internal(set) var fecPacketsReceived = 0
    /// Their payload.
    public internal(set) var fecBytesReceived = 0
    /// FEC packets of no use: all that they protect was there, or too much of it was missing for too long.
    public internal(set) var fecPacketsDiscarded = 0

    // MARK: Rill's own

    /// Packets that were computed from an FEC packet and the others that it protects.
    public internal(set) var packetsRecovered = 0
    /// Packets of RED, or of the stream of retransmissions, with padding alone.
    public internal(set) var paddingPacketsReceived = 0
    /// Packets that could not be unwrapped, and FEC packets that give no sound packet.
    public internal(set) var malformedPackets = 0

    /// Nothing has come.
    public init() {}
}

extension RepairStatistics: CustomStringConvertible {
    /// What is not zero, by name: `retransmittedPacketsReceived 3, packetsRecovered 1`.
    public var description: String { countedText(self) }
}
