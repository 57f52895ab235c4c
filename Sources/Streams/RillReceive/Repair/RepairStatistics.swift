internal import RillCore

/// The counters of a ``PacketRestorer`` since it was created.
///
/// Names are those of "inbound-rtp" in W3C webrtc-stats where they exist.
public struct RepairStatistics: Codable, Equatable, Sendable {
    /// Packets received on the retransmission stream.
    public internal(set) var retransmittedPacketsReceived = 0
    /// Their payload bytes, as in the original packets.
    public internal(set) var retransmittedBytesReceived = 0
    /// FEC packets received.
    public internal(set) var fecPacketsReceived = 0
    /// Their payload bytes.
    public internal(set) var fecBytesReceived = 0
    /// FEC packets that were useless: all packets that they protect were present, or too many were missing for too
    /// long.
    public internal(set) var fecPacketsDiscarded = 0

    // MARK: Rill's own counters

    /// Packets recovered from an FEC packet and the others that it protects.
    public internal(set) var packetsRecovered = 0
    /// Padding-only packets, in RED or on the retransmission stream.
    public internal(set) var paddingPacketsReceived = 0
    /// Packets that could not be unwrapped, and FEC packets that gave no valid packet.
    public internal(set) var malformedPackets = 0

    /// Creates zero counters.
    public init() {}
}

extension RepairStatistics: CustomStringConvertible {
    /// The non-zero counters by name: `retransmittedPacketsReceived 3, packetsRecovered 1`.
    public var description: String { countedText(self) }
}
