public import RillCore
public import RillRTP

/// A sent packet, as congestion control stores it.
public struct PacketRecord: Equatable, Sendable {
    /// The extended transport-wide sequence number. Packets without one on the wire are counted, too.
    public var number: Int64
    /// The time when the packet was passed to the network.
    public var sendTime: MediaTime
    /// The size on the path in bytes, with the headers of IP and UDP and the overhead of SRTP.
    public var byteCount: Int32
    /// The packet's purpose.
    public var kind: OutgoingPacket.Kind
    /// The number of its train. The packets of a train left the pacer without a pause between them.
    public var train: Int32
    /// The ECN field at the receiver, if feedback reports it (RFC 8888) and the outcome is
    /// ``PacketOutcome/received(arrival:)``.
    public var mark = CongestionControlFeedback.ECNMark.notCapable
    /// Whether the previous packet was missing when this outcome was resolved. The time between the two arrivals then
    /// covers more than this packet.
    public var followsMissing = false
}

/// The outcome of a sent packet, as feedback reports it for the first time.
public enum PacketOutcome: Equatable, Sendable {
    /// The packet arrived, at this time of the receiver's clock, whose origin is unknown.
    case received(arrival: MediaTime)
    /// The packet was reported as missing until the receiver stopped listing it.
    case lost
    /// The receiver stopped listing the packet, and all feedback that listed it was lost.
    case unknown
}
