import RillPages

/// A quantity that is compared; of each, less is better.
enum Measure: String, Codable, CaseIterable, Sendable {
    case instructions
    case cpu
    case wall
    case memory

    var title: String {
        switch self {
        case .instructions: "instructions"
        case .cpu: "CPU seconds"
        case .wall: "wall seconds"
        case .memory: "peak memory"
        }
    }

    /// Differences below this are no differences, however little the machine scattered: what another link order or a
    /// longer path name makes.
    var leastScatter: Double {
        switch self {
        case .instructions: 0.002
        case .cpu, .wall, .memory: 0.01
        }
    }

    /// The same where there were few turns, whose scatter is itself a matter of chance: of seconds a tenth.
    func leastScatter(turns: Int) -> Double {
        switch self {
        case .cpu, .wall: turns < Measure.fewTurns ? 0.1 : leastScatter
        case .instructions, .memory: leastScatter
        }
    }

    /// Fewer turns than these are too few for seconds to be compared by.
    static let fewTurns = 5

    /// A value for people.
    func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        switch self {
        case .instructions: return Decimal.text(value / 1e9, decimals: value < 1e9 ? 3 : 2) + " G"
        case .cpu, .wall: return Decimal.text(value, decimals: value < 10 ? 3 : 2) + " s"
        case .memory: return Decimal.text(value / 1_048_576, decimals: 1) + " MiB"
        }
    }
}
