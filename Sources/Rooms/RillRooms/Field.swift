/// The names of all fields of messages and events.
enum Field: String, CodingKey, CaseIterable {
    case type, id, number, time, uid, reason, kind, muted, by, width, height, role, rights, name, avatar, attributes
    case locked, key, text, code, field, limit, retryAfter, missed, cached, session, epoch, snapshot, answer, media
    case fresh, slots, count, sequence, levels, mid, room, token, offer, picture, priority
    case message, author, image, replyTo, edited, enabled, blocked, received, read, messages, reports, original, chat
    case before, after, guest
}

extension KeyedEncodingContainer<Field> {
    /// Encodes what `type` has not: a value that is `nil` or `false`.
    mutating func encode(ifTrue value: Bool, forKey key: Field) throws {
        if value { try encode(true, forKey: key) }
    }
}

extension KeyedDecodingContainer<Field> {
    func flag(_ key: Field) throws -> Bool { try decodeIfPresent(Bool.self, forKey: key) ?? false }
    func text(_ key: Field) throws -> String { try decode(String.self, forKey: key) }
    func integer(_ key: Field) throws -> Int { try decode(Int.self, forKey: key) }
    func uid() throws -> UID { try decode(UID.self, forKey: .uid) }
    func kind() throws -> MediaKind { try decode(MediaKind.self, forKey: .kind) }

    /// The name of a case; `nil` if the type has none of that name.
    func name<Name: RawRepresentable>(_: Name.Type) throws -> Name? where Name.RawValue == String {
        Name(rawValue: try text(.type))
    }

    /// The error for a type that does not exist.
    func unknownType() -> DecodingError {
        .dataCorruptedError(forKey: .type, in: self, debugDescription: "there is no message of this type")
    }
}
