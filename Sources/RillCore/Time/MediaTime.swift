/// A point in time, in nanoseconds on a monotonic clock.
///
/// Rill's core reads no clock: every stage that needs to know the time is told it as a `MediaTime`.
/// Where zero lies is the driver's business (virtual time starts at zero; the live driver uses
/// `CLOCK_MONOTONIC` since it started). Stamps of one pipeline share one zero, so they can be subtracted.
///
/// Range: 292 years either way. Arithmetic traps on overflow, which no call's time reaches. In JSON it is a number of
/// seconds.
@frozen
public struct MediaTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// The clock's zero.
    @inlinable
    public static var zero: MediaTime { MediaTime(nanoseconds: 0) }
    /// Later than every real point in time: "never", where an answer says when to wake a stage.
    @inlinable
    public static var distantFuture: MediaTime { MediaTime(nanoseconds: .max) }

    /// The point that lies so many nanoseconds after the clock's zero, or before it.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The point that lies `ticks` of a clock of `rate` hertz after zero, rounded to the nearest nanosecond.
    ///
    /// Any 64-bit tick count of a media clock is exact: where the product does not fit 64 bits it is formed in 128.
    @inlinable
    public init(ticks: Int64, rate: Int) {
        if rate == 90_000, abs(ticks) < 1 << 46 {
            // 100 000 / 9 nanoseconds a tick; five more bits than a century of video needs.
            let scaled = ticks &* 100_000
            self.nanoseconds = (scaled &+ (scaled < 0 ? -4 : 4)) / 9
            return
        }
        let scaled = Int128(ticks) * 1_000_000_000
        self.nanoseconds = Int64((scaled + Int128(scaled < 0 ? -rate : rate) / 2) / Int128(rate))
    }

    /// This point in ticks of a clock of `rate` hertz since zero, rounded to the nearest tick.
    @inlinable
    public func ticks(rate: Int) -> Int64 {
        let scaled = Int128(nanoseconds) * Int128(rate)
        return Int64((scaled + (scaled < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
    }

    /// Seconds since zero; for reports, not for arithmetic.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Earlier.
    @inlinable
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The point that lies `duration` later; traps on overflow, so not with ``distantFuture``.
    @inlinable
    public static func + (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds + duration.nanoseconds)
    }
    /// The point that lies `duration` earlier; traps on overflow.
    @inlinable
    public static func - (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds - duration.nanoseconds)
    }
    /// The way from `b` to `a`; negative where `a` is the earlier one.
    @inlinable
    public static func - (a: MediaTime, b: MediaTime) -> MediaDuration {
        MediaDuration(nanoseconds: a.nanoseconds - b.nanoseconds)
    }
    /// Moves the point later by `duration`.
    @inlinable
    public static func += (time: inout MediaTime, duration: MediaDuration) {
        time.nanoseconds += duration.nanoseconds
    }
}

// The operators of the standard library's protocols are there for whoever sees the type, whatever he imports.
extension MediaTime: InstantProtocol {
    /// The point that lies `duration` later; traps on overflow.
    @inlinable
    public func advanced(by duration: MediaDuration) -> MediaTime { self + duration }

    /// The way from this point to `other`; negative where that is the earlier one.
    @inlinable
    public func duration(to other: MediaTime) -> MediaDuration { other - self }
}

extension MediaTime: Codable {
    /// Reads seconds since zero.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try MediaDuration(from: decoder).nanoseconds
    }

    /// Writes seconds since zero.
    public func encode(to encoder: any Encoder) throws {
        try MediaDuration(nanoseconds: nanoseconds).encode(to: encoder)
    }
}

extension MediaTime: CustomStringConvertible {
    /// Seconds with milliseconds: `12.345s`.
    public var description: String { MediaDuration(nanoseconds: nanoseconds).description }
}
