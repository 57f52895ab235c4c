/// The counters of a connection's datagrams, without those of STUN (W3C `RTCTransportStats`; those after the blank line
/// are Rill's own).
public struct PeerTransportCounts: Codable, Hashable, Sendable {
    /// Datagrams sent.
    public var packetsSent = 0
    /// Their bytes.
    public var bytesSent = 0
    /// Datagrams received from validated addresses.
    public var packetsReceived = 0
    /// Their bytes.
    public var bytesReceived = 0

    /// RTP and RTCP that came before there were keys.
    public var packetsWithoutKeys = 0
    /// Packets that could not be sent: without a path, or refused by SRTP.
    public var packetsDropped = 0

    /// Creates counters of 0.
    public init() {}
}
