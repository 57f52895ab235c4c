// RFC 3550 §4 and RFC 5905 §6:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                    seconds since 1 January 1900               |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                  fraction of a second, in 2^-32               |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// A point in time as RTCP writes it: seconds since 1 January 1900 UTC, in 32.32 bits (RFC 3550 §4).
///
/// It wraps every 136 years, next on 7 February 2036; differences are taken the short way round and do not mind. No clock
/// is read here: whoever has one says what it shows.
@frozen
public struct NTPTimestamp: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// Seconds times 2^32, as the 64 bits stand on the wire.
    public var rawValue: UInt64

    /// The stamp that stands on the wire as `rawValue`.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The two words of the wire.
    @inlinable
    public init(seconds: UInt32, fraction: UInt32) {
        self.rawValue = UInt64(seconds) << 32 | UInt64(fraction)
    }

    /// 1 January 1970, where Unix time begins.
    public static let unixEpoch = NTPTimestamp(seconds: 2_208_988_800, fraction: 0)

    /// Whole seconds since 1900, modulo 2^32.
    @inlinable
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    /// The rest of the second, in 2^-32 s (0.23 ns).
    @inlinable
    public var fraction: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// The middle 32 bits, which a receiver sends back as LSR (RFC 3550 §6.4.1).
    @inlinable
    public var short: NTPShort { NTPShort(rawValue: UInt32(truncatingIfNeeded: rawValue >> 16)) }

    /// The point `nanoseconds` later (or earlier), rounded to the nearest 2^-32 s, wrapped.
    @inlinable
    public func advanced(byNanoseconds nanoseconds: Int64) -> NTPTimestamp {
        let scaled = Int128(nanoseconds) << 32
        let steps = (scaled + (scaled < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return NTPTimestamp(rawValue: rawValue &+ UInt64(truncatingIfNeeded: steps))
    }

    /// How many nanoseconds this one lies after `other`, the short way round: 68 years either way, rounded to the
    /// nearest.
    @inlinable
    public func nanoseconds(since other: NTPTimestamp) -> Int64 {
        let steps = Int64(bitPattern: rawValue &- other.rawValue)
        return Int64((Int128(steps) * 1_000_000_000 + (1 << 31)) >> 32)
    }

    /// Both words in hexadecimal, as RFC 3550 writes them: `b44db705:20000000`.
    public var description: String { "\(hexadecimal(seconds)):\(hexadecimal(fraction))" }
}

/// The short form of an NTP time, 16.16 bits of a second (RFC 5905 §6): a point in time modulo 18 hours, or a delay.
@frozen
public struct NTPShort: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// Seconds times 65536, as the 32 bits stand on the wire.
    public var rawValue: UInt32

    /// No delay.
    public static let zero = NTPShort(rawValue: 0)

    /// The time that stands on the wire as `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A delay, rounded to the nearest 1/65536 s (15 µs); what lies outside 0 to 65536 s is clamped.
    @inlinable
    public init(nanoseconds: Int64) {
        let steps = ((Int128(nanoseconds) << 16) + 500_000_000) / 1_000_000_000
        self.rawValue = UInt32(clamping: steps)
    }

    /// The delay in nanoseconds, rounded to the nearest.
    @inlinable
    public var nanoseconds: Int64 { (Int64(rawValue) * 1_000_000_000 + (1 << 15)) >> 16 }

    /// How many 1/65536 s this point lies after `other`, the short way round: 9 hours either way.
    @inlinable
    public func distance(since other: NTPShort) -> Int {
        Int(Int32(bitPattern: rawValue &- other.rawValue))
    }

    /// The point that lies `delay` before this one, wrapped.
    @inlinable
    public static func &- (point: NTPShort, delay: NTPShort) -> NTPShort {
        NTPShort(rawValue: point.rawValue &- delay.rawValue)
    }

    /// In hexadecimal, as RFC 3550 writes it: `b710:8000`.
    public var description: String {
        let digits = hexadecimal(rawValue)
        return "\(digits.prefix(4)):\(digits.suffix(4))"
    }
}

private func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
