// For libm's rounding: this links it for programs that use only this module.
internal import Glibc

/// Formats decimal numbers without Foundation's locales, so that programs can parse the output.
public enum Decimal {
    /// Formats `value` with that many decimals, rounded to nearest; `–` if there is none.
    public static func text(_ value: Double?, decimals: Int) -> String {
        guard let value, value.isFinite, value.magnitude < 1e15 else { return "–" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(scaled / Int64(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// Formats a fraction of one in percent: `98.5 %`.
    public static func percent(_ share: Double) -> String { text(share * 100, decimals: 1) + " %" }

    /// Formats a coordinate in a drawing: at most one decimal, and none if it is zero.
    static func place(_ value: Double) -> String {
        let tenths = Int64((value * 10).rounded())
        guard tenths % 10 != 0 else { return "\(tenths / 10)" }
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
