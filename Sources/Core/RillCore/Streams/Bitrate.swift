/// A rate of data in bits per second.
@frozen
public struct Bitrate: Hashable, Comparable, Sendable {
    /// Bits per second; never negative.
    public let bitsPerSecond: Int

    /// Creates a rate in bits per second, which must not be negative.
    @inlinable
    public init(bitsPerSecond: Int) {
        precondition(bitsPerSecond >= 0, "a bitrate is not negative")
        self.bitsPerSecond = bitsPerSecond
    }

    /// Creates a rate in thousands of bits per second.
    @inlinable
    public static func kilobits(_ value: Int) -> Bitrate { Bitrate(bitsPerSecond: value * 1000) }
    /// Creates a rate in millions of bits per second.
    @inlinable
    public static func megabits(_ value: Int) -> Bitrate { Bitrate(bitsPerSecond: value * 1_000_000) }

    /// Thousands of bits per second.
    @inlinable
    public var kilobits: Double { Double(bitsPerSecond) / 1000 }

    /// Returns how long `bytes` take at this rate. The rate must not be 0; callers handle an unlimited link
    /// themselves.
    @inlinable
    public func duration(ofBytes bytes: Int) -> MediaDuration {
        MediaDuration(nanoseconds: Int64(bytes) * 8_000_000_000 / Int64(bitsPerSecond))
    }

    /// Whether `a` is the lower rate.
    @inlinable
    public static func < (a: Bitrate, b: Bitrate) -> Bool { a.bitsPerSecond < b.bitsPerSecond }
}

extension Bitrate: CustomStringConvertible {
    /// In the grammar of the command line: `45k`, `1500k`, `2M`, `123`.
    public var description: String {
        if bitsPerSecond >= 1_000_000, bitsPerSecond % 1_000_000 == 0 { return "\(bitsPerSecond / 1_000_000)M" }
        if bitsPerSecond >= 1000, bitsPerSecond % 1000 == 0 { return "\(bitsPerSecond / 1000)k" }
        return "\(bitsPerSecond)"
    }
}
