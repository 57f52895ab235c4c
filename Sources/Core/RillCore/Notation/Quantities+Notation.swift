extension Bitrate {
    /// The largest rate that a text may hold: a terabit per second.
    static let notationMaximum = Bitrate.megabits(1_000_000)

    /// Parses a rate as the command line writes it: bits per second, with `k` for thousands and `M` for millions.
    ///
    /// ```swift
    /// try Bitrate(notation: "1500k")  // 1 500 000 bits per second
    /// try Bitrate(notation: "1.5M")   // the same
    /// ```
    ///
    /// ``description`` uses the same grammar. Range: 0 to `1000000M`.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let bits = try DecimalNotation.parse(
            text, as: .bitrate, units: ["": 1, "k": 1000, "K": 1000, "M": 1_000_000],
            maximum: Int64(Bitrate.notationMaximum.bitsPerSecond))
        self.init(bitsPerSecond: Int(bits))
    }
}

extension MediaDuration {
    /// The longest duration that a text may hold: eleven days, so that the sum of a few of them cannot overflow.
    static let notationMaximum = MediaDuration.seconds(1_000_000)

    private static let units: KeyValuePairs<String, Int64> = ["s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1]

    /// Minutes are parsed but never written. Their unit is not `m`, which is more often a mistyped `ms`.
    private static let readableUnits: KeyValuePairs<String, Int64> = [
        "min": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1,
    ]

    /// Parses a duration as the command line writes it: a number and `min`, `s`, `ms`, `us` or `ns`.
    ///
    /// ```swift
    /// try MediaDuration(notation: "40ms")
    /// try MediaDuration(notation: "1.5s")
    /// try MediaDuration(notation: "10min")
    /// ```
    ///
    /// ``notation`` writes the same grammar exactly; ``description`` truncates to milliseconds or microseconds.
    /// Range: 0 to `1000000s`. Zero needs no unit.
    public init(notation text: some StringProtocol) throws(NotationError) {
        self.init(
            nanoseconds: try DecimalNotation.parse(
                text, as: .duration, units: MediaDuration.readableUnits,
                maximum: MediaDuration.notationMaximum.nanoseconds))
    }

    /// The exact duration in the command line's grammar, in the largest unit that needs at most three decimals:
    /// `40ms`, `1.5s`, `0.25ms`. Negative durations have a minus sign, which the grammar does not accept.
    public var notation: String {
        guard nanoseconds != 0 else { return "0s" }
        let magnitude = nanoseconds.magnitude
        let sign = nanoseconds < 0 ? "-" : ""
        for (name, size) in MediaDuration.units where magnitude >= UInt64(size) || name == "ns" {
            let whole = magnitude / UInt64(size)
            let thousandths = magnitude % UInt64(size)
            if thousandths == 0 { return "\(sign)\(whole)\(name)" }
            guard thousandths.isMultiple(of: UInt64(size) / 1000) else { continue }
            var decimals = String(thousandths / (UInt64(size) / 1000))
            decimals = String(repeating: "0", count: 3 - decimals.count) + decimals
            while decimals.last == "0" { decimals.removeLast() }
            return "\(sign)\(whole).\(decimals)\(name)"
        }
        return "\(sign)\(magnitude)ns"
    }
}

extension Resolution {
    /// Parses a size as the command line writes it: `640x480`.
    ///
    /// ``description`` uses the same grammar. Range: `1x1` to `16383x16383`.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let sides = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "X" }
        guard sides.count == 2, let width = naturalNumber(sides[0]), let height = naturalNumber(sides[1]) else {
            throw .notANumber(String(text), .resolution)
        }
        guard let resolution = Resolution(validatingWidth: width, height: height) else {
            throw .tooLarge(String(text), .resolution)
        }
        self = resolution
    }
}

extension FrameRate {
    /// Parses a rate as the command line writes it: `30`, or the ratio `30000/1001`.
    ///
    /// ``description`` uses the same grammar. Range: both numbers from 1 to 2147483647.
    public init(notation text: some StringProtocol) throws(NotationError) {
        if let decimal = FrameRate(decimal: text) {
            self = decimal
            return
        }
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count <= 2, let frames = naturalNumber(sides[0]),
            let seconds = sides.count == 2 ? naturalNumber(sides[1]) : 1
        else { throw .notANumber(String(text), .frameRate) }
        guard let rate = FrameRate(validating: frames, per: seconds) else {
            throw .tooLarge(String(text), .frameRate)
        }
        self = rate
    }
}

/// Parses a whole number of up to ten digits without a sign. Returns `nil` for anything else.
extension FrameRate {
    /// Parses a rate with a point, `29.97`, `12.5`; `nil` for any other text.
    ///
    /// The rates of television are multiples of 1000/1001, which people round: 23.976, 23.98, 29.97, 59.94 mean these.
    fileprivate init?(decimal text: some StringProtocol) {
        let sides = text.split(separator: ".", omittingEmptySubsequences: false)
        guard sides.count == 2, (1...6).contains(sides[1].utf8.count), let whole = naturalNumber(sides[0]),
            whole <= 1_000_000, let digits = naturalNumber(sides[1])
        else { return nil }
        let unit = sides[1].utf8.reduce(1) { unit, _ in unit * 10 }
        let number = whole * unit + digits
        let nominal = (number + unit / 2) / unit
        // Half of the last digit, or of the thousandth where more digits are given.
        let exact = nominal * 1000 * unit
        if nominal % 6 == 0 || nominal % 5 == 0, digits != 0, nominal > 0,
            abs(number * 1001 - exact) * 2 <= 1001 * max(1, unit / 1000)
        {
            self.init(nominal * 1000, per: 1001)
            return
        }
        var (a, b) = (number, unit)
        while b != 0 { (a, b) = (b, a % b) }
        guard a > 0, let rate = FrameRate(validating: number / a, per: unit / a) else { return nil }
        self = rate
    }
}

private func naturalNumber(_ text: some StringProtocol) -> Int? {
    guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
}
