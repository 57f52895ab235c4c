import RillRTP

/// The outcomes of one kind: the names of an enum's cases. A `switch` without default maps each case to one, so that a
/// new case does not compile before it has a name here; and a name that no input reaches fails the run.
protocol OutcomeKind: CaseIterable, Hashable, RawRepresentable<String>, Sendable {}

/// Counts outcomes by name.
struct OutcomeBook {
    private(set) var counts: [String: Int] = [:]
    private var names: Set<String> = []

    /// Expects each outcome of that kind.
    mutating func expect<Kind: OutcomeKind>(_ kind: Kind.Type) {
        for one in kind.allCases { names.insert(OutcomeBook.name(of: one)) }
    }

    mutating func note(_ outcome: some OutcomeKind) { counts[OutcomeBook.name(of: outcome), default: 0] += 1 }

    private static func name<Kind: OutcomeKind>(of outcome: Kind) -> String { "\(Kind.self).\(outcome.rawValue)" }

    /// Expects each counter of statistics to rise above zero, and adds what they are.
    ///
    /// - Parameters:
    ///   - statistics: a struct of counters, and of structs of them.
    ///   - name: what it is called.
    mutating func noteCounters(of statistics: Any, _ name: String) {
        for child in Mirror(reflecting: statistics).children {
            let label = "\(name).\(child.label ?? "")"
            if let count = child.value as? Int {
                names.insert(label)
                if count != 0 { counts[label, default: 0] += count }
            } else if Mirror(reflecting: child.value).displayStyle == .struct,
                Mirror(reflecting: child.value).children.allSatisfy({ $0.value is Int }), label.hasSuffix("s")
            {
                noteCounters(of: child.value, label)
            }
        }
    }

    mutating func add(_ other: OutcomeBook) {
        counts.merge(other.counts) { $0 + $1 }
        names.formUnion(other.names)
    }

    /// The expected outcomes that nothing has reached, without those that cannot be.
    func missing(besides unreachable: Set<String>) -> [String] {
        names.filter { counts[$0] == nil && !unreachable.contains($0) }.sorted()
    }

    /// Outcomes that were said to be unreachable, and were reached, or that do not exist.
    func wronglyExcluded(_ unreachable: Set<String>) -> [String] {
        unreachable.filter { counts[$0] != nil || !names.contains($0) }.sorted()
    }

    /// A line for each outcome.
    var text: String { names.sorted().map { "\($0): \(counts[$0] ?? 0)" }.joined(separator: "\n") }
}
