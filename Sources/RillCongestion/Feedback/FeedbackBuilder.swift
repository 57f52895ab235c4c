public import RillCore
public import RillRTP

/// The receiver's half of congestion control: it notes when packets arrive, and writes transport-wide feedback.
///
/// ```swift
/// builder.note(number, byteCount: datagram.count + 28, arrival: now)
/// if builder.dueTime <= now { builder.write(from: ours, about: media, at: now, into: &output) }
/// ```
///
/// Feedback is due as ``FeedbackInterval`` says. Each feedback repeats the two before it, so that a single lost datagram loses
/// no report. ``StreamFeedbackBuilder`` writes RFC 8888's instead.
///
/// Any sequence of numbers is safe. A number that lies more than ``window`` before the newest is ignored. The memory is fixed.
///
/// A value with one owner: it reads no clock. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01.
public struct FeedbackBuilder: ~Copyable, Sendable {
    /// The numbers that one feedback lists at most, and so the packets that are remembered.
    public static let window = 1024
    @usableFromInline static var neverArrived: Int64 { .min }

    /// When the next feedback is due; in the distant future while nothing is to be reported.
    @inlinable public var dueTime: MediaTime { interval.dueTime }

    /// Arrival times in steps of 250 µs.
    @usableFromInline var arrivals = NumberedRing(
        capacity: FeedbackBuilder.window, filler: FeedbackBuilder.neverArrived)
    @usableFromInline var numbers = ReportedNumbers()
    @usableFromInline var interval = FeedbackInterval()
    private var feedbackCount: UInt8 = 0
    private var encoder = TransportFeedbackEncoder()
    /// Whether the encoder has the next feedback: until a packet arrives.
    @usableFromInline var isPrepared = false
    /// Whether the packets that the encoder has have the times that it knows: until an older packet arrives.
    @usableFromInline var isContinued = false

    /// A builder that has seen no packet.
    public init() {}

    /// Notes a packet.
    ///
    /// - Parameters:
    ///   - number: its transport-wide sequence number.
    ///   - byteCount: its size on the path in bytes.
    ///   - arrival: when it arrived.
    @inlinable
    public mutating func note(_ number: SequenceNumber, byteCount: Int, arrival: MediaTime) {
        let ticks = arrival.nanoseconds / 250_000
        switch numbers.note(number, window: Self.window) {
        case .tooOld: return
        case .newest(let extended, let skipped):
            if skipped > 0 { forget(skipped, before: extended) }
            arrivals[extended] = ticks
        case .late(let extended):
            if arrivals[extended] == Self.neverArrived { arrivals[extended] = ticks }
            isContinued = false
        }
        isPrepared = false
        interval.noteReceived(byteCount, at: arrival)
    }

    /// The size of the feedback that is due, in bytes, with the header; `nil` while there is nothing to report.
    public mutating func prepare() -> Int? {
        if !isPrepared {
            // From the start of the feedback before the last on, as far as deltas reach: the next feedback has the rest.
            guard let range = numbers.range(repeating: 2, window: Self.window) else { return nil }
            isPrepared = FeedbackBuilder.encode(arrivals, range, isContinued: isContinued, with: &encoder)
            isContinued = isPrepared
        }
        return isPrepared ? encoder.byteCount : nil
    }

    /// Appends the feedback. Call it when ``dueTime`` has come; the next one is then due after the interval, if packets arrive.
    ///
    /// - Parameters:
    ///   - sender: our SSRC.
    ///   - media: the SSRC of any stream of the transport.
    ///   - now: the current time.
    ///   - output: has room for ``prepare()`` bytes.
    @_lifetime(output: copy output)
    public mutating func write(
        from sender: SSRC, about media: SSRC, at now: MediaTime, into output: inout OutputSpan<UInt8>
    ) {
        guard let byteCount = prepare() else { return }
        encoder.write(sender: sender, media: media, feedbackCount: feedbackCount, into: &output)
        interval.noteSent(byteCount, at: now)
        feedbackCount &+= 1
        numbers.noteFeedback()
        isPrepared = false
    }

    private static func encode(
        _ arrivals: borrowing NumberedRing<Int64>, _ numbers: ClosedRange<Int64>, isContinued: Bool,
        with encoder: inout TransportFeedbackEncoder
    ) -> Bool {
        encoder.encode(arrivals.values, numbers, isContinued: isContinued)
    }

    @usableFromInline
    mutating func forget(_ count: Int, before number: Int64) {
        for distance in 1...min(count, Self.window) { arrivals[number - Int64(distance)] = Self.neverArrived }
    }
}
