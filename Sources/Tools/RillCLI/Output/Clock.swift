/// Formats times since the start of a session: `42`, `1:30`, `2:05:00`.
enum Clock {
    /// The minimum units of a formatted time.
    enum Part: Int, Sendable {
        /// Only seconds, if it is below a minute.
        case seconds
        /// Minutes and seconds: `0:42`.
        case minutes
        /// Hours, minutes and seconds: `0:00:42`.
        case hours
    }

    /// Formats seconds with that many decimals; from a minute on as `min:s`, from an hour on as `h:min:s`.
    static func text(_ seconds: Double, decimals: Int = 0, from part: Part = .seconds) -> String {
        guard seconds.isFinite, seconds.magnitude < 1e9 else { return "–" }
        let rounded = Decimal.text(seconds.magnitude, decimals: decimals)
        // A value that rounds up to a minute is a minute.
        let wholeLength = decimals > 0 ? rounded.utf8.count - decimals - 1 : rounded.utf8.count
        guard let whole = Int(rounded.prefix(wholeLength)) else { return "–" }
        let fraction = rounded.dropFirst(wholeLength)
        let sign = seconds < 0 && (whole > 0 || fraction.contains { $0 > "0" }) ? "-" : ""
        guard whole >= 60 || part != .seconds else { return sign + rounded }
        let (minutes, rest) = whole.quotientAndRemainder(dividingBy: 60)
        guard minutes >= 60 || part == .hours else { return "\(sign)\(minutes):\(twoDigits(rest))\(fraction)" }
        return "\(sign)\(minutes / 60):\(twoDigits(minutes % 60)):\(twoDigits(rest))\(fraction)"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
