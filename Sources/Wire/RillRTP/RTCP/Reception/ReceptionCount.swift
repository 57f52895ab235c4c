/// Counts the packets of a stream for report blocks: expected, received and lost (RFC 3550 §6.4.1, A.3).
///
/// ```swift
/// var count = ReceptionCount()
/// count.note(packet.header.sequenceNumber)        // for each packet
/// let fraction = count.takeFractionLost()         // for each report
/// ```
///
/// Every packet counts, including duplicates and late ones, as the RFC specifies. When a stream restarts with other
/// sequence numbers, use a new count.
public struct ReceptionCount: Equatable, Sendable {
    /// The number of packets received.
    public private(set) var received = 0
    private var first: Int64?
    private var extender = CounterExtender(bitWidth: 16)
    /// The counts at the previous report.
    private var expectedPrior = 0
    private var receivedPrior = 0

    /// A count before any packet.
    public init() {}

    /// Records a received packet.
    public mutating func note(_ number: SequenceNumber) {
        received += 1
        let extended = extender.extend(UInt32(number.rawValue))
        first = min(first ?? extended, extended)
    }

    /// The highest sequence number received, with the number of its wraps in the upper 16 bits; 0 before the first
    /// packet.
    public var extendedHighestSequenceNumber: UInt32 { UInt32(truncatingIfNeeded: extender.newest ?? 0) }

    /// The number of packets sent, according to the sequence numbers.
    public var expected: Int {
        guard let first, let highest = extender.newest else { return 0 }
        return Int(highest - first) + 1
    }

    /// The packets expected minus the packets received; negative if there were more duplicates than losses.
    public var cumulativeLost: Int { expected - received }

    /// Returns the fraction of packets lost since the last call, in 1/256, and starts the next interval.
    public mutating func takeFractionLost() -> UInt8 {
        let fraction = ReceptionCount.fractionLost(
            expected: expected - expectedPrior, received: received - receivedPrior)
        (expectedPrior, receivedPrior) = (expected, received)
        return fraction
    }

    /// Returns the fraction of `expected` packets that are not among `received` ones, in 1/256 rounded down, at most
    /// 255.
    ///
    /// Returns 0 for an interval with more duplicates than losses, or without expected packets.
    public static func fractionLost(expected: Int, received: Int) -> UInt8 {
        guard expected > 0, received < expected else { return 0 }
        return UInt8(min(255, (expected - received) * 256 / expected))
    }
}

/// The interarrival jitter: the mean deviation of packet spacing at the receiver from packet spacing at the sender.
///
/// It is smoothed over 16 packets (RFC 3550 §6.4.1, A.8).
///
/// ```swift
/// var jitter = InterarrivalJitter()
/// jitter.note(packet.header.timestamp, arrival: RTPTimestamp(clock.ticks))
/// jitter.ticks
/// ```
///
/// Uses integers as in the RFC's example, so that all implementations get the same result.
public struct InterarrivalJitter: Equatable, Sendable {
    /// Ticks of the media clock times 16.
    private var scaled: Int64 = 0
    /// The arrival time minus the timestamp of the latest packet.
    private var transit: UInt32?

    /// The jitter before any packet.
    public init() {}

    /// Records a packet that arrived at `arrival`, in ticks of the media clock by the receiver's clock, from any
    /// origin.
    public mutating func note(_ timestamp: RTPTimestamp, arrival: RTPTimestamp) {
        let transit = arrival.rawValue &- timestamp.rawValue
        if let previous = self.transit {
            let difference = Int64(Int32(bitPattern: transit &- previous).magnitude)
            scaled += difference - ((scaled + 8) >> 4)
        }
        self.transit = transit
    }

    /// The jitter in ticks of the media clock, as in a report block.
    public var ticks: UInt32 { UInt32(clamping: scaled >> 4) }
}

extension NTPShort {
    /// Returns the round-trip time that an echo implies (RFC 3550 §6.4.1, RFC 3611 §4.5), in steps of 15 µs.
    ///
    /// It is the time from sending a report to the arrival of its echo, minus the `delay` for which the receiver held
    /// it. A negative result, from rounding or a dishonest receiver, counts as zero.
    public static func roundTrip(from sent: NTPShort, delay: NTPShort, to arrival: NTPShort) -> NTPShort {
        NTPShort(rawValue: UInt32(max(0, (arrival &- delay).distance(since: sent))))
    }
}
