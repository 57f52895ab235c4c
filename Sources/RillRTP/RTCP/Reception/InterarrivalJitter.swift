/// How much the spacing of packets on arrival differs from their spacing when they were sent: the mean deviation,
/// smoothed over 16 packets (RFC 3550 §6.4.1, A.8).
///
///     var jitter = InterarrivalJitter()
///     jitter.note(packet.header.timestamp, arrival: RTPTimestamp(clock.ticks))
///     jitter.ticks
///
/// In whole numbers, as the RFC's example has it, so that every implementation comes to the same.
public struct InterarrivalJitter: Equatable, Sendable {
    /// Ticks of the media clock times 16.
    private var scaled: Int64 = 0
    /// Arrival less timestamp of the newest packet.
    private var transit: UInt32?

    /// No packet has come.
    public init() {}

    /// Notes a packet that came when the receiver's clock, counted in ticks of the media clock from anywhere, showed
    /// `arrival`.
    public mutating func note(_ timestamp: RTPTimestamp, arrival: RTPTimestamp) {
        let transit = arrival.rawValue &- timestamp.rawValue
        if let previous = self.transit {
            let difference = Int64(Int32(bitPattern: transit &- previous).magnitude)
            scaled += difference - ((scaled + 8) >> 4)
        }
        self.transit = transit
    }

    /// The jitter in ticks of the media clock, as a report block says it.
    public var ticks: UInt32 { UInt32(clamping: scaled >> 4) }
}
