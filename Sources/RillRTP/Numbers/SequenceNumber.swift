/// An RTP packet's 16-bit sequence number (RFC 3550 §5.1): counts up by one a packet and wraps.
@frozen
public struct SequenceNumber: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The number as it stands on the wire.
    public var rawValue: UInt16

    /// The number that stands on the wire as `rawValue`.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The number that stands on the wire as `value`.
    @inlinable
    public init(_ value: UInt16) { self.rawValue = value }

    /// The number after this one; 65535 is followed by 0.
    @inlinable
    public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }

    /// The number `count` packets on (or back), wrapped.
    @inlinable
    public func advanced(by count: Int) -> SequenceNumber {
        SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: count))
    }

    /// How many packets this one comes after `other`, the short way round: -32768 to 32767.
    @inlinable
    public func distance(since other: SequenceNumber) -> Int {
        Int(Int16(bitPattern: rawValue &- other.rawValue))
    }

    /// Whether this one comes after `other`, the short way round.
    @inlinable
    public func isNewer(than other: SequenceNumber) -> Bool { distance(since: other) > 0 }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
