/// An RTP packet's 32-bit timestamp (RFC 3550 §5.1) in ticks of the media clock, 90 kHz for video; it wraps.
@frozen
public struct RTPTimestamp: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The number as it stands on the wire.
    public var rawValue: UInt32

    /// Ticks a second of every video payload format (RFC 7741 §4.1, RFC 9628 §4).
    public static let videoClockRate = 90_000

    /// The stamp that stands on the wire as `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The stamp that stands on the wire as `value`.
    @inlinable
    public init(_ value: UInt32) { self.rawValue = value }

    /// The stamp `ticks` later (or earlier), wrapped.
    @inlinable
    public func advanced(by ticks: Int64) -> RTPTimestamp {
        RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: ticks))
    }

    /// How many ticks this one lies after `other`, the short way round: -2^31 to 2^31 - 1.
    @inlinable
    public func distance(since other: RTPTimestamp) -> Int {
        Int(Int32(bitPattern: rawValue &- other.rawValue))
    }

    /// Whether this one lies after `other`, the short way round.
    @inlinable
    public func isNewer(than other: RTPTimestamp) -> Bool { distance(since: other) > 0 }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
