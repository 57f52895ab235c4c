import RillRTP

/// Extends the wrapping times of a receiver's feedback.
///
/// A peer may make time leap by half the range of the counter with each packet. The values are therefore kept below `limit`: beyond
/// it the clock starts anew, which in an honest call takes years.
struct ArrivalClock: Sendable {
    private let limit: Int64
    private let bitWidth: Int
    private var extender: CounterExtender

    /// A clock for a counter of `bitWidth` bits.
    init(bitWidth: Int, limit: Int64) {
        (self.bitWidth, self.limit) = (bitWidth, limit)
        extender = CounterExtender(bitWidth: bitWidth)
    }

    /// The newest time; `nil` before the first.
    var newest: Int64? { extender.newest }

    /// The time that a value means, without noting it.
    func peek(_ wire: UInt32) -> Int64 { extender.peek(wire) }

    /// Extends a value, and notes it if it is the newest.
    mutating func extend(_ wire: UInt32) -> Int64 {
        let value = extender.extend(wire)
        guard value > limit else { return value }
        restart()
        return extender.extend(wire)
    }

    /// Forgets all times.
    mutating func restart() { extender = CounterExtender(bitWidth: bitWidth) }
}
