/// Frames per second as a ratio of whole numbers, as clips store it (30000/1001 is not 29.97).
@frozen
public struct FrameRate: Hashable, Sendable {
    /// Frames per `denominator` seconds; positive.
    public let numerator: Int
    /// Seconds; positive.
    public let denominator: Int

    /// Creates a rate of `numerator` frames per `denominator` seconds. Both must be in `1...Int32.max`; others trap.
    /// Use ``init(validating:per:)`` for values from outside.
    public init(_ numerator: Int, per denominator: Int = 1) {
        precondition(
            FrameRate.range.contains(numerator) && FrameRate.range.contains(denominator),
            "a frame rate is a ratio of two numbers from 1 to 2147483647, not \(numerator)/\(denominator)")
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Creates a rate from untrusted values. Returns `nil` if either is outside `1...Int32.max`.
    public init?(validating numerator: Int, per denominator: Int) {
        guard FrameRate.range.contains(numerator), FrameRate.range.contains(denominator) else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private static let range = 1...Int(Int32.max)

    /// Returns the time of frame `index` (from 0) of a stream of this rate, rounded to the nearest nanosecond.
    public func time(ofFrame index: Int) -> MediaTime {
        let scaled = Int128(index) * Int128(denominator) * 1_000_000_000
        let half = Int128(numerator) / 2
        return MediaTime(nanoseconds: Int64((scaled + (scaled < 0 ? -half : half)) / Int128(numerator)))
    }

    /// The time from one frame to the next, rounded to the nearest nanosecond. It is never zero, although a file may
    /// declare two frames per nanosecond.
    public var interval: MediaDuration { max(time(ofFrame: 1) - .zero, MediaDuration(nanoseconds: 1)) }

    /// Frames per second as a floating-point number, for reports and rate control.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }
}

extension FrameRate {
    /// Returns the slower of two rates; the first if they are equal, however written (60/2 is 30).
    public static func slower(_ a: FrameRate, _ b: FrameRate) -> FrameRate {
        b.numerator * a.denominator < a.numerator * b.denominator ? b : a
    }
}

extension FrameRate: CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// Creates a rate of whole frames per second.
    public init(integerLiteral value: Int) { self.init(value) }

    /// `30`, or `30000/1001` if the rate is not whole.
    public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
