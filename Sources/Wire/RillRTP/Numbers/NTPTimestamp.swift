/// A point in time in RTCP's format: seconds since 1 January 1900 UTC in 32.32 bits (RFC 3550 §4, RFC 5905 §6).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                    seconds since 1 January 1900               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  fraction of a second, in 2^-32               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// It wraps every 136 years, next on 7 February 2036. Differences are taken by the shorter way around, so wrapping
/// does not affect them. This type does not read a clock; the caller provides the time.
@frozen
public struct NTPTimestamp: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// Seconds times 2^32: the 64 bits on the wire.
    public var rawValue: UInt64

    /// The timestamp with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A timestamp of the two 32-bit words on the wire.
    @inlinable
    public init(seconds: UInt32, fraction: UInt32) {
        self.rawValue = UInt64(seconds) << 32 | UInt64(fraction)
    }

    /// 1 January 1970, the epoch of Unix time.
    public static let unixEpoch = NTPTimestamp(seconds: 2_208_988_800, fraction: 0)

    /// Whole seconds since 1900, modulo 2^32.
    @inlinable
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    /// The fraction of the second, in 2^-32 s (0.23 ns).
    @inlinable
    public var fraction: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// The middle 32 bits, which a receiver returns as LSR (RFC 3550 §6.4.1).
    @inlinable
    public var short: NTPShort { NTPShort(rawValue: UInt32(truncatingIfNeeded: rawValue >> 16)) }

    /// Returns the time `nanoseconds` later (or earlier, if negative), rounded to the nearest 2^-32 s, wrapped.
    @inlinable
    public func advanced(byNanoseconds nanoseconds: Int64) -> NTPTimestamp {
        let scaled = Int128(nanoseconds) << 32
        let steps = (scaled + (scaled < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
        return NTPTimestamp(rawValue: rawValue &+ UInt64(truncatingIfNeeded: steps))
    }

    /// Returns the nanoseconds from `other` to this timestamp, by the shorter way around: within ±68 years, rounded
    /// to nearest.
    @inlinable
    public func nanoseconds(since other: NTPTimestamp) -> Int64 {
        let steps = Int64(bitPattern: rawValue &- other.rawValue)
        return Int64((Int128(steps) * 1_000_000_000 + (1 << 31)) >> 32)
    }

    /// Both words in hexadecimal, as in RFC 3550: `b44db705:20000000`.
    public var description: String { "\(hexadecimal(seconds)):\(hexadecimal(fraction))" }
}

/// The short NTP format, 16.16 bits of a second (RFC 5905 §6): a point in time modulo 18 hours, or a delay.
@frozen
public struct NTPShort: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// Seconds times 65536: the 32 bits on the wire.
    public var rawValue: UInt32

    /// A delay of zero.
    public static let zero = NTPShort(rawValue: 0)

    /// The time with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A delay, rounded to the nearest 1/65536 s (15 µs) and clamped to 0 to 65536 s.
    @inlinable
    public init(nanoseconds: Int64) {
        let steps = ((Int128(nanoseconds) << 16) + 500_000_000) / 1_000_000_000
        self.rawValue = UInt32(clamping: steps)
    }

    /// The delay in nanoseconds, rounded to nearest.
    @inlinable
    public var nanoseconds: Int64 { (Int64(rawValue) * 1_000_000_000 + (1 << 15)) >> 16 }

    /// Returns the time from `other` to this point in 1/65536 s, by the shorter way around: within ±9 hours.
    @inlinable
    public func distance(since other: NTPShort) -> Int {
        Int(Int32(bitPattern: rawValue &- other.rawValue))
    }

    /// Returns the point in time `delay` before `point`, wrapped.
    @inlinable
    public static func &- (point: NTPShort, delay: NTPShort) -> NTPShort {
        NTPShort(rawValue: point.rawValue &- delay.rawValue)
    }

    /// In hexadecimal, as in RFC 3550: `b710:8000`.
    public var description: String {
        let digits = hexadecimal(rawValue)
        return "\(digits.prefix(4)):\(digits.suffix(4))"
    }
}

private func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
