public import RillCore
public import RillRTP

/// The receiver side of congestion control: it records arrivals, and writes transport-wide feedback.
///
/// ```swift
/// builder.record(number, byteCount: datagram.count + 28, arrival: now)
/// if builder.dueTime <= now { builder.write(from: ours, about: media, at: now, into: &output) }
/// ```
///
/// ``FeedbackInterval`` determines when feedback is due. Each feedback repeats the two before it, within its size
/// limit, so that a single lost datagram loses no report. Beyond the limit it repeats less, and then omits the oldest
/// packets. After a pause of 8 s it does not repeat earlier packets. ``StreamFeedbackBuilder`` writes the feedback of
/// RFC 8888 instead.
///
/// Any sequence of numbers is safe. A number is ignored if no feedback will list it: one that lies ``window`` before
/// the newest, or half of that before all that the last feedback listed. The memory is fixed.
///
/// It is a value with one owner and reads no clock. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01.
public struct FeedbackBuilder: ~Copyable, Sendable {
    /// The maximum of numbers in one feedback, and the number of packets that are stored.
    public static let window = 1024
    /// The default maximum size of a feedback packet, in bytes: one datagram.
    public static let maximumByteCount = 1184
    @usableFromInline static var neverArrived: Int64 { .min }

    /// When the next feedback is due; in the distant future while there is nothing to report.
    @inlinable public var dueTime: MediaTime { interval.dueTime }

    /// Arrival times in units of 250 µs.
    @usableFromInline var arrivals = NumberedRing(
        capacity: FeedbackBuilder.window, filler: FeedbackBuilder.neverArrived)
    @usableFromInline var numbers = ReportedNumbers()
    @usableFromInline var interval = FeedbackInterval()
    private var feedbackCount: UInt8 = 0
    private var encoder = TransportFeedbackEncoder()
    /// Whether the encoder holds the next feedback. An arrival invalidates it.
    @usableFromInline var isPrepared = false
    /// Whether the encoder's arrival times are still valid. The arrival of an older packet invalidates them.
    @usableFromInline var isContinued = false

    private let limit: Int

    /// Creates a builder before the first packet.
    ///
    /// - Parameter limit: the maximum size of a feedback packet, in bytes: 64 to ``maximumByteCount``, the default. A
    ///   smaller one leaves room in the datagram for reports.
    public init(limit: Int = FeedbackBuilder.maximumByteCount) {
        precondition((64...FeedbackBuilder.maximumByteCount).contains(limit), "feedback of at most \(limit) bytes")
        self.limit = limit
    }

    /// Records the arrival of a packet.
    ///
    /// - Parameters:
    ///   - number: its transport-wide sequence number.
    ///   - byteCount: its size on the path in bytes.
    ///   - arrival: its arrival time.
    @inlinable
    public mutating func record(_ number: SequenceNumber, byteCount: Int, arrival: MediaTime) {
        let ticks = arrival.nanoseconds / 250_000
        switch numbers.record(number, window: Self.window) {
        case .tooOld: return
        case .newest(let extended, let skipped):
            if skipped > 0 { forget(skipped, before: extended) }
            arrivals[extended] = ticks
        case .late(let extended):
            if arrivals[extended] == Self.neverArrived { arrivals[extended] = ticks }
            isContinued = false
        }
        isPrepared = false
        interval.recordReceived(byteCount, at: arrival)
    }

    /// Returns the size of the feedback that is due, in bytes, with its header; `nil` if there is nothing to report.
    /// No feedback is due then.
    public mutating func prepare() -> Int? {
        if !isPrepared {
            // It starts where the feedback before the last one started. After a pause of 8 s, deltas do not reach
            // from there to the new packets: then it repeats less.
            for count in stride(from: 2, through: 0, by: -1) {
                guard let range = numbers.range(repeating: count, window: Self.window) else { break }
                encode(range)
                if encoder.byteCount <= limit, encoder.last == range.upperBound { break }
            }
            if isPrepared, encoder.byteCount > limit, let range = numbers.range(repeating: 2, window: Self.window) {
                // This number of packets always fits: a packet takes at most two bytes, and seven packets share two
                // more.
                let most = Int64((limit - 22) * 7 / 16)
                encode(max(range.lowerBound, range.upperBound - most + 1)...range.upperBound)
            }
        }
        guard isPrepared else {
            interval.cancel()
            return nil
        }
        return encoder.byteCount
    }

    /// Appends the feedback. Call it when ``dueTime`` has come. The next one is due after the interval, if packets
    /// arrive.
    ///
    /// - Parameters:
    ///   - sender: our SSRC.
    ///   - media: the SSRC of any stream of the transport.
    ///   - now: the current time.
    ///   - output: a span with room for ``prepare()`` bytes.
    @_lifetime(output: copy output)
    public mutating func write(
        from sender: SSRC, about media: SSRC, at now: MediaTime, into output: inout OutputSpan<UInt8>
    ) {
        guard let byteCount = prepare() else { return }
        encoder.write(sender: sender, media: media, feedbackCount: feedbackCount, into: &output)
        interval.recordSent(byteCount, at: now)
        feedbackCount &+= 1
        numbers.recordFeedback()
        isPrepared = false
    }

    private mutating func encode(_ range: ClosedRange<Int64>) {
        isPrepared = FeedbackBuilder.encode(arrivals, range, isContinued: isContinued, with: &encoder)
        isContinued = isPrepared
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
