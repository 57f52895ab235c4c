import RillRTP

/// Extends the wrapping timestamps of a receiver's feedback.
///
/// A peer may advance its time by half the counter's range with each packet. So the values are kept below `limit`:
/// beyond it the clock restarts. That takes years in a regular call.
struct ArrivalClock: Sendable {
    private let limit: Int64
    private let bitWidth: Int
    private var extender: CounterExtender

    /// Creates a clock for a counter of `bitWidth` bits.
    init(bitWidth: Int, limit: Int64) {
        (self.bitWidth, self.limit) = (bitWidth, limit)
        extender = CounterExtender(bitWidth: bitWidth)
    }

    /// The newest time; `nil` before the first.
    var newest: Int64? { extender.newest }

    /// Returns the extended value, without recording it.
    func peek(_ wire: UInt32) -> Int64 { extender.peek(wire) }

    /// Extends a value, and records it if it is the newest.
    mutating func extend(_ wire: UInt32) -> Int64 {
        let value = extender.extend(wire)
        guard value > limit else { return value }
        restart()
        return extender.extend(wire)
    }

    /// Forgets all values.
    mutating func restart() { extender = CounterExtender(bitWidth: bitWidth) }
}
