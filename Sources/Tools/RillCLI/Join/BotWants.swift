#if Server
import ArgumentParser
import RillRoomClient
import RillRooms

/// What bots want of those who publish: the first ones in high, the next ones in low, in the order in which they came.
struct BotWants: ExpressibleByArgument, Equatable, Sendable {
    /// How many are wanted in high, and how many in low after them.
    let high: Int
    let low: Int

    /// How many pictures are wanted at a time.
    var count: Int { high + low }

    /// So many slots are offered where everybody is wanted: as many as `rill serve` takes.
    private static let everybody = 17

    /// Reads `high`, `low` or `none` for all, or how many of each: `high=4,low=12`.
    init?(argument: String) {
        switch argument {
        case "high": (high, low) = (Self.everybody, 0)
        case "low": (high, low) = (0, Self.everybody)
        case "none": (high, low) = (0, 0)
        default:
            var counts = ["high": 0, "low": 0]
            for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
                let words = part.split(separator: "=", omittingEmptySubsequences: false)
                guard words.count == 2, counts[String(words[0])] == 0, let count = Int(words[1]),
                    (1...64).contains(count)
                else { return nil }
                counts[String(words[0])] = count
            }
            (high, low) = (counts["high"] ?? 0, counts["low"] ?? 0)
            // The rooms' limit of what one member wants.
            guard high + low <= 64 else { return nil }
        }
    }

    var defaultValueDescription: String { low == 0 ? "high=\(high)" : "high=\(high),low=\(low)" }

    /// The same with the last ones in high: as many as there are of low.
    var swapped: BotWants { BotWants(high: low, low: high) }

    private init(high: Int, low: Int) { (self.high, self.low) = (high, low) }

    /// What is wanted of each participant who publishes pictures.
    ///
    /// - Parameters:
    ///   - room: who is there.
    ///   - own: the number of the one that wants.
    ///   - isEncrypted: whether it can open frames at all.
    func pictures(in room: RoomState, for own: UID?, isEncrypted: Bool) -> [Want] {
        let publishers = room.participants.filter {
            $0.uid != own && $0[.video] != nil && $0.isReadable(isEncrypted: isEncrypted)
        }
        return publishers.prefix(count).enumerated().map { place, participant in
            place < high
                ? Want(.high, of: participant.uid, priority: high - place) : Want(.low, of: participant.uid)
        }
    }
}
#endif
