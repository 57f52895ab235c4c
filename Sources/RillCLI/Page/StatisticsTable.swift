import Rill
import RillCore
import RillLab
import RillPages

/// Every number of a report, with its name in JSON.
struct StatisticsTable {
    private let layers: [(name: String, values: [String: JSONValue])]

    init(_ report: LoopbackReport) {
        layers = report.layers.map { layer in
            guard case .object(let values) = JSONValue(layer) else {
                preconditionFailure("a layer is an object in JSON")
            }
            return (layer.rid, values)
        }
    }

    var html: HTML {
        var table = PageTable(["name"] + layers.map(\.name))
        add("", layers.map { .object($0.values.filter { $0.value.isScalar }) }, to: &table)
        for group in Set(layers.flatMap { $0.values.filter { !$0.value.isScalar }.keys }).sorted() {
            table.addGroup(group)
            add("", layers.map { $0.values[group] ?? .null }, to: &table)
        }
        return table.html
    }

    /// Adds the values of one name, with a column for each layer.
    private func add(_ name: String, _ values: [JSONValue], to table: inout PageTable) {
        let keys = Set(values.flatMap(\.keys)).sorted()
        guard keys.isEmpty else {
            for key in keys { add(name.isEmpty ? key : "\(name) \(key)", values.map { $0[key] }, to: &table) }
            return
        }
        let items = values.map(\.items)
        guard let longest = items.map(\.count).max(), longest > 0 else {
            if !name.isEmpty { table.add([name] + values.map(\.text)) }
            return
        }
        for index in 0..<longest {
            let row = items.map { index < $0.count ? $0[index] : .null }
            add(row[0].title ?? "\(index)", row.map(\.withoutTitle), to: &table)
        }
    }
}
