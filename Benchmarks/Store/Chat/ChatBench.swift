import Foundation
import RillRooms
import RillServer

/// `bench-chat write FOLDER --rows N --messages N`, `bench-chat read FOLDER --messages N`: figures as NAME=VALUE.
@main
enum ChatBench {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else { fatalError("bench-chat write|read FOLDER [--rows N] [--messages N] [--rooms N]") }
        func option(_ name: String, _ value: Int) -> Int {
            guard let index = words.firstIndex(of: name), index + 1 < words.count else { return value }
            return Int(words[index + 1]) ?? value
        }
        let rooms = option("--rooms", 1000)
        switch words[0] {
        case "write":
            try await WriteBench(folder: words[1], rooms: rooms).run(
                rows: option("--rows", 100), messages: option("--messages", 20_000))
        default:
            try await ReadBench(folder: words[1], rooms: rooms).run(
                messages: option("--messages", 100_000), reads: option("--reads", 2000))
        }
    }
}

/// A generator with a seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Numbers from 0 on whose frequency is that of Zipf's law.
struct Zipf {
    private let sums: [Double]

    init(_ count: Int) {
        var sum = 0.0
        sums = (1...count).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    func next(_ generator: inout Seeded) -> Int {
        let value = Double.random(in: 0..<sums[sums.count - 1], using: &generator)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Messages as people write them: rooms, authors and lengths by Zipf's law.
struct Messages {
    private var generator: Seeded
    private let rooms: Zipf
    private let authors = Zipf(200)
    private let lengths = Zipf(250)
    private var count = 0
    private var room = 0
    /// How many messages come one after the other in a room.
    private let burst: Int
    private static let text = String(repeating: "hello, how are you? ", count: 13)

    init(rooms: Int, burst: Int = 1, seed: UInt64 = 52) {
        (self.rooms, self.burst, generator) = (Zipf(rooms), burst, Seeded(state: seed))
    }

    mutating func next() -> ChatChange {
        if count % burst == 0 { room = rooms.next(&generator) }
        count += 1
        let author = authors.next(&generator)
        let length = lengths.next(&generator) + 1
        // A key as crypto.randomUUID() makes it.
        let key = String(format: "%08x-0000-4000-8000-%012x", UInt32(truncatingIfNeeded: generator.next()), count)
        let message = ChatMessage(
            author: "author-\(author)@example.net", uid: UID(rawValue: UInt32(author)), name: "Author \(author)",
            key: key,
            .init(text: String(Self.text.prefix(length))))
        return ChatChange(.write(message), in: "room-\(room)", time: 1_700_000_000_000 + count)
    }
}
