import RillCore
import RillRooms

/// Who is in a room, each as one object for as long as they are there.
final class RoomPeople: Sendable {
    private let state = Monitor([RoomParticipant]())

    /// In the order in which they came; oneself among them.
    var all: [RoomParticipant] { state.withLock { $0.map(\.self) } }

    subscript(uid: UID) -> RoomParticipant? { state.withLock { people in people.first { $0.uid == uid } } }

    /// Takes the server's picture of the room as a whole.
    ///
    /// - Parameters:
    ///   - present: who is there.
    ///   - own: one's own number. One stays the same to the app.
    ///   - core: the room.
    /// - Returns: who is gone, and who came.
    func take(
        _ present: [Participant], own: UID?, in core: RoomCore
    ) -> (gone: [RoomParticipant], came: [RoomParticipant]) {
        state.withLock { people in
            let gone = people.filter { them in
                !present.contains { $0.uid == them.uid && (them.isOwn || $0.session == them.info.session) }
            }
            people.removeAll { them in gone.contains { $0 === them } }
            var came: [RoomParticipant] = []
            for participant in present {
                if let known = people.first(where: { $0.uid == participant.uid }) {
                    known.set(participant)
                } else {
                    came.append(RoomParticipant(participant, isOwn: participant.uid == own, in: core))
                }
            }
            people += came
            return (gone, came)
        }
    }

    /// Somebody came; `nil` if they are known.
    func join(_ participant: Participant, own: UID?, in core: RoomCore) -> RoomParticipant? {
        state.withLock { people in
            guard !people.contains(where: { $0.uid == participant.uid }) else { return nil }
            let them = RoomParticipant(participant, isOwn: participant.uid == own, in: core)
            people.append(them)
            return them
        }
    }

    /// Somebody is gone; `nil` if they were not known.
    func leave(_ uid: UID) -> RoomParticipant? {
        state.withLock { people in
            guard let place = people.firstIndex(where: { $0.uid == uid }) else { return nil }
            return people.remove(at: place)
        }
    }

    /// Gives everybody their newest state.
    func refresh(_ room: RoomState) {
        state.withLock { people in
            for them in people { if let newest = room[them.uid] { them.set(newest) } }
        }
    }
}
