/// Extends a counter that wraps on the wire to 64 bits.
///
/// Each value is interpreted as the one closest to the newest value so far, so it may be late by less than half the
/// counter's range. The first value is taken as is.
///
/// ```swift
/// var extender = CounterExtender(bitWidth: 16)
/// extender.extend(65535)  // 65535
/// extender.extend(0)      // 65536
/// extender.extend(65534)  // 65534: late, does not become the newest
/// ```
@frozen
public struct CounterExtender: Equatable, Sendable {
    /// The width of the counter on the wire in bits: 7 or 15 for picture IDs, 8 for TL0PICIDX, 16 for sequence
    /// numbers, 32 for timestamps.
    public let bitWidth: Int
    @usableFromInline var last: Int64?

    /// An extender for a counter of `bitWidth` bits. Traps unless that is 2 to 32.
    @inlinable
    public init(bitWidth: Int) {
        precondition((2...32).contains(bitWidth), "a wire counter has 2 to 32 bits, not \(bitWidth)")
        self.bitWidth = bitWidth
    }

    /// The newest value so far; `nil` before the first.
    @inlinable
    public var newest: Int64? { last }

    /// Returns the 64-bit value of `wire`. It becomes the newest if it is after the newest so far.
    @inlinable
    public mutating func extend(_ wire: UInt32) -> Int64 {
        let value = peek(wire)
        if value > last ?? .min { last = value }
        return value
    }

    /// Returns the 64-bit value that `wire` would get, without updating the newest value.
    @inlinable
    public func peek(_ wire: UInt32) -> Int64 {
        let modulus = Int64(1) << bitWidth
        guard let last else { return Int64(wire) & (modulus - 1) }
        let ahead = (Int64(wire) &- last) & (modulus - 1)
        return ahead < modulus / 2 ? last &+ ahead : last &+ ahead &- modulus
    }
}
