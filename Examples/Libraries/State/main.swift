// library-state: RillState alone. A counter keeps its state in a cell, and its methods change it in place.

import RillState

struct Tally: ~Copyable {
    private(set) var counts: [Character: Int] = [:]
    mutating func add(_ text: String) { for sign in text { counts[sign, default: 0] += 1 } }
}

final class Counter {
    private let cell = StateCell(Tally())
    func add(_ text: String) { cell.state.add(text) }
    func count(of sign: Character) -> Int { cell.state.counts[sign] ?? 0 }
}

let counter = Counter()
for word in ["rill", "room", "river"] { counter.add(word) }
print("r occurs \(counter.count(of: "r")) times, l \(counter.count(of: "l"))")
