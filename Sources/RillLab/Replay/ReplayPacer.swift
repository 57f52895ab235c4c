public import RillCore

/// Says when each datagram of a capture is due when it is sent again.
///
/// Every time is reckoned from the beginning of its round, so that nothing drifts however long the capture is and however
/// late single datagrams go out. Times that go back in the capture do not go back here: such a datagram is due at once.
///
///     var pacer = ReplayPacer(speed: 2, start: now)
///     for datagram in capture { wait(until: pacer.due(datagram.time)); send(datagram) }
///
/// A pure value: it reads no clock.
public struct ReplayPacer: Sendable {
    /// How many seconds of the capture pass in one second.
    public let speed: Double
    private var start: MediaTime
    /// The first time of the round.
    private var origin: MediaTime?
    private var latest: MediaTime
    private var countInRound = 0

    /// Speeds that make sense.
    public static let speedRange = 0.01...1000
    /// No datagram is due later than this after the beginning: 73 years. Garbage for a time must not overflow.
    private static let limit = 0x1p61

    /// A pacer whose first datagram is due at `start`; a speed outside ``speedRange`` is the programmer's mistake.
    public init(speed: Double = 1, start: MediaTime) {
        precondition(ReplayPacer.speedRange.contains(speed), "a speed of \(speed)")
        self.speed = speed
        self.start = start
        self.latest = start
    }

    /// When the datagram that passed at `time` is due. Called once for each, in the order of the capture.
    public mutating func due(_ time: MediaTime) -> MediaTime {
        let origin = self.origin ?? time
        self.origin = origin
        countInRound += 1
        let offset = min(Double((time - origin).nanoseconds) / speed, ReplayPacer.limit)
        let ideal = start.nanoseconds.addingReportingOverflow(Int64(offset.rounded()))
        if !ideal.overflow { latest = max(latest, MediaTime(nanoseconds: ideal.partialValue)) }
        return latest
    }

    /// Begins the capture anew: its first datagram is due one mean gap after the last one.
    public mutating func beginRound() {
        let gap = countInRound > 1 ? (latest - start) / (countInRound - 1) : .zero
        let next = latest.nanoseconds.addingReportingOverflow(gap.nanoseconds)
        start = next.overflow ? latest : MediaTime(nanoseconds: next.partialValue)
        latest = start
        origin = nil
        countInRound = 0
    }
}
