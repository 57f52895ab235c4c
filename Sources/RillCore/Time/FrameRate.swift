/// Frames per second as a ratio of whole numbers, as clips write it (30000/1001 is not 29.97).
@frozen
public struct FrameRate: Hashable, Sendable {
    /// Frames in `denominator` seconds; above zero.
    public let numerator: Int
    /// Seconds; above zero.
    public let denominator: Int

    /// A rate of `numerator` frames in `denominator` seconds. Both must lie in `1...Int32.max`: anything else is the
    /// caller's mistake (bytes from outside come in through ``init(validating:per:)``).
    public init(_ numerator: Int, per denominator: Int = 1) {
        precondition(
            FrameRate.range.contains(numerator) && FrameRate.range.contains(denominator),
            "a frame rate is a ratio of two numbers from 1 to 2147483647, not \(numerator)/\(denominator)")
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The same from numbers that somebody else wrote; `nil` when either is outside `1...Int32.max`.
    public init?(validating numerator: Int, per denominator: Int) {
        guard FrameRate.range.contains(numerator), FrameRate.range.contains(denominator) else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private static let range = 1...Int(Int32.max)

    /// When frame `index` (from zero) of a stream of this rate is due, rounded to the nearest nanosecond.
    public func time(ofFrame index: Int) -> MediaTime {
        let scaled = Int128(index) * Int128(denominator) * 1_000_000_000
        let half = Int128(numerator) / 2
        return MediaTime(nanoseconds: Int64((scaled + (scaled < 0 ? -half : half)) / Int128(numerator)))
    }

    /// The time from one frame to the next, rounded to the nearest nanosecond, and never zero: a file may claim two
    /// frames a nanosecond.
    public var interval: MediaDuration { max(time(ofFrame: 1) - .zero, MediaDuration(nanoseconds: 1)) }

    /// Frames per second; for reports and for rate control, which is not exact anyway.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }
}

extension FrameRate {
    /// The slower of two rates; the first where they are the same, however written (60/2 is 30).
    public static func slower(_ a: FrameRate, _ b: FrameRate) -> FrameRate {
        b.numerator * a.denominator < a.numerator * b.denominator ? b : a
    }
}

extension FrameRate: CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// Whole frames a second.
    public init(integerLiteral value: Int) { self.init(value) }

    /// `30`, or `30000/1001` where the rate is not whole.
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
