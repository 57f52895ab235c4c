public import RillCore
public import RillRTP

/// How one endpoint takes part in a session.
///
///     var settings = RTPSessionSettings(canonicalName: "camera-7", seed: .random(in: 0 ... .max))
///     settings.usesReducedSizeRTCP = true
public struct RTPSessionSettings: Sendable {
    /// CNAME: the name that all streams of this endpoint share, 1 to 255 bytes of UTF-8 (RFC 7022 says how to choose it).
    public var canonicalName: String
    /// What sources and first numbers are drawn from where nobody gives them, and how RTCP's times scatter. Equal seeds give
    /// equal sessions: outside of tests it comes from the system's generator, as a key must not meet an equal source twice.
    public var seed: UInt64
    /// The source that RTCP comes from as long as nothing is sent; drawn, by default.
    public var ssrc: SSRC?

    /// The longest time from one report to the next, 10 ms to 1 minute; each comes after 0.8 to 1 times as long, so that two
    /// ends do not keep step (RFC 3550 §6.2).
    public var reportInterval = MediaDuration.seconds(1)
    /// Requests leave without a report before them (RFC 5506); for who agreed on it (`a=rtcp-rsize`).
    public var usesReducedSizeRTCP = false
    /// Reports go on when nothing is sent and nothing received: the other side hears of one who only listens, or is muted, and
    /// does not take him for lost.
    public var announcesItself = true
    /// The other side is told in RTCP of streams that are muted (PAUSED, RFC 7728 §8.2). One that has not agreed on that
    /// (`a=rtcp-fb:* ccm pause`) ignores feedback that it does not know (RFC 4585).
    public var signalsMute = true
    /// Requests to pause a stream that is sent, and to go on, are followed (RFC 7728); else they are refused.
    public var acceptsPauseRequests = true
    /// The wall clock's time at `MediaTime.zero` of the session's clock: sender reports carry it forward, and the other side
    /// aligns streams of several machines by it.
    public var wallClockAtZero = NTPTimestamp.unixEpoch
    /// The most bytes of a datagram of RTCP, 256 to 9000; UDP and IP come on top. Streams have a setting of their own.
    public var maximumPacketByteCount = 1200

    /// No packet of any kind for so long: the call is ``SessionEvent/interrupted(at:)``.
    public var interruptedAfter = MediaDuration.seconds(4)
    /// No packet of any kind for so long: the other side is ``SessionEvent/lost(at:)``.
    public var lostAfter = MediaDuration.seconds(10)

    /// Settings with every other value at its default.
    public init(canonicalName: String = "rill", seed: UInt64) {
        self.canonicalName = canonicalName
        self.seed = seed
    }

    func validate() {
        precondition((1...255).contains(canonicalName.utf8.count), "a canonical name has 1 to 255 bytes")
        precondition(
            (MediaDuration.milliseconds(10) ... .seconds(60)).contains(reportInterval),
            "reports are 10 ms to 1 minute apart: \(reportInterval)")
        precondition((256...9000).contains(maximumPacketByteCount), "datagrams of \(maximumPacketByteCount) bytes")
        precondition(
            .zero < interruptedAfter && interruptedAfter <= lostAfter, "a call is interrupted before it is lost")
    }
}
