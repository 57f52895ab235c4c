public import RillCore
public import RillPeer
public import RillRTP

/// The settings of a ``StreamForwarder``.
public struct ForwardSettings: Sendable {
    /// The most sessions, of publishers and viewers together. 1000.
    public var sessionLimit = 1000
    /// The most streams. 100.
    public var streamLimit = 100
    /// How many of them clients may have.
    public var quotas = ForwardQuotas()
    /// Codecs, header extensions and repair, towards publishers and viewers.
    public var negotiation = NegotiationSettings()
    /// Times and limits of DTLS, and the profiles of SRTP.
    public var dtls = DTLSSettings()
    /// The bitrate that is taken for a viewer's until feedback tells: whether a viewer begins with a high layer or a
    /// low one depends on it. 1 Mbit/s.
    public var startBitrate = Bitrate.megabits(1)
    /// The most that is sent to a viewer. 20 Mbit/s.
    public var maximumBitrate = Bitrate.megabits(20)
    /// The most that is forwarded of a publisher's sound, without headers; for a second more may come. 512 kbit/s: Opus
    /// has at most 510 (RFC 6716 §2.1.1). At least 1 kbit/s.
    public var soundBitrate = Bitrate.kilobits(512)
    /// The most packets of it a second. 200: Opus in packets of 5 ms. At least 1.
    public var soundPacketRate = 200
    /// How long a stream without a publisher keeps its viewers. 30 s.
    public var publisherTimeout = MediaDuration.seconds(30)
    /// How long a connection may take. 15 s.
    public var connectTimeout = MediaDuration.seconds(15)
    /// The wall clock's time at `MediaTime.zero`, for sender reports.
    public var wallClockAtZero = NTPTimestamp.unixEpoch

    /// Where the seeds of the sessions' connections begin, for tests; `nil` draws them.
    package var seed: UInt64?

    /// Settings with the defaults.
    public init() {}
}
