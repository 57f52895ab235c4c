/// Something that happened in a room, and that all its members get to know: each once, and in order.
public enum RoomEvent: Equatable, Sendable {
    /// Somebody came, or came back after having been out.
    case joined(Participant)
    /// Somebody is gone. After `becameViewer` it is still in the room, and publishes nothing.
    case offline(UID, OfflineReason)
    /// Nothing was received from somebody for 4 s, neither on the channel nor on the media path.
    case interrupted(UID)
    /// Nothing for 10 s. After 15 s it is `offline`.
    case lost(UID)
    /// Something was received again.
    case back(UID)
    /// Somebody publishes something.
    case published(UID, MediaKind, isMuted: Bool)
    /// Somebody publishes it no more.
    case unpublished(UID, MediaKind)
    /// Something is muted, by its owner or by this host.
    case muted(UID, MediaKind, by: UID)
    /// Its owner unmuted it.
    case unmuted(UID, MediaKind)
    /// The first picture of what somebody publishes came, of this size in pixels; `nil` if it is encrypted and nothing
    /// tells the size. Another layer may have one: then the event comes again.
    case firstPicture(UID, MediaKind, width: Int?, height: Int?)
    /// Somebody else speaks; `nil` for nobody.
    case speakerChanged(UID?)
    /// Somebody has another role, or other rights.
    case roleChanged(UID, Role, Rights)
    /// Somebody has another name, picture, or other attributes.
    case profileChanged(UID, name: String, avatar: String?, attributes: [String: String])
    /// The room is locked, or open again: nobody but hosts may join a locked one.
    case lockChanged(isLocked: Bool)
    /// Somebody wrote a message, and it is stored.
    case chat(ChatMessage)
    /// The message of this number has another text, since this time in milliseconds since 1970.
    case chatEdited(Int, text: String, edited: Int)
    /// The message of this number is deleted.
    case chatDeleted(Int)
    /// The chat is on, or off.
    case chatChanged(isEnabled: Bool)
    /// The room is closed: it was its last event.
    case closed

    /// The name of a case, which is its `type` in JSON.
    public enum Name: String, CaseIterable, Sendable {
        case joined, offline, interrupted, lost, back, published, unpublished, muted, unmuted, firstPicture
        case speakerChanged, roleChanged, profileChanged, lockChanged, chat, chatEdited, chatDeleted, chatChanged,
            closed
    }

    /// The name of the case.
    public var name: Name {
        switch self {
        case .joined: .joined
        case .offline: .offline
        case .interrupted: .interrupted
        case .lost: .lost
        case .back: .back
        case .published: .published
        case .unpublished: .unpublished
        case .muted: .muted
        case .unmuted: .unmuted
        case .firstPicture: .firstPicture
        case .speakerChanged: .speakerChanged
        case .roleChanged: .roleChanged
        case .profileChanged: .profileChanged
        case .lockChanged: .lockChanged
        case .chat: .chat
        case .chatEdited: .chatEdited
        case .chatDeleted: .chatDeleted
        case .chatChanged: .chatChanged
        case .closed: .closed
        }
    }
}

/// Why somebody is gone.
public enum OfflineReason: String, Codable, CaseIterable, Sendable {
    /// It left.
    case quit
    /// Nothing was received from it for 15 s.
    case dropped
    /// A newer session of its identity took its place.
    case replaced
    /// A host removed it.
    case removed
    /// It became a viewer, and publishes no more.
    case becameViewer
    /// Its token ended.
    case expired
}

/// An event with its place in the log of its room.
public struct NumberedEvent: Equatable, Sendable {
    /// Its number: 1 for the first event of an epoch, one more for each.
    public var number: Int
    /// When it happened, in milliseconds since 1970.
    public var time: Int
    /// What happened.
    public var event: RoomEvent

    /// An event in its place.
    public init(_ event: RoomEvent, number: Int, time: Int) {
        (self.event, self.number, self.time) = (event, number, time)
    }
}

extension ChatMessage {
    /// Changes what an event changes; a deleted message changes no more.
    mutating func apply(_ event: RoomEvent) {
        guard content != nil else { return }
        switch event {
        case .chatEdited(number, let text, let time):
            content?.text = text
            edited = time
        case .chatDeleted(number): (content, edited) = (nil, nil)
        default: break
        }
    }
}
