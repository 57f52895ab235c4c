import RillCore

/// The times that a file may contain: within 73 years (2^61 ns) of its start. So no difference or sum of two of them
/// overflows downstream, where arithmetic on times traps.
enum FileTime {
    private static let limit = Int128(1) << 61

    /// Returns how many frames of that rate have such times.
    static func frameLimit(at rate: FrameRate) -> Int {
        let frames = limit * Int128(rate.numerator) / (Int128(rate.denominator) * 1_000_000_000)
        return Int(clamping: frames) + 1
    }

    /// Returns the time of `ticks` ticks of `numerator / denominator` seconds, rounded to the nearest nanosecond;
    /// `nil` beyond the limit. The product of 64, 32 and 30 bits is computed in 128.
    static func time(ofTicks ticks: Int64, numerator: UInt32, denominator: UInt32) -> MediaTime? {
        let scaled = Int128(ticks) * Int128(numerator) * 1_000_000_000
        let half = Int128(denominator) / 2
        let nanoseconds = (scaled + (scaled < 0 ? -half : half)) / Int128(denominator)
        guard nanoseconds.magnitude <= limit.magnitude else { return nil }
        return MediaTime(nanoseconds: Int64(nanoseconds))
    }
}

extension SourceFormat {
    /// Returns the time of an existing frame, for a clip with a fixed rate.
    func time(ofFrame frame: Int) -> MediaTime? {
        guard let frameRate, let frameCount, (0..<frameCount).contains(frame) else { return nil }
        return frameRate.time(ofFrame: frame)
    }
}
