/// The 16-bit sequence number of an RTP packet (RFC 3550 §5.1). It increments by one per packet and wraps.
@frozen
public struct SequenceNumber: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire.
    public var rawValue: UInt16

    /// The number with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The number with the wire value `value`.
    @inlinable
    public init(_ value: UInt16) { self.rawValue = value }

    /// The next number; 65535 is followed by 0.
    @inlinable
    public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }

    /// Returns the number `count` packets later (or earlier, if negative), wrapped.
    @inlinable
    public func advanced(by count: Int) -> SequenceNumber {
        SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: count))
    }

    /// Returns the number of packets from `other` to this one, by the shorter way around: -32768 to 32767.
    @inlinable
    public func distance(since other: SequenceNumber) -> Int {
        Int(Int16(bitPattern: rawValue &- other.rawValue))
    }

    /// Returns whether this number is after `other`, by the shorter way around.
    @inlinable
    public func isNewer(than other: SequenceNumber) -> Bool { distance(since: other) > 0 }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
