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
