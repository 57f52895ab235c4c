/// A span of time in nanoseconds: the difference of two ``MediaTime`` values.
///
/// Swift's own `Duration` counts attoseconds in 128 bits. This type is a single machine word, which suits per-packet
/// code. ``init(_:)`` converts at the edge of the API. In JSON it is a number of seconds, as in W3C webrtc-stats.
@frozen
public struct MediaDuration: Hashable, Comparable, Sendable {
    /// The length in nanoseconds; negative if the first point is later than the second.
    public var nanoseconds: Int64

    /// Zero.
    @inlinable
    public static var zero: MediaDuration { MediaDuration(nanoseconds: 0) }

    /// Creates a length in nanoseconds, within ±292 years.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Converts Swift's `Duration`, truncated to whole nanoseconds. Values beyond 292 years are clamped.
    @inlinable
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self.nanoseconds = overflow ? (seconds < 0 ? .min : .max) : whole &+ attoseconds / 1_000_000_000
    }

    /// Creates a length in whole seconds. Traps beyond 292 years.
    @inlinable
    public static func seconds(_ value: Int) -> MediaDuration {
        MediaDuration(nanoseconds: Int64(value) * 1_000_000_000)
    }
    /// Creates a length in seconds, rounded to the nearest nanosecond. `value` must be finite and below 292 years.
    @inlinable
    public static func seconds(_ value: Double) -> MediaDuration {
        MediaDuration(nanoseconds: Int64((value * 1e9).rounded()))
    }
    /// Creates a length in whole milliseconds. Traps beyond 292 years.
    @inlinable
    public static func milliseconds(_ value: Int) -> MediaDuration {
        MediaDuration(nanoseconds: Int64(value) * 1_000_000)
    }
    /// Creates a length in whole microseconds. Traps beyond 292 years.
    @inlinable
    public static func microseconds(_ value: Int) -> MediaDuration { MediaDuration(nanoseconds: Int64(value) * 1000) }

    /// The length in seconds, for reports and statistics.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }
    /// The length in milliseconds, for reports.
    @inlinable
    public var milliseconds: Double { Double(nanoseconds) / 1e6 }

    /// Whether `a` is shorter, or more negative.
    @inlinable
    public static func < (a: MediaDuration, b: MediaDuration) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Returns the sum. Traps on overflow, as all arithmetic here does.
    @inlinable
    public static func + (a: MediaDuration, b: MediaDuration) -> MediaDuration {
        MediaDuration(nanoseconds: a.nanoseconds + b.nanoseconds)
    }
    /// Returns the first length minus the second; negative if the second is longer.
    @inlinable
    public static func - (a: MediaDuration, b: MediaDuration) -> MediaDuration {
        MediaDuration(nanoseconds: a.nanoseconds - b.nanoseconds)
    }
    /// Returns the length times `factor`.
    @inlinable
    public static func * (a: MediaDuration, factor: Int) -> MediaDuration {
        MediaDuration(nanoseconds: a.nanoseconds * Int64(factor))
    }
    /// Returns the length divided by `divisor`, truncated toward zero to whole nanoseconds. `divisor` must not be 0.
    @inlinable
    public static func / (a: MediaDuration, divisor: Int) -> MediaDuration {
        MediaDuration(nanoseconds: a.nanoseconds / Int64(divisor))
    }
    /// Adds the second length to the first.
    @inlinable
    public static func += (a: inout MediaDuration, b: MediaDuration) { a.nanoseconds += b.nanoseconds }
}

extension MediaDuration: DurationProtocol {
    /// Returns the ratio of the first length to the second.
    @inlinable
    public static func / (a: MediaDuration, b: MediaDuration) -> Double {
        Double(a.nanoseconds) / Double(b.nanoseconds)
    }
}

extension MediaDuration: Codable {
    /// Decodes seconds, rounded to the nearest nanosecond.
    ///
    /// - Throws: `DecodingError` if the value is not a number or is beyond 292 years.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let seconds = try container.decode(Double.self)
        guard let nanoseconds = Int64(exactly: (seconds * 1e9).rounded()) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(seconds) seconds are not within 292 years")
        }
        self.init(nanoseconds: nanoseconds)
    }

    /// Encodes seconds. Lengths below 52 days decode to the same nanosecond.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }
}

extension MediaDuration: CustomStringConvertible {
    /// Seconds from one second up (`1.250s`), milliseconds below (`40ms`, `0.350ms`).
    public var description: String {
        let sign = nanoseconds < 0 ? "-" : ""
        let magnitude = nanoseconds.magnitude
        if magnitude >= 1_000_000_000 {
            let milliseconds = magnitude / 1_000_000
            return "\(sign)\(milliseconds / 1000).\(paddedTo3(milliseconds % 1000))s"
        }
        let microseconds = magnitude / 1000
        guard microseconds % 1000 != 0 else { return "\(sign)\(microseconds / 1000)ms" }
        return "\(sign)\(microseconds / 1000).\(paddedTo3(microseconds % 1000))ms"
    }
}

private func paddedTo3(_ value: UInt64) -> String {
    let digits = String(value)
    return String(repeating: "0", count: 3 - digits.count) + digits
}
