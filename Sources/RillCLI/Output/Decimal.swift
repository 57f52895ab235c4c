/// Decimal numbers as text, without Foundation's locales: what a program prints, a program can read.
enum Decimal {
    /// `value` with that many decimals, rounded to the nearest; `–` where there is none.
    static func text(_ value: Double?, decimals: Int) -> String {
        guard let value, value.isFinite, value.magnitude < 1e15 else { return "–" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(scaled / Int64(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// A share of one in percent: `98.5 %`.
    static func percent(_ share: Double) -> String { text(share * 100, decimals: 1) + " %" }
}
