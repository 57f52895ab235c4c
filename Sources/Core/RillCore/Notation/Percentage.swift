/// A share of a whole or a probability, from 0 to 100 percent, in steps of a ten-thousandth of a percent.
///
/// It is a count of whole steps, not a floating-point number, so the written value is exactly the stored one.
@frozen
public struct Percentage: Hashable, Comparable, Sendable {
    /// The number of steps of 0.0001 %: 0 to 1 000 000.
    public let partsPerMillion: Int

    /// 0 %: nothing, or never.
    public static let zero = Percentage(partsPerMillion: 0)
    /// 100 %: the whole, or always.
    public static let all = Percentage(partsPerMillion: 1_000_000)

    /// Creates a share in millionths. Traps outside `0...1_000_000`.
    public init(partsPerMillion: Int) {
        precondition(
            (0...1_000_000).contains(partsPerMillion), "a share lies within 0 to 1000000 ppm, not \(partsPerMillion)")
        self.partsPerMillion = partsPerMillion
    }

    /// Creates a share in whole percent. Traps outside 0 to 100.
    public static func percent(_ value: Int) -> Percentage {
        precondition((0...100).contains(value), "a share lies within 0 to 100 %, not \(value)")
        return Percentage(partsPerMillion: 10_000 * value)
    }

    /// Parses a share as the command line writes it: `2%`, `0.5%`. Zero needs no unit.
    ///
    /// ``description`` uses the same grammar. Range: `0%` to `100%`, with at most four decimals.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let parts = try DecimalNotation.parse(text, as: .percentage, units: ["%": 10_000], maximum: 1_000_000)
        self.init(partsPerMillion: Int(parts))
    }

    /// The share as a number from 0 to 1.
    public var fraction: Double { Double(partsPerMillion) / 1e6 }

    /// Returns `true` with this probability.
    ///
    /// It always takes exactly one number from the generator, so two runs that differ only in a probability stay in
    /// step. For the same number, `true` at one probability means `true` at every larger one.
    package func draw(using generator: inout SeededGenerator) -> Bool {
        // The upper half of a 64x20-bit product: a number from 0 to 999 999, uniform to one part in 2^44.
        generator.next().multipliedFullWidth(by: 1_000_000).high < UInt64(partsPerMillion)
    }

    /// Whether `a` is the smaller share.
    public static func < (a: Percentage, b: Percentage) -> Bool { a.partsPerMillion < b.partsPerMillion }
}

extension Percentage: CustomStringConvertible {
    /// With as many decimals as needed: `2%`, `0.5%`.
    public var description: String {
        let whole = partsPerMillion / 10_000
        let rest = partsPerMillion % 10_000
        guard rest > 0 else { return "\(whole)%" }
        var decimals = String(10_000 + rest).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)%"
    }
}
