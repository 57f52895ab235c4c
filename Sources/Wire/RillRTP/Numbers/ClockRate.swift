public import RillCore

/// The rate of a stream's RTP timestamps (RFC 3550 §5.1), with the constants of its conversions: the time of a packet
/// takes multiplications and no division.
///
/// ```swift
/// ClockRate.opus.time(of: 960)  // 20 ms
/// ```
///
/// A value; any thread may use it.
public struct ClockRate: Hashable, Sendable, BitwiseCopyable {
    /// Ticks per second.
    public let hertz: Int
    /// A tick has `numerator / denominator` nanoseconds, in lowest terms.
    @usableFromInline let numerator: Int64
    @usableFromInline let denominator: UInt64
    /// 2^64 / denominator, rounded up.
    @usableFromInline let reciprocal: UInt64
    /// Quotients of up to this many ticks are exact: the error of the reciprocal stays below one.
    @usableFromInline let limit: Int64

    /// The clock rate of every video payload format (RFC 7741 §4.1, RFC 9628 §4).
    public static let video = ClockRate(RTPTimestamp.videoClockRate)
    /// The clock rate of Opus (RFC 7587 §4.1).
    public static let opus = ClockRate(48_000)
    /// The clock rate of telephone codecs (RFC 3551 §4.5).
    public static let telephone = ClockRate(8000)

    /// A clock of `hertz` ticks per second, 1 to 2^32 - 1. Others trap.
    public init(_ hertz: Int) {
        precondition((1...Int(UInt32.max)).contains(hertz), "a clock rate of \(hertz) Hz")
        var (a, b) = (1_000_000_000, hertz)
        while b != 0 { (a, b) = (b, a % b) }
        self.hertz = hertz
        numerator = Int64(1_000_000_000 / a)
        denominator = UInt64(hertz / a)
        // A reciprocal of 1 would need 65 bits.
        reciprocal = denominator == 1 ? 0 : (UInt64.max / denominator) + 1
        // n * (reciprocal * denominator - 2^64) < 2^64 holds for n < 2^64 / denominator; and n fits 63 bits.
        let most = min(UInt64.max / denominator - denominator, UInt64(Int64.max) - denominator)
        limit = Int64(most / UInt64(numerator))
    }

    /// A clock of a description, where the rate is another side's: 0 is none.
    public init?(validating hertz: UInt32) {
        guard hertz > 0 else { return nil }
        self.init(Int(hertz))
    }

    /// Returns the time of `ticks` since zero, rounded to the nearest nanosecond, as `MediaTime(ticks:rate:)` does.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    public func time(of ticks: Int64) -> MediaTime {
        let magnitude = ticks.magnitude
        guard magnitude <= UInt64(limit) else { return MediaTime(ticks: ticks, rate: hertz) }
        let nanoseconds = Int64(quotient(magnitude &* UInt64(numerator) &+ denominator >> 1))
        return MediaTime(nanoseconds: ticks < 0 ? -nanoseconds : nanoseconds)
    }

    /// Returns the duration of `ticks`, rounded to the nearest nanosecond.
    @inlinable @inline(__always)
    public func duration(of ticks: Int64) -> MediaDuration { time(of: ticks) - .zero }

    /// Returns the nanoseconds of `ticks`, rounded towards zero.
    @inlinable
    package func wholeNanoseconds(of ticks: Int64) -> Int64 {
        let magnitude = ticks.magnitude
        guard magnitude <= UInt64(limit) else {
            return Int64(Int128(ticks) * 1_000_000_000 / Int128(hertz))
        }
        let nanoseconds = Int64(quotient(magnitude &* UInt64(numerator)))
        return ticks < 0 ? -nanoseconds : nanoseconds
    }

    /// Returns the ticks of a time since zero, rounded to the nearest tick.
    @inlinable
    public func ticks(of time: MediaTime) -> Int64 { time.ticks(rate: hertz) }

    @inlinable
    func quotient(_ value: UInt64) -> UInt64 {
        denominator == 1 ? value : value.multipliedFullWidth(by: reciprocal).high
    }
}
