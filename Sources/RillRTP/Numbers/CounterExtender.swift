/// Turns a counter that wraps on the wire into one of 64 bits that does not.
///
/// Each value is taken to lie the short way round from the newest one seen so far, so it may come late by less than
/// half the counter's range. The first value starts the count at itself.
///
///     var extender = CounterExtender(bitWidth: 16)
///     extender.extend(65535)  // 65535
///     extender.extend(0)      // 65536
///     extender.extend(65534)  // 65534: late, not new
@frozen
public struct CounterExtender: Equatable, Sendable {
    /// Bits of the counter on the wire: 7 and 15 for picture IDs, 8 for TL0PICIDX, 16 for sequence numbers, 32 for
    /// timestamps.
    public let bitWidth: Int
    @usableFromInline var last: Int64?

    /// An extender for a counter of `bitWidth` bits, 2 to 32.
    @inlinable
    public init(bitWidth: Int) {
        precondition((2...32).contains(bitWidth), "a wire counter has 2 to 32 bits, not \(bitWidth)")
        self.bitWidth = bitWidth
    }

    /// The newest value so far; `nil` before the first.
    @inlinable
    public var newest: Int64? { last }

    /// The 64-bit value of `wire`, which becomes the newest if it lies after it.
    @inlinable
    public mutating func extend(_ wire: UInt32) -> Int64 {
        let value = peek(wire)
        if value > last ?? .min { last = value }
        return value
    }

    /// The 64-bit value that `wire` would get, without taking note of it.
    @inlinable
    public func peek(_ wire: UInt32) -> Int64 {
        let modulus = Int64(1) << bitWidth
        guard let last else { return Int64(wire) & (modulus - 1) }
        let ahead = (Int64(wire) &- last) & (modulus - 1)
        return ahead < modulus / 2 ? last &+ ahead : last &+ ahead &- modulus
    }
}
