/// The stamps of every frame of one call, as `rill-bench-work latency` prints them; in nanoseconds of one clock.
struct LatencyRecord: Sendable {
    /// Of two threads that only wake, before the call: when the first was to be awake, when it was, and when the second was
    /// that it woke.
    var bare: [(due: Int64, woken: Int64, handed: Int64)] = []
    /// When each frame was due, and when the capture thread had it.
    var captures: [(due: Int64, woken: Int64)] = []
    /// In the order of the layers.
    var layers: [Layer] = []

    /// One layer's frames.
    struct Layer: Sendable {
        var name: String
        /// What became of frames and packets, by the names that the work gives them.
        var counts: [String: Int] = [:]
        var sent: [Sent] = []
        /// By the timestamps of their packets.
        var shown: [UInt32: Shown] = [:]

        init(_ name: String) { self.name = name }
    }

    /// A frame's way to the network.
    struct Sent: Sendable {
        var timestamp: UInt32
        var captured, preprocessed, scaled, encoded, sent: Int64
    }

    /// A frame's way from the network.
    struct Shown: Sendable {
        var arrived, assembled, released, decoded, shown: Int64
    }

    /// - Throws: `unreadable`, for a line that is none of the work's.
    init(parsing text: String) throws(BenchError) {
        for (number, line) in text.split(separator: "\n").enumerated() {
            let words = line.split(separator: " ")
            guard add(words) else { throw .unreadable(line: number + 1, text: String(line.prefix(80))) }
        }
    }

    /// `false`: it cannot be read.
    private mutating func add(_ words: [Substring]) -> Bool {
        let numbers = words.dropFirst(2).compactMap { Int64($0) }
        switch (words.first, words.count) {
        case ("bare", 4):
            guard let due = Int64(words[1]), numbers.count == 2 else { return false }
            bare.append((due, numbers[0], numbers[1]))
        case ("captured", 3):
            guard let due = Int64(words[1]), let woken = numbers.first else { return false }
            captures.append((due, woken))
        case ("sent", 8):
            guard numbers.count == 6, let timestamp = UInt32(exactly: numbers[0]) else { return false }
            layers[index(of: words[1])].sent.append(
                Sent(
                    timestamp: timestamp, captured: numbers[1], preprocessed: numbers[2], scaled: numbers[3],
                    encoded: numbers[4], sent: numbers[5]))
        case ("shown", 8):
            guard numbers.count == 6, let timestamp = UInt32(exactly: numbers[0]) else { return false }
            layers[index(of: words[1])].shown[timestamp] = Shown(
                arrived: numbers[1], assembled: numbers[2], released: numbers[3], decoded: numbers[4],
                shown: numbers[5])
        case ("layer", 3...):
            let index = index(of: words[1])
            for word in words.dropFirst(2) {
                guard let place = word.firstIndex(of: "="), let count = Int(word[word.index(after: place)...]) else {
                    return false
                }
                layers[index].counts[String(word[..<place])] = count
            }
        case (let word?, 1): return word.hasPrefix("frames=")
        default: return false
        }
        return true
    }

    private mutating func index(of name: Substring) -> Int {
        if let index = layers.firstIndex(where: { $0.name == name }) { return index }
        layers.append(Layer(String(name)))
        return layers.count - 1
    }
}
