/// The target of one figure of a case over many seeds.
enum Target {
    /// The median of the seeds, and the worst of them.
    case atLeast(Double, worst: Double)
    case atMost(Double, worst: Double)
    /// Nine of ten seeds.
    case mostlyAtMost(Double)
    /// The figure is reported only.
    case reported
}

/// One figure of one call.
struct Figure {
    var name: String
    var value: Double
    var target: Target

    init(_ name: String, _ value: Double, _ target: Target = .reported) {
        (self.name, self.value, self.target) = (name, value, target)
    }
}

/// A link and the figures of its case.
struct Case: Sendable {
    var name: String
    var plan: CallPlan
    /// The reason why a target is missed; `nil` if all are met.
    var knownMiss: String?
    var judge: @Sendable (SimulatedCall) -> [Figure]

    init(
        _ name: String, _ plan: CallPlan, knownMiss: String? = nil,
        judge: @escaping @Sendable (SimulatedCall) -> [Figure]
    ) {
        (self.name, self.plan, self.knownMiss, self.judge) = (name, plan, knownMiss, judge)
    }
}

/// The figures of a case over seeds: for each the median, the worst seed, and whether they meet the targets.
struct CaseResult {
    struct Row {
        var name: String
        var target: Target
        var values: [Double]

        var median: Double { values.median }

        /// The seed farthest on the wrong side.
        var worst: Double {
            switch target {
            case .atLeast: values.min() ?? 0
            case .atMost, .mostlyAtMost, .reported: values.max() ?? 0
            }
        }

        var isMet: Bool {
            switch target {
            case .atLeast(let middle, let least): median >= middle && worst >= least
            case .atMost(let middle, let most): median <= middle && worst <= most
            case .mostlyAtMost(let most): values.count { $0 <= most } * 10 >= values.count * 9
            case .reported: true
            }
        }

        /// Whether the worst seed is within the limit of the worst of twenty.
        var isTolerable: Bool { isTolerable(by: worst) }

        /// The same for a case that is known to miss its targets: it must not collapse.
        var isRoughlyTolerable: Bool {
            switch target {
            case .atLeast(_, let least): worst >= 0.8 * least
            case .atMost(_, let most): worst <= 2 * most
            case .mostlyAtMost, .reported: true
            }
        }

        func isTolerable(by value: Double) -> Bool {
            switch target {
            case .atLeast(_, let least): value >= least
            case .atMost(_, let most): value <= most
            case .mostlyAtMost(let most): value <= 1.25 * most
            case .reported: true
            }
        }

        var description: String {
            "\(name) \(CaseResult.short(median)) [\(CaseResult.short(worst))]\(isMet ? "" : " !")"
        }
    }

    var name: String
    private(set) var rows: [Row] = []

    init(_ item: Case, seeds: ClosedRange<UInt64>) throws {
        name = item.name
        for seed in seeds {
            let figures = item.judge(try SimulatedCall(item.plan, seed: seed))
            if rows.isEmpty { rows = figures.map { Row(name: $0.name, target: $0.target, values: []) } }
            for (index, figure) in figures.enumerated() { rows[index].values.append(figure.value) }
        }
    }

    /// The missed targets, as text.
    var misses: [String] { rows.filter { !$0.isMet }.map { "\(name): \($0.description)" } }

    var description: String {
        "\(name) | " + rows.map(\.description).joined(separator: " | ")
    }

    /// Three digits of a number.
    static func short(_ value: Double) -> String {
        let scale = abs(value) < 9.995 ? 1000.0 : 10
        let text = "\((value * scale).rounded() / scale)"
        return text.hasPrefix("0.") ? String(text.dropFirst()) : text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
