import Metrics
import NIOConcurrencyHelpers

/// A name with dimensions, both as Prometheus writes them.
struct SeriesKey: Hashable, Comparable {
    let name: String
    /// `method="GET",status="200"`, or nothing.
    let labels: String

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = Self.name(label)
        labels = dimensions.map { Self.name($0.0) + "=\"" + Self.escaped($0.1) + "\"" }.sorted().joined(separator: ",")
    }

    static func < (left: SeriesKey, right: SeriesKey) -> Bool {
        (left.name, left.labels) < (right.name, right.labels)
    }

    /// The labels in braces, with another one in front.
    func labels(with first: String = "") -> String {
        let all = [first, labels].filter { !$0.isEmpty }.joined(separator: ",")
        return all.isEmpty ? "" : "{\(all)}"
    }

    /// What Prometheus does not allow in names becomes an underscore.
    private static func name(_ text: String) -> String {
        let name = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
        return name.first.map(\.isNumber) ?? true ? "_" + name : name
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\", "\"": text += "\\" + String(character)
            case _ where character.isNewline: text += "\\n"
            default: text.append(character)
            }
        }
    }
}

/// The values of one name with one set of dimensions.
final class PrometheusSeries: Sendable {
    /// The kinds that Prometheus knows.
    enum Kind: String {
        case counter
        case gauge
        case summary
        case histogram
    }

    private struct Values {
        var value = 0.0
        var count = 0
        /// How many values were at most each bound.
        var bucketCounts = [Int](repeating: 0, count: PrometheusSeries.bounds.count)
    }

    /// The upper bounds of a histogram's buckets, in seconds.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    let kind: Kind
    private let values = NIOLockedValueBox(Values())

    init(_ kind: Kind) { self.kind = kind }

    /// Appends the series' lines.
    func write(_ key: SeriesKey, into text: inout String) {
        let values = values.withLockedValue { $0 }
        switch kind {
        case .counter, .gauge:
            text += "\(key.name)\(key.labels()) \(number(values.value))\n"
        case .histogram, .summary:
            if kind == .histogram {
                for (bound, count) in zip(Self.bounds, values.bucketCounts) {
                    text += "\(key.name)_bucket\(key.labels(with: "le=\"\(bound)\"")) \(count)\n"
                }
                text += "\(key.name)_bucket\(key.labels(with: "le=\"+Inf\"")) \(values.count)\n"
            }
            text += "\(key.name)_sum\(key.labels()) \(number(values.value))\n"
            text += "\(key.name)_count\(key.labels()) \(values.count)\n"
        }
    }

    /// Whole numbers without a decimal point.
    private func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? (value.isNaN ? "NaN" : value.isInfinite ? "+Inf" : "\(value)")
    }

    private func change(_ body: (inout Values) -> Void) { values.withLockedValue { body(&$0) } }
}

extension PrometheusSeries: CounterHandler {
    func increment(by amount: Int64) { change { $0.value += Double(amount) } }
    func reset() { change { $0 = Values() } }
}

extension PrometheusSeries: MeterHandler {
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { change { $0.value = value } }
    func increment(by amount: Double) { change { $0.value += amount } }
    func decrement(by amount: Double) { change { $0.value -= amount } }
}

extension PrometheusSeries: RecorderHandler {
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard kind != .gauge else { return set(value) }
        change { values in
            values.value += value
            values.count += 1
        }
    }
}

extension PrometheusSeries: TimerHandler {
    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        change { values in
            values.value += seconds
            values.count += 1
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { values.bucketCounts[index] += 1 }
        }
    }
}
