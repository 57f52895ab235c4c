import RillPages

/// A promise of Rill's, and whether this run keeps it.
struct Bar: Codable, Equatable, Sendable {
    /// What is promised: `17 participants, CPU`.
    var name: String
    /// What was measured, and what it may be at most.
    var figure: Double
    var limit: Double
    /// Behind both numbers: `%`, `×`, `MiB`.
    var unit: String

    var isMet: Bool { figure <= limit }

    /// `17 participants, CPU: 9.8 % of a core, at most 15: met`.
    var text: String { "\(name): \(figureText), at most \(limitText): \(isMet ? "met" : "missed")" }

    var figureText: String { Decimal.text(figure, decimals: unit == "×" ? 3 : figure < 100 ? 2 : 1) + unitText }
    var limitText: String { shortest(limit) + unitText }

    private var unitText: String { unit.isEmpty || unit == "×" ? unit : " \(unit)" }

    /// Without zeros at its end.
    private func shortest(_ value: Double) -> String {
        let decimals = (0...3).first { ((value * places($0)).rounded() / places($0) - value).magnitude < 1e-9 } ?? 3
        return Decimal.text(value, decimals: decimals)
    }

    private func places(_ decimals: Int) -> Double { [1, 10, 100, 1000][decimals] }
}
