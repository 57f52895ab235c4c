public import RillCore

/// A reduction of a stream's size, frame rate or both.
///
/// Sizes shrink by 3/4 and 2/3 alternately (1280x720, 960x540, 640x360, 480x270 …), so two steps halve each side.
/// Rates shrink by 2/3 (30, 20, 13 …).
public struct Degradation: Hashable, Sendable {
    /// The number of steps down in size.
    public private(set) var sizeSteps = 0
    /// The number of steps down in frame rate.
    public private(set) var rateSteps = 0

    /// No reduction.
    public static let none = Degradation()

    private init() {}

    /// This degradation with one more step down in size.
    public var smaller: Degradation { changed { $0.sizeSteps += 1 } }
    /// This degradation with one more step down in frame rate.
    public var slower: Degradation { changed { $0.rateSteps += 1 } }

    /// Returns the smaller size and the lower rate of both.
    package func combined(with other: Degradation) -> Degradation {
        changed {
            $0.sizeSteps = max(sizeSteps, other.sizeSteps)
            $0.rateSteps = max(rateSteps, other.rateSteps)
        }
    }

    private func changed(_ change: (inout Degradation) -> Void) -> Degradation {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns a reduced size: even sides, at least 2x2.
    public func applied(to resolution: Resolution) -> Resolution {
        let (numerator, shift) = (sizeSteps % 2 == 0 ? 1 : 3, sizeSteps / 2 + (sizeSteps % 2 == 0 ? 0 : 2))
        func side(_ length: Int) -> Int {
            guard sizeSteps > 0 else { return length }
            return max(2, ((length * numerator) >> min(shift, 30)) & ~1)
        }
        return Resolution(width: side(resolution.width), height: side(resolution.height))
    }

    /// Returns a reduced frame rate.
    public func applied(to rate: FrameRate) -> FrameRate {
        var (numerator, denominator, factor) = (rate.numerator, rate.denominator, 1.0)
        for _ in 0..<rateSteps { (numerator, denominator, factor) = (numerator * 2, denominator * 3, factor * 2 / 3) }
        if let exact = FrameRate(validating: numerator, per: denominator) { return exact }
        // A rate with huge numerator and denominator is approximated to the thousandth.
        let thousandths = min(max(1, rate.framesPerSecond * factor * 1000), Double(Int32.max))
        return FrameRate(Int(thousandths), per: 1000)
    }

    /// The remaining share of pixels per second, from 0 to 1.
    var load: Double {
        var load = 1.0
        for step in 0..<sizeSteps { load *= step % 2 == 0 ? 9.0 / 16 : 4.0 / 9 }
        for _ in 0..<rateSteps { load *= 2.0 / 3 }
        return load
    }
}

extension Degradation: CustomStringConvertible {
    /// `none`, or the steps: `size -2, rate -1`.
    public var description: String {
        let parts = [("size", sizeSteps), ("rate", rateSteps)].filter { $0.1 > 0 }.map { "\($0.0) -\($0.1)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}
