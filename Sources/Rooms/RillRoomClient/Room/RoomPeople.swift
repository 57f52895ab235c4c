import RillCore
import RillRooms

/// Who is in a room, each as one object for as long as they are there.
final class RoomPeople: Sendable {
    private struct State: ~Copyable {
        var people: [RoomParticipant] = []
        /// Those whom a server that has restarted does not know yet, and until when they are awaited.
        var awaited: [UID: MediaTime] = [:]
    }

    /// What a picture of the room says.
    struct Change {
        var gone: [RoomParticipant] = []
        var came: [RoomParticipant] = []
        /// Those whose presence is another one.
        var changed: [RoomParticipant] = []
    }

    private let state = Monitor(State())
    /// So long after a restart people come back, as a rule.
    private static let returnTime = MediaDuration.seconds(5)

    /// In the order in which they came; oneself among them.
    var all: [RoomParticipant] { state.withLock { $0.people.map(\.self) } }

    subscript(uid: UID) -> RoomParticipant? { state.withLock { state in state.people.first { $0.uid == uid } } }

    /// Takes the server's picture of the room as a whole.
    ///
    /// - Parameters:
    ///   - present: who is there.
    ///   - own: one's own number. One stays the same to the app.
    ///   - isRestarted: whether the server begins a new log: then people who are not there yet are awaited for a while,
    ///     as `interrupted`.
    ///   - core: the room.
    ///   - now: the current time.
    func take(
        _ present: [Participant], own: UID?, isRestarted: Bool, in core: RoomCore, at now: MediaTime
    ) -> Change {
        state.withLock { state in
            var change = Change()
            for them in state.people {
                if let newest = present.first(where: { $0.uid == them.uid }), them.isSame(newest, isRestarted) {
                    if them.presence != newest.presence { change.changed.append(them) }
                    them.set(newest)
                    state.awaited[them.uid] = nil
                } else if isRestarted, !them.isOwn {
                    guard state.awaited.updateValue(now + Self.returnTime, forKey: them.uid) == nil else { continue }
                    them.set(.interrupted)
                    change.changed.append(them)
                } else {
                    change.gone.append(them)
                }
            }
            state.people.removeAll { them in change.gone.contains { $0 === them } }
            for participant in present where !state.people.contains(where: { $0.uid == participant.uid }) {
                change.came.append(RoomParticipant(participant, isOwn: participant.uid == own, in: core))
            }
            state.people += change.came
            return change
        }
    }

    /// Somebody came, or is back after a restart.
    func join(_ participant: Participant, own: UID?, in core: RoomCore) -> Change {
        state.withLock { state in
            if let known = state.people.first(where: { $0.uid == participant.uid }) {
                guard state.awaited.removeValue(forKey: known.uid) != nil else { return Change() }
                known.set(participant)
                return Change(changed: [known])
            }
            let them = RoomParticipant(participant, isOwn: participant.uid == own, in: core)
            state.people.append(them)
            return Change(came: [them])
        }
    }

    /// Somebody is gone; `nil` if they were not known.
    func leave(_ uid: UID) -> RoomParticipant? {
        state.withLock { state in
            guard let place = state.people.firstIndex(where: { $0.uid == uid }) else { return nil }
            state.awaited[uid] = nil
            return state.people.remove(at: place)
        }
    }

    /// Those who did not come back.
    func takeGone(at now: MediaTime) -> [RoomParticipant] {
        state.withLock { state in
            let late = state.awaited.filter { $0.value <= now }
            guard !late.isEmpty else { return [] }
            for uid in late.keys { state.awaited[uid] = nil }
            let gone = state.people.filter { late[$0.uid] != nil }
            state.people.removeAll { late[$0.uid] != nil }
            return gone
        }
    }

    /// When somebody is awaited no more.
    var nextTime: MediaTime { state.withLock { $0.awaited.values.min() ?? .distantFuture } }

    /// Gives everybody their newest state.
    func refresh(_ room: RoomState) {
        state.withLock { state in
            for them in state.people { if let newest = room[them.uid] { them.set(newest) } }
        }
    }
}

extension RoomParticipant {
    /// Whether it is the same stay in the room. A server that has restarted counts sessions from elsewhere.
    fileprivate func isSame(_ participant: Participant, _ isRestarted: Bool) -> Bool {
        isOwn || participant.session == info.session || isRestarted && participant.identity == info.identity
    }
}
