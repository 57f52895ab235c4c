/// Formats decimal numbers without Foundation's locales, so that programs can parse the output.
enum Decimal {
    /// Formats `value` with that many decimals, rounded to nearest; `–` if there is none.
    static func text(_ value: Double?, decimals: Int) -> String {
        guard let value, value.isFinite, value.magnitude < 1e15 else { return "–" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(scaled / Int64(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// Formats a fraction of one in percent: `98.5 %`.
    static func percent(_ share: Double) -> String { text(share * 100, decimals: 1) + " %" }
}
