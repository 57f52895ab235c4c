/// In JSON: one object, flat but for lists: `{"type": "published", "number": 7, "time": 1767225600000, "uid": 3,
/// "kind": "video"}`.
extension NumberedEvent: Codable {
    /// Decodes an event. Its `type` decides which fields it has.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        guard let name = try fields.name(RoomEvent.Name.self) else { throw fields.unknownType() }
        let event: RoomEvent =
            switch name {
            case .joined: .joined(try Participant(from: decoder))
            case .offline:
                .offline(try fields.uid(), try fields.decode(OfflineReason.self, forKey: .reason))
            case .interrupted: .interrupted(try fields.uid())
            case .lost: .lost(try fields.uid())
            case .back: .back(try fields.uid())
            case .published:
                .published(try fields.uid(), try fields.kind(), isMuted: try fields.flag(.muted))
            case .unpublished: .unpublished(try fields.uid(), try fields.kind())
            case .muted:
                .muted(try fields.uid(), try fields.kind(), by: try fields.decode(UID.self, forKey: .by))
            case .unmuted: .unmuted(try fields.uid(), try fields.kind())
            case .firstPicture:
                .firstPicture(
                    try fields.uid(), try fields.kind(), width: try fields.decodeIfPresent(Int.self, forKey: .width),
                    height: try fields.decodeIfPresent(Int.self, forKey: .height))
            case .speakerChanged: .speakerChanged(try fields.decodeIfPresent(UID.self, forKey: .uid))
            case .roleChanged:
                .roleChanged(
                    try fields.uid(), try fields.decode(Role.self, forKey: .role),
                    try fields.decode(Rights.self, forKey: .rights))
            case .profileChanged:
                .profileChanged(
                    try fields.uid(), name: try fields.text(.name),
                    avatar: try fields.decodeIfPresent(String.self, forKey: .avatar),
                    attributes: try fields.decode([String: String].self, forKey: .attributes))
            case .lockChanged: .lockChanged(isLocked: try fields.decode(Bool.self, forKey: .locked))
            case .chat: .chat(try ChatMessage(from: decoder))
            case .chatEdited:
                .chatEdited(
                    try fields.integer(.message), text: try fields.text(.text), edited: try fields.integer(.edited))
            case .chatDeleted: .chatDeleted(try fields.integer(.message))
            case .chatChanged: .chatChanged(isEnabled: try fields.decode(Bool.self, forKey: .enabled))
            case .closed: .closed
            }
        self.init(event, number: try fields.integer(.number), time: try fields.integer(.time))
    }

    /// Encodes the event with its type, number and time.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(event.name.rawValue, forKey: .type)
        try fields.encode(number, forKey: .number)
        try fields.encode(time, forKey: .time)
        switch event {
        case .joined(let participant): try participant.encode(to: encoder)
        case .offline(let uid, let reason):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(reason, forKey: .reason)
        case .interrupted(let uid), .lost(let uid), .back(let uid): try fields.encode(uid, forKey: .uid)
        case .published(let uid, let kind, let isMuted):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(kind, forKey: .kind)
            try fields.encode(ifTrue: isMuted, forKey: .muted)
        case .unpublished(let uid, let kind), .unmuted(let uid, let kind):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(kind, forKey: .kind)
        case .muted(let uid, let kind, let by):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(kind, forKey: .kind)
            try fields.encode(by, forKey: .by)
        case .firstPicture(let uid, let kind, let width, let height):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(kind, forKey: .kind)
            try fields.encodeIfPresent(width, forKey: .width)
            try fields.encodeIfPresent(height, forKey: .height)
        case .speakerChanged(let uid): try fields.encodeIfPresent(uid, forKey: .uid)
        case .roleChanged(let uid, let role, let rights):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(role, forKey: .role)
            try fields.encode(rights, forKey: .rights)
        case .profileChanged(let uid, let name, let avatar, let attributes):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(name, forKey: .name)
            try fields.encodeIfPresent(avatar, forKey: .avatar)
            try fields.encode(attributes, forKey: .attributes)
        case .lockChanged(let isLocked): try fields.encode(isLocked, forKey: .locked)
        case .chat(let message): try message.encode(to: encoder)
        case .chatEdited(let number, let text, let edited):
            try fields.encode(number, forKey: .message)
            try fields.encode(text, forKey: .text)
            try fields.encode(edited, forKey: .edited)
        case .chatDeleted(let number): try fields.encode(number, forKey: .message)
        case .chatChanged(let isEnabled): try fields.encode(isEnabled, forKey: .enabled)
        case .closed: break
        }
    }
}
