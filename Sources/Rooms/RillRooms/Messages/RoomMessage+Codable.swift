/// In JSON: one object with a `type`, flat but for lists and the snapshot.
extension RoomMessage: Codable {
    /// Decodes a message or an event by its `type`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        guard let name = try fields.name(Name.self) else {
            self = .event(try NumberedEvent(from: decoder))
            return
        }
        let id = { try fields.decodeIfPresent(Int.self, forKey: .id) ?? 0 }
        self =
            switch name {
            case .welcome: .welcome(try Welcome(from: fields), to: try id())
            case .done:
                .done(
                    try id(), number: try fields.decodeIfPresent(Int.self, forKey: .number),
                    answer: try fields.decodeIfPresent(String.self, forKey: .answer),
                    message: try fields.decodeIfPresent(Int.self, forKey: .message))
            case .error: .error(try RoomError(from: fields), to: try id())
            case .data:
                .data(
                    count: try fields.integer(.count), from: try fields.uid(),
                    sequence: try fields.integer(.sequence), text: try fields.text(.text),
                    missed: try fields.decodeIfPresent(Int.self, forKey: .missed) ?? 0)
            case .levels: .levels(try fields.decode([SoundLevel].self, forKey: .levels))
            case .slot: .slot(try SlotState(from: decoder))
            case .layer: .layer(try LayerInterest(from: decoder))
            case .chatState: .chatState(try ChatState(from: decoder))
            case .history: .history(try fields.decode([ChatMessage].self, forKey: .messages), to: try id())
            case .marks:
                .marks(ChatMarks(received: try fields.integer(.received), read: try fields.integer(.read)))
            case .typing: .typing(try fields.uid())
            case .blocked: .blocked(try fields.text(.author), try fields.decode(Bool.self, forKey: .blocked))
            case .report: .report(try ReportedMessage(from: decoder))
            case .reports: .reports(try fields.decode([ReportedMessage].self, forKey: .reports), to: try id())
            case .alive: .alive
            case .bye: .bye(try fields.decode(EndReason.self, forKey: .reason))
            }
    }

    /// Encodes the message with its type.
    public func encode(to encoder: any Encoder) throws {
        if case .event(let event) = self { return try event.encode(to: encoder) }
        var fields = encoder.container(keyedBy: Field.self)
        let name: Name
        switch self {
        case .event: return
        case .welcome(let welcome, let id):
            name = .welcome
            try fields.encode(id, forKey: .id)
            try welcome.encode(into: &fields)
        case .done(let id, let number, let answer, let message):
            name = .done
            try fields.encodeIfPresent(message, forKey: .message)
            try fields.encode(id, forKey: .id)
            try fields.encodeIfPresent(number, forKey: .number)
            try fields.encodeIfPresent(answer, forKey: .answer)
        case .error(let error, let id):
            name = .error
            if id != 0 { try fields.encode(id, forKey: .id) }
            try error.encode(into: &fields)
        case .data(let count, let uid, let sequence, let text, let missed):
            name = .data
            try fields.encode(count, forKey: .count)
            try fields.encode(uid, forKey: .uid)
            try fields.encode(sequence, forKey: .sequence)
            try fields.encode(text, forKey: .text)
            if missed > 0 { try fields.encode(missed, forKey: .missed) }
        case .levels(let levels):
            name = .levels
            try fields.encode(levels, forKey: .levels)
        case .slot(let slot):
            name = .slot
            try slot.encode(to: encoder)
        case .layer(let interest):
            name = .layer
            try interest.encode(to: encoder)
        case .chatState(let state):
            name = .chatState
            try state.encode(to: encoder)
        case .history(let messages, let id):
            name = .history
            try fields.encode(id, forKey: .id)
            try fields.encode(messages, forKey: .messages)
        case .marks(let marks):
            name = .marks
            try fields.encode(marks.received, forKey: .received)
            try fields.encode(marks.read, forKey: .read)
        case .typing(let uid):
            name = .typing
            try fields.encode(uid, forKey: .uid)
        case .blocked(let author, let isBlocked):
            name = .blocked
            try fields.encode(author, forKey: .author)
            try fields.encode(isBlocked, forKey: .blocked)
        case .report(let report):
            name = .report
            try report.encode(to: encoder)
        case .reports(let reports, let id):
            name = .reports
            try fields.encode(id, forKey: .id)
            try fields.encode(reports, forKey: .reports)
        case .alive: name = .alive
        case .bye(let reason):
            name = .bye
            try fields.encode(reason, forKey: .reason)
        }
        try fields.encode(name.rawValue, forKey: .type)
    }
}

extension Welcome {
    init(from fields: KeyedDecodingContainer<Field>) throws {
        self.init(
            session: try fields.text(.session), uid: try fields.uid(), epoch: try fields.integer(.epoch),
            number: try fields.integer(.number),
            snapshot: try fields.decodeIfPresent(RoomState.self, forKey: .snapshot),
            count: try fields.integer(.count), isFresh: try fields.flag(.fresh), hasMedia: try fields.flag(.media),
            answer: try fields.decodeIfPresent(String.self, forKey: .answer),
            slots: try fields.decodeIfPresent([SlotState].self, forKey: .slots) ?? [],
            chat: try fields.decodeIfPresent(ChatState.self, forKey: .chat))
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        try fields.encode(session, forKey: .session)
        try fields.encode(uid, forKey: .uid)
        try fields.encode(epoch, forKey: .epoch)
        try fields.encode(number, forKey: .number)
        try fields.encodeIfPresent(snapshot, forKey: .snapshot)
        try fields.encode(count, forKey: .count)
        try fields.encode(ifTrue: isFresh, forKey: .fresh)
        try fields.encode(ifTrue: hasMedia, forKey: .media)
        try fields.encodeIfPresent(answer, forKey: .answer)
        if !slots.isEmpty { try fields.encode(slots, forKey: .slots) }
        try fields.encodeIfPresent(chat, forKey: .chat)
    }
}
