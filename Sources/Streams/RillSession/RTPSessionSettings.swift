public import RillCore
public import RillRTP

/// The settings of one endpoint in a session.
///
/// ```swift
/// var settings = RTPSessionSettings(canonicalName: "camera-7", seed: .random(in: 0 ... .max))
/// settings.usesReducedSizeRTCP = true
/// ```
public struct RTPSessionSettings: Sendable {
    /// The CNAME that all streams of this endpoint share, 1 to 255 bytes of UTF-8 (RFC 7022 describes how to choose
    /// it).
    public var canonicalName: String
    /// The seed of SSRCs and initial sequence numbers that are not given, and of the jitter of RTCP's times. Equal
    /// seeds give equal sessions. Outside tests it must come from the system's generator, because a key must not be
    /// used twice with the same SSRC.
    public var seed: UInt64
    /// The SSRC of RTCP while no stream is sent; random by default.
    public var ssrc: SSRC?

    /// The longest interval between reports, 10 ms to 1 minute. Each follows after 0.8 to 1 times as long, so that
    /// two endpoints do not synchronize (RFC 3550 §6.2).
    public var reportInterval = MediaDuration.seconds(1)
    /// Sends feedback without a report before it (RFC 5506), if that was negotiated (`a=rtcp-rsize`).
    public var usesReducedSizeRTCP = false
    /// Sends reports even if nothing is sent or received, so that the remote side does not consider an endpoint lost
    /// that only listens or is muted.
    public var announcesItself = true
    /// Notifies the remote side in RTCP of muted streams (PAUSED, RFC 7728 §8.2). A peer that has not negotiated it
    /// (`a=rtcp-fb:* ccm pause`) ignores feedback that it does not know (RFC 4585).
    public var signalsMute = true
    /// Follows requests to pause and resume a stream that is sent (RFC 7728); otherwise they are refused.
    public var acceptsPauseRequests = true
    /// The wall clock's time at `MediaTime.zero` of the session's clock. Sender reports carry it, and the remote side
    /// uses it to align streams of several hosts.
    public var wallClockAtZero = NTPTimestamp.unixEpoch
    /// The largest RTCP datagram, 256 to 9000 bytes, without UDP and IP. Streams have their own setting.
    public var maximumPacketByteCount = 1200

    /// How what is sent adapts to the network; `nil`, the default, for not at all: then packets leave at once, and
    /// feedback of the remote side is reported as ``SessionEvent/transportFeedback(_:)``.
    public var congestion: CongestionSettings?

    /// Stops a stream that nobody receives, or that takes many times its share of the network: the circuit breakers of
    /// RFC 8083, which every sender must have (RFC 8834 §7.1). Off only for experiments in which nobody answers.
    package var hasCircuitBreaker = true

    /// Whether the remote side sends reception reports, as RFC 3550 §6.4 wants it. Where it sends no RTCP, as ffplay
    /// and FFmpeg do not, silence shows nothing, and the circuit breaker for it (RFC 8083 §4.1) would end each stream
    /// after 15 s: with `false` it does not wait for reports. Only for a path that is known to carry what is sent.
    public var expectsReports = true

    /// When the session is ``SessionEvent/interrupted(at:)``, and the remote side ``SessionEvent/lost(at:)``.
    public var timeouts = SilenceTimeouts()

    /// Creates settings with every other value at its default.
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
        congestion?.validate()
        precondition(
            .zero < timeouts.interrupted && timeouts.interrupted <= timeouts.lost,
            "a call is interrupted before it is lost")
    }
}

/// How long a remote side may be silent: the same for servers and apps.
public struct SilenceTimeouts: Codable, Hashable, Sendable {
    /// After this time without any packet it is interrupted. 4 s: several reports are missing.
    public var interrupted = MediaDuration.seconds(4)
    /// After this time without any packet it is lost. 10 s: people have given up by then. Later packets are still
    /// accepted.
    public var lost = MediaDuration.seconds(10)

    /// Creates the default timeouts.
    public init() {}
}
