public import RillCore
public import RillPeer
public import RillRTP

/// The settings of a ``StreamForwarder``.
public struct ForwardSettings: Sendable {
    /// The most sessions, of publishers and viewers together. 1000.
    public var sessionLimit = 1000
    /// The most streams. 100.
    public var streamLimit = 100
    /// Codecs, header extensions and repair, towards publishers and viewers.
    public var negotiation = NegotiationSettings()
    /// Times and limits of DTLS, and the profiles of SRTP.
    public var dtls = DTLSSettings()
    /// The bitrate that is taken for a viewer's until feedback tells: whether a viewer begins with a high layer or a low one
    /// depends on it. 1 Mbit/s.
    public var startBitrate = Bitrate.megabits(1)
    /// The most that is sent to a viewer. 20 Mbit/s.
    public var maximumBitrate = Bitrate.megabits(20)
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
