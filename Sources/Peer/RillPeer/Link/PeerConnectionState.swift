/// The state of a connection: that of W3C's `RTCPeerConnectionState`.
public enum PeerConnectionState: String, Hashable, Sendable {
    /// Nothing was negotiated yet.
    case new
    /// ICE or DTLS is on its way.
    case connecting
    /// Media can be sent and received.
    case connected
    /// The path has been silent for some seconds. It may come back by itself.
    case disconnected
    /// ICE or DTLS failed. A restart of ICE may help if it was that.
    case failed
    /// One of the sides closed the connection.
    case closed
}

extension PeerConnectionState: CustomStringConvertible {
    /// The state as W3C writes it: `connected`.
    public var description: String { rawValue }
}
