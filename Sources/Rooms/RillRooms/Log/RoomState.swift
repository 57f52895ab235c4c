/// What is known about a room: a snapshot, or what became of it by the events after it.
///
/// The server and every client change it by ``apply(_:)`` alone, so that they agree after each event.
public struct RoomState: Equatable, Sendable, Codable {
    /// The room's name.
    public let room: String
    /// Who is there, in the order in which they came.
    public private(set) var participants: [Participant] = []
    /// Who speaks; `nil` for nobody.
    public private(set) var speaker: UID?
    /// Whether nobody but hosts may join.
    public private(set) var isLocked = false
    /// Whether the room is closed.
    public private(set) var isClosed = false

    private enum CodingKeys: String, CodingKey {
        case room, participants, speaker
        case isLocked = "locked"
        case isClosed = "closed"
    }

    /// An empty room.
    public init(room: String) { self.room = room }

    /// Somebody in the room; `nil` if they are not there.
    public subscript(uid: UID) -> Participant? { participants.first { $0.uid == uid } }

    /// Changes what an event changes. An event about somebody who is not there changes nothing.
    public mutating func apply(_ event: RoomEvent) {
        switch event {
        case .joined(let participant):
            participants.removeAll { $0.uid == participant.uid }
            participants.append(participant)
        case .offline(let uid, .becameViewer): change(uid) { $0.published = [] }
        case .offline(let uid, _): participants.removeAll { $0.uid == uid }
        case .interrupted(let uid): change(uid) { $0.presence = .interrupted }
        case .lost(let uid): change(uid) { $0.presence = .lost }
        case .back(let uid): change(uid) { $0.presence = .connected }
        case .published(let uid, let kind, let isMuted):
            change(uid) { participant in
                participant.published.removeAll { $0.kind == kind }
                participant.published.append(PublishedMedia(kind, isMuted: isMuted))
            }
        case .unpublished(let uid, let kind): change(uid) { $0.published.removeAll { $0.kind == kind } }
        case .muted(let uid, let kind, by: _): change(uid, kind) { $0.isMuted = true }
        case .unmuted(let uid, let kind): change(uid, kind) { $0.isMuted = false }
        case .firstPicture(let uid, let kind, let width, let height):
            change(uid, kind) { ($0.width, $0.height) = (width, height) }
        case .speakerChanged(let uid): speaker = uid
        case .roleChanged(let uid, let role, let rights): change(uid) { ($0.role, $0.rights) = (role, rights) }
        case .profileChanged(let uid, let name, let avatar, let attributes):
            change(uid) { ($0.name, $0.avatar, $0.attributes) = (name, avatar, attributes) }
        case .lockChanged(let isLocked): self.isLocked = isLocked
        case .chat, .chatEdited, .chatDeleted, .chatChanged: break
        case .closed: isClosed = true
        }
        if let speaker, self[speaker] == nil { self.speaker = nil }
    }

    private mutating func change(_ uid: UID, _ body: (inout Participant) -> Void) {
        guard let index = participants.firstIndex(where: { $0.uid == uid }) else { return }
        body(&participants[index])
    }

    private mutating func change(_ uid: UID, _ kind: MediaKind, _ body: (inout PublishedMedia) -> Void) {
        change(uid) { participant in
            guard let index = participant.published.firstIndex(where: { $0.kind == kind }) else { return }
            body(&participant.published[index])
        }
    }
}
