/// A point in time, in nanoseconds on a monotonic clock.
///
/// Rill's core reads no clock: every stage that needs the time gets it as a `MediaTime`. The driver chooses the zero:
/// virtual time starts at zero; the live driver uses `CLOCK_MONOTONIC` since its start. Timestamps of one pipeline
/// share one zero, so they can be subtracted.
///
/// Range: ±292 years. Arithmetic traps on overflow, which the duration of a call never reaches. In JSON it is a
/// number of seconds.
@frozen
public struct MediaTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// The clock's zero.
    @inlinable
    public static var zero: MediaTime { MediaTime(nanoseconds: 0) }
    /// A time later than any real one: "never", in results that report when to wake a stage.
    @inlinable
    public static var distantFuture: MediaTime { MediaTime(nanoseconds: .max) }

    /// Creates the point that many nanoseconds after the clock's zero; negative values are before it.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Creates the point `ticks` of a clock of `rate` hertz after zero, rounded to the nearest nanosecond.
    ///
    /// Every 64-bit tick count of a media clock converts exactly: products that do not fit 64 bits are computed in
    /// 128.
    @inlinable
    public init(ticks: Int64, rate: Int) {
        let scaled = Int128(ticks) * 1_000_000_000
        self.nanoseconds = Int64((scaled + Int128(scaled < 0 ? -rate : rate) / 2) / Int128(rate))
    }

    /// Returns this point in ticks of a clock of `rate` hertz since zero, rounded to the nearest tick.
    @inlinable
    public func ticks(rate: Int) -> Int64 {
        let scaled = Int128(nanoseconds) * Int128(rate)
        return Int64((scaled + (scaled < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
    }

    /// Seconds since zero, for reports, not for arithmetic.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Whether `a` is earlier.
    @inlinable
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Returns the point `duration` later. Traps on overflow, so never add to ``distantFuture``.
    @inlinable
    public static func + (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds + duration.nanoseconds)
    }
    /// Returns the point `duration` earlier. Traps on overflow.
    @inlinable
    public static func - (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds - duration.nanoseconds)
    }
    /// Returns the time from `b` to `a`; negative if `a` is earlier.
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

// The operators of the standard library's protocols are visible wherever the type is, whatever is imported.
extension MediaTime: InstantProtocol {
    /// Returns the point `duration` later. Traps on overflow.
    @inlinable
    public func advanced(by duration: MediaDuration) -> MediaTime { self + duration }

    /// Returns the time from this point to `other`; negative if `other` is earlier.
    @inlinable
    public func duration(to other: MediaTime) -> MediaDuration { other - self }
}

extension MediaTime: Codable {
    /// Decodes seconds since zero.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try MediaDuration(from: decoder).nanoseconds
    }

    /// Encodes seconds since zero.
    public func encode(to encoder: any Encoder) throws {
        try MediaDuration(nanoseconds: nanoseconds).encode(to: encoder)
    }
}

extension MediaTime: CustomStringConvertible {
    /// The time since zero, written as ``MediaDuration/description`` writes it: `12.345s`, `40ms`.
    public var description: String { MediaDuration(nanoseconds: nanoseconds).description }
}
