public import RillCore
public import RillRTP

/// A packet that a transport sent, as its congestion control remembers it.
public struct PacketRecord: Equatable, Sendable {
    /// The extended transport-wide sequence number. Packets without one are counted too.
    public var number: Int64
    /// When the packet was handed to the network.
    public var sendTime: MediaTime
    /// The size on the path in bytes, with the headers of IP and UDP and everything that SRTP adds.
    public var byteCount: Int32
    /// The packet's purpose.
    public var kind: OutgoingPacket.Kind
    /// The number of its train: packets that the pacer sent without a pause between them.
    public var train: Int32
    /// The ECN field with which it arrived, where feedback tells of it (RFC 8888) and its outcome is ``PacketOutcome/received(arrival:)``.
    public var mark = CongestionControlFeedback.ECNMark.notCapable
    /// Whether the packet that was sent before it had not arrived, as far as was known when this one's outcome was resolved: the time between the
    /// arrivals is not this packet's alone.
    public var followsMissing = false
}

/// What feedback says about a sent packet, for the first time.
public enum PacketOutcome: Equatable, Sendable {
    /// The packet arrived, at this time of the receiver's clock, whose zero is unknown.
    case received(arrival: MediaTime)
    /// The packet was listed as missing until the receiver stopped listing it.
    case lost
    /// The receiver stopped listing the packet, and every feedback that listed it was lost.
    case unknown
}
