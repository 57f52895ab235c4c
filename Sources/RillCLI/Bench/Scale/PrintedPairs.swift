/// What a program that measures itself has printed: `cpu=0.61 packets=1600`.
struct PrintedPairs {
    private let values: [String: Double]

    init(_ output: String) {
        values = output.split { $0 == " " || $0 == "\n" }.reduce(into: [:]) { values, word in
            let parts = word.split(separator: "=")
            if parts.count == 2, let value = Double(parts[1]) { values[String(parts[0])] = value }
        }
    }

    subscript(name: String) -> Double? { values[name] }

    /// - Throws: `unclear`, where it did not print that.
    func value(_ name: String) throws(BenchError) -> Double {
        guard let value = values[name] else { throw .unclear(missing: name) }
        return value
    }
}
