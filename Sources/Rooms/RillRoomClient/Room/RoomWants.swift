import Rill
import RillCore
import RillRooms

/// What one wants of others, and what the server was asked for.
///
/// It has no clock.
struct RoomWants {
    typealias Key = RoomPictures.Key

    private struct Entry {
        var layer = CallParticipant.WantedLayer.high
        var priority = 0
        var isShown = false
        /// Since when it is shown at no size.
        var hiddenSince: MediaTime?
        var asked: Want?

        func picture(at now: MediaTime) -> Want.Picture {
            guard isShown else { return .none }
            switch layer {
            case .none: return .none
            case .layer(.low): return .low
            case .layer: return .high
            case .automatic(let size):
                guard let size, hiddenSince == nil else {
                    return hiddenSince.map { now - $0 >= RoomWants.hiddenTime } ?? false ? .none : .low
                }
                return .shown(width: size.width, height: size.height)
            }
        }
    }

    private var entries: [Key: Entry] = [:]
    /// What is shown at no size is wanted for so long, in low: a tile that was scrolled away may come back.
    static let hiddenTime = MediaDuration.seconds(5)

    /// Something is shown, or no more.
    mutating func setShown(_ isShown: Bool, _ key: Key) { entries[key, default: Entry()].isShown = isShown }

    /// Another layer is wanted.
    mutating func want(
        _ layer: CallParticipant.WantedLayer, _ key: Key, priority: Int, at now: MediaTime
    ) {
        var entry = entries[key] ?? Entry()
        (entry.layer, entry.priority) = (layer, priority)
        if case .automatic(let size) = layer, size.map({ $0.width < 1 || $0.height < 1 }) ?? true {
            entry.hiddenSince = entry.hiddenSince ?? now
        } else {
            entry.hiddenSince = nil
        }
        entries[key] = entry
    }

    /// Somebody is gone.
    mutating func forget(_ uid: UID) { entries = entries.filter { $0.key.uid != uid } }

    /// Somebody publishes something no more: it is requested again when they do.
    mutating func forgetAsked(_ key: Key) { entries[key]?.asked = nil }

    /// Takes the requests that are due. They count as made.
    ///
    /// - Parameters:
    ///   - room: who is there.
    ///   - isEncrypted: whether frames that are encrypted from end to end can be opened.
    ///   - now: the current time.
    mutating func takeDue(in room: RoomState, isEncrypted: Bool, at now: MediaTime) -> [Want] {
        var due: [Want] = []
        let all = entries.sorted { ($0.key.uid, $0.key.kind.rawValue) < ($1.key.uid, $1.key.kind.rawValue) }
        for (key, entry) in all {
            guard let them = room[key.uid], them[key.kind] != nil, them.isReadable(isEncrypted: isEncrypted) else {
                continue
            }
            let want = Want(entry.picture(at: now), of: key.uid, key.kind, priority: entry.priority)
            // What was never asked for is not received either.
            guard want != entry.asked, entry.asked != nil || want.picture != .none else { continue }
            entries[key]?.asked = want
            due.append(want)
        }
        return due
    }

    /// When something is to be asked for without a change.
    func nextTime(after now: MediaTime) -> MediaTime {
        entries.values.compactMap { $0.isShown ? $0.hiddenSince.map { $0 + Self.hiddenTime } : nil }
            .filter { $0 > now }.min() ?? .distantFuture
    }
}
