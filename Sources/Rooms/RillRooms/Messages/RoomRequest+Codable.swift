/// In JSON: one object, flat but for attributes and rights: `{"type": "mute", "id": 7, "kind": "sound"}`.
extension RoomRequest: Codable {
    /// Decodes a request. Its `type` decides which fields it has; others are ignored.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        guard let name = try fields.name(RoomCommand.Name.self) else { throw fields.unknownType() }
        let other = { try fields.decodeIfPresent(UID.self, forKey: .uid) }
        let command: RoomCommand =
            switch name {
            case .join: .join(try JoinRequest(from: fields))
            case .resume:
                .resume(
                    session: try fields.text(.session), epoch: try fields.integer(.epoch),
                    number: try fields.integer(.number),
                    count: try fields.decodeIfPresent(Int.self, forKey: .count) ?? 0)
            case .negotiate: .negotiate(offer: try fields.text(.offer))
            case .publish:
                .publish(
                    try fields.kind(), mid: try fields.decodeIfPresent(String.self, forKey: .mid),
                    isMuted: try fields.flag(.muted))
            case .unpublish: .unpublish(try fields.kind(), of: try other())
            case .mute: .mute(try fields.kind(), of: try other())
            case .unmute: .unmute(try fields.kind())
            case .want: .want(try Want(from: fields))
            case .data: .data(count: try fields.integer(.count), to: try other(), text: try fields.text(.text))
            case .chat, .edit, .delete, .typing, .read, .history, .setChat, .block, .report, .reports:
                .chat(try ChatCommand(name, from: fields))
            case .profile:
                .profile(
                    name: try fields.decodeIfPresent(String.self, forKey: .name),
                    avatar: try fields.decodeIfPresent(String.self, forKey: .avatar),
                    attributes: try fields.decodeIfPresent([String: String].self, forKey: .attributes))
            case .role: .role(try fields.uid(), try fields.decode(Role.self, forKey: .role))
            case .rights: .rights(try fields.uid(), try fields.decode(Rights.self, forKey: .rights))
            case .remove: .remove(try fields.uid())
            case .lock: .lock(try fields.decode(Bool.self, forKey: .locked))
            case .close: .close
            case .renew: .renew(token: try fields.text(.token))
            case .alive:
                .alive(
                    number: try fields.integer(.number),
                    count: try fields.decodeIfPresent(Int.self, forKey: .count) ?? 0,
                    message: try fields.decodeIfPresent(Int.self, forKey: .message))
            case .leave: .leave
            }
        self.init(command, id: try fields.decodeIfPresent(Int.self, forKey: .id) ?? 0)
    }

    /// Encodes the request with its type and number.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(command.name.rawValue, forKey: .type)
        if id != 0 { try fields.encode(id, forKey: .id) }
        switch command {
        case .join(let request): try request.encode(into: &fields)
        case .resume(let session, let epoch, let number, let count):
            try fields.encode(session, forKey: .session)
            try fields.encode(epoch, forKey: .epoch)
            try fields.encode(number, forKey: .number)
            try fields.encode(count, forKey: .count)
        case .negotiate(let offer): try fields.encode(offer, forKey: .offer)
        case .publish(let kind, let mid, let isMuted):
            try fields.encode(kind, forKey: .kind)
            try fields.encodeIfPresent(mid, forKey: .mid)
            try fields.encode(ifTrue: isMuted, forKey: .muted)
        case .unpublish(let kind, let uid), .mute(let kind, let uid):
            try fields.encode(kind, forKey: .kind)
            try fields.encodeIfPresent(uid, forKey: .uid)
        case .unmute(let kind): try fields.encode(kind, forKey: .kind)
        case .want(let want): try want.encode(into: &fields)
        case .data(let count, let uid, let text):
            try fields.encode(count, forKey: .count)
            try fields.encodeIfPresent(uid, forKey: .uid)
            try fields.encode(text, forKey: .text)
        case .chat(let command): try command.encode(into: &fields)
        case .profile(let name, let avatar, let attributes):
            try fields.encodeIfPresent(name, forKey: .name)
            try fields.encodeIfPresent(avatar, forKey: .avatar)
            try fields.encodeIfPresent(attributes, forKey: .attributes)
        case .role(let uid, let role):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(role, forKey: .role)
        case .rights(let uid, let rights):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(rights, forKey: .rights)
        case .remove(let uid): try fields.encode(uid, forKey: .uid)
        case .lock(let isLocked): try fields.encode(isLocked, forKey: .locked)
        case .renew(let token): try fields.encode(token, forKey: .token)
        case .alive(let number, let count, let message):
            try fields.encode(number, forKey: .number)
            try fields.encode(count, forKey: .count)
            try fields.encodeIfPresent(message, forKey: .message)
        case .close, .leave: break
        }
    }
}

extension JoinRequest {
    init(from fields: KeyedDecodingContainer<Field>) throws {
        self.init(
            room: try fields.text(.room), token: try fields.decodeIfPresent(String.self, forKey: .token),
            session: try fields.decodeIfPresent(String.self, forKey: .session),
            name: try fields.decodeIfPresent(String.self, forKey: .name) ?? "",
            avatar: try fields.decodeIfPresent(String.self, forKey: .avatar),
            uid: try fields.decodeIfPresent(UID.self, forKey: .uid),
            attributes: try fields.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:],
            role: try fields.decodeIfPresent(Role.self, forKey: .role),
            offer: try fields.decodeIfPresent(String.self, forKey: .offer))
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        try fields.encode(room, forKey: .room)
        try fields.encodeIfPresent(token, forKey: .token)
        try fields.encodeIfPresent(session, forKey: .session)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(avatar, forKey: .avatar)
        try fields.encodeIfPresent(uid, forKey: .uid)
        if !attributes.isEmpty { try fields.encode(attributes, forKey: .attributes) }
        try fields.encodeIfPresent(role, forKey: .role)
        try fields.encodeIfPresent(offer, forKey: .offer)
    }
}
