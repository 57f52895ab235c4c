public import RillCore
public import RillSecurity

/// Times and limits of a ``DTLSEndpoint``.
public struct DTLSSettings: Hashable, Sendable {
    /// The profiles of SRTP that are offered or accepted, the preferred ones first. A server chooses the first of its
    /// own that the client offers. At least one; GCM-128, GCM-256, and AES-CM with the 80-bit tag.
    public var srtpProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80]
    /// The largest datagram that is sent, in bytes. 1200; 256 to 16384.
    public var maximumTransmissionUnit = 1200
    /// The time to the first retransmission of a flight, which doubles with each. 50 ms, as browsers have it. RFC 6347
    /// §4.2.4.1 suggests 1 s, but where every third datagram is lost, a handshake then takes a minute.
    public var retransmissionTimeout = MediaDuration.milliseconds(50)
    /// The longest time to a retransmission. 4 s. OpenSSL gives up at the thirteenth: after 30.35 s with the defaults.
    public var maximumRetransmissionTimeout = MediaDuration.seconds(4)
    /// How long the handshake may take, with the time in which the fingerprint is not known. 30 s.
    public var handshakeTimeout = MediaDuration.seconds(30)
    /// The most datagrams, and the most events, that are kept until they are polled. 64 each. Further datagrams and
    /// data are dropped, as a network would.
    public var maximumQueueCount = 64

    /// Creates the default settings.
    public init() {}
}
