/// The 32-bit identifier of a synchronization source (RFC 3550 §8): one per stream, chosen at random.
@frozen
public struct SSRC: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire.
    public var rawValue: UInt32

    /// The identifier with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The identifier with the wire value `value`.
    @inlinable
    public init(_ value: UInt32) { self.rawValue = value }

    /// Eight hexadecimal digits, as packet analyzers show them: `0x0000cafe`.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The 7-bit payload type of an RTP packet, which identifies its payload format (RFC 3550 §5.1, RFC 3551).
@frozen
public struct PayloadType: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire, 0 to 127.
    public let rawValue: UInt8

    /// A payload type with that value; `nil` if it is over 127.
    @inlinable
    public init?(rawValue: UInt8) {
        guard rawValue < 128 else { return nil }
        self.rawValue = rawValue
    }

    /// A payload type with a value that is known to be valid. Traps if it is over 127. Dynamic types are 96 to 127.
    @inlinable
    public init(_ value: UInt8) {
        precondition(value < 128, "a payload type has 7 bits")
        self.rawValue = value
    }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}

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
