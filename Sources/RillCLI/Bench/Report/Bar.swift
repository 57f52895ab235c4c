import RillPages

/// A promise of Rill's, and whether this run keeps it.
struct Bar: Codable, Equatable, Sendable {
    /// What is promised: `17 participants, CPU`.
    var name: String
    /// What was measured; `nil` where nothing was, which keeps no promise.
    var figure: Double?
    /// What it may be at most.
    var limit: Double
    /// Behind both numbers: `%`, `×`, `MiB`.
    var unit: String
    /// What the figure is made of.
    var note = ""

    var isMet: Bool { figure.map { $0 <= limit } ?? false }

    /// `17 participants, CPU: 9.80 % of a core, at most 15 % of a core: met`.
    var text: String { "\(name): \(finding): \(isMet ? "met" : "missed")" }

    /// `9.80 %, at most 15 %`.
    var finding: String {
        guard let figure else { return "nothing was measured" }
        let measured = Decimal.text(figure, decimals: decimals(figure)) + unitText
        let allowed = limit == 0 ? "" : ", at most \(Decimal.text(limit, decimals: decimals(limit)) + unitText)"
        return measured + allowed + (note.isEmpty ? "" : " (\(note))")
    }

    private var unitText: String { unit.isEmpty || unit == "×" ? unit : " \(unit)" }

    /// None for whole numbers, else three: as many as the strictest limit has.
    private func decimals(_ value: Double) -> Int { value == value.rounded() ? 0 : 3 }
}
