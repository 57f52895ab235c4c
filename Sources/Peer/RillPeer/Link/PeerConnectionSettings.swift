public import RillCore
public import RillReceive
public import RillSession

/// The settings of a ``PeerConnection``.
public struct PeerConnectionSettings: Sendable {
    /// Codecs, header extensions and repair that are offered and accepted.
    public var negotiation = NegotiationSettings()
    /// Times and limits of DTLS, and the profiles of SRTP.
    public var dtls = DTLSSettings()
    /// Times and limits of ICE. Its seed is drawn separately for each connection.
    public var ice = ICESettings(seed: 0)
    /// How what is sent adapts to the network, if the other side gives feedback; `nil` for not at all. The size of
    /// SRTP's tag is added to its overhead.
    public var congestion: CongestionSettings? = CongestionSettings()
    /// How long frames that were received wait before they are decoded. As short as the network allows by default.
    public var playoutDelay = PlayoutDelayBounds.adaptive
    /// When the session counts the other side as interrupted, and as lost. ICE judges the path by itself.
    public var timeouts = SilenceTimeouts()
    /// CNAME: the name that all our streams share, 1 to 255 bytes.
    public var canonicalName = "rill"
    /// The wall clock's time at `MediaTime.zero`, for sender reports.
    public var wallClockAtZero = NTPTimestamp.unixEpoch
    /// How long it may take from the other side's description to the connection. 30 s.
    public var connectTimeout = MediaDuration.seconds(30)
    /// The seed of SSRCs, transaction identifiers and jitter. Credentials and keys do not follow from it. Outside tests
    /// it must come from the system's generator.
    public var seed: UInt64
    /// Whether a driver holds session and keys of SRTP, under a lock of its own: the connection negotiates, finds the
    /// path and agrees on keys, and never touches a packet of media. See ``PeerConnection/takeSections()``.
    package var passesMedia = false
    /// Whether frames that are received may be encrypted, and are not to be read.
    package var isOpaque = false

    /// Creates settings with every other value at its default.
    public init(seed: UInt64 = .random(in: 0 ... .max)) { self.seed = seed }
}

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
