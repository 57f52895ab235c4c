/// An RTP packet's 32-bit timestamp (RFC 3550 §5.1) in ticks of the media clock, 90 kHz for video; it wraps.
@frozen
public struct RTPTimestamp: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire.
    public var rawValue: UInt32

    /// The clock rate of every video payload format in Hz (RFC 7741 §4.1, RFC 9628 §4).
    public static let videoClockRate = 90_000

    /// The timestamp with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The timestamp with the wire value `value`.
    @inlinable
    public init(_ value: UInt32) { self.rawValue = value }

    /// The timestamp `ticks` later (or earlier), wrapped.
    @inlinable
    public func advanced(by ticks: Int64) -> RTPTimestamp {
        RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: ticks))
    }

    /// Returns the ticks from `other` to this timestamp, by the shorter way around: -2^31 to 2^31 - 1.
    @inlinable
    public func distance(since other: RTPTimestamp) -> Int {
        Int(Int32(bitPattern: rawValue &- other.rawValue))
    }

    /// Returns whether this timestamp is after `other`, by the shorter way around.
    @inlinable
    public func isNewer(than other: RTPTimestamp) -> Bool { distance(since: other) > 0 }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
