public import RillCore

/// The schedule of a replayed capture: when each datagram is due.
///
/// Every time is computed from the start of its round, so that nothing drifts, however long the capture is and
/// however late single datagrams are sent. Times that go back in the capture do not go back here: such a datagram is
/// due at once.
///
/// ```swift
/// var pacer = ReplayPacer(speed: 2, start: now)
/// for datagram in capture { wait(until: pacer.due(datagram.time)); send(datagram) }
/// ```
///
/// A pure value: it reads no clock.
public struct ReplayPacer: Sendable {
    /// Seconds of the capture per second.
    public let speed: Double
    private var start: MediaTime
    /// The first time of the round.
    private var origin: MediaTime?
    private var latest: MediaTime
    private var countInRound = 0

    /// The range of plausible speeds.
    public static let speedRange = 0.01...1000
    /// The latest due time after the start: 73 years. Garbage times must not overflow.
    private static let limit = 0x1p61

    /// Creates a pacer whose first datagram is due at `start`; a speed outside ``speedRange`` traps.
    public init(speed: Double = 1, start: MediaTime) {
        precondition(ReplayPacer.speedRange.contains(speed), "a speed of \(speed)")
        self.speed = speed
        self.start = start
        self.latest = start
    }

    /// Returns when the datagram captured at `time` is due. Call it once for each, in the order of the capture.
    public mutating func due(_ time: MediaTime) -> MediaTime {
        let origin = self.origin ?? time
        self.origin = origin
        countInRound += 1
        let offset = min(Double((time - origin).nanoseconds) / speed, ReplayPacer.limit)
        let ideal = start.nanoseconds.addingReportingOverflow(Int64(offset.rounded()))
        if !ideal.overflow { latest = max(latest, MediaTime(nanoseconds: ideal.partialValue)) }
        return latest
    }

    /// Starts another round of the capture: its first datagram is due one mean gap after the last one.
    public mutating func beginRound() {
        let gap = countInRound > 1 ? (latest - start) / (countInRound - 1) : .zero
        let next = latest.nanoseconds.addingReportingOverflow(gap.nanoseconds)
        start = next.overflow ? latest : MediaTime(nanoseconds: next.partialValue)
        latest = start
        origin = nil
        countInRound = 0
    }
}
