import RillCore

/// In JSON: `code`, `text`, and the fields that its case has.
extension RoomError {
    init(from fields: KeyedDecodingContainer<Field>) throws {
        guard let code = Code(rawValue: try fields.integer(.code)) else {
            throw DecodingError.dataCorruptedError(forKey: .code, in: fields, debugDescription: "unknown code")
        }
        let missed = { try fields.decodeIfPresent(Int.self, forKey: .missed) ?? 0 }
        self =
            switch code {
            case .malformed: .malformed(try fields.text(.reason))
            case .unauthorized: .unauthorized
            case .notAllowed: .notAllowed(try fields.decode(Rights.self, forKey: .rights))
            case .unknownParticipant: .unknownParticipant(try fields.uid())
            case .descriptionRefused: .descriptionRefused(try fields.text(.reason))
            case .timedOut: .timedOut
            case .uidTaken: .uidTaken(try fields.uid())
            case .sessionEnded: .sessionEnded
            case .notPublished: .notPublished(try fields.kind())
            case .tooLarge: .tooLarge(field: try fields.text(.field), limit: try fields.integer(.limit))
            case .alreadyJoined: .alreadyJoined
            case .locked: .locked
            case .notJoined: .notJoined
            case .tooFast:
                .tooFast(
                    limit: try fields.integer(.limit),
                    retryAfter: .milliseconds(min(max(try fields.integer(.retryAfter), 0), 60_000)),
                    missed: try missed())
            case .replaced: .replaced
            case .removed: .removed
            case .queueFull: .queueFull(missed: try missed(), cached: try fields.integer(.cached))
            case .roomFull: .roomFull(limit: try fields.integer(.limit))
            case .tooManySessions: .tooManySessions(limit: try fields.integer(.limit))
            case .draining: .draining
            case .tooManyRooms: .tooManyRooms(limit: try fields.integer(.limit))
            case .recipientFull: .recipientFull(try fields.uid(), missed: try missed())
            case .blocked: .blocked
            case .chatDisabled: .chatDisabled
            case .unknownMessage: .unknownMessage(try fields.integer(.message))
            case .tooOld: .tooOld(limit: try fields.integer(.limit))
            case .imageRefused: .imageRefused(try fields.text(.reason))
            case .storeFailed: .storeFailed
            }
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        try fields.encode(code.rawValue, forKey: .code)
        try fields.encode(description, forKey: .text)
        switch self {
        case .malformed(let reason), .descriptionRefused(let reason), .imageRefused(let reason):
            try fields.encode(reason, forKey: .reason)
        case .notAllowed(let rights): try fields.encode(rights, forKey: .rights)
        case .unknownParticipant(let uid), .uidTaken(let uid): try fields.encode(uid, forKey: .uid)
        case .notPublished(let kind): try fields.encode(kind, forKey: .kind)
        case .tooLarge(let field, let limit):
            try fields.encode(field, forKey: .field)
            try fields.encode(limit, forKey: .limit)
        case .tooFast(let limit, let retryAfter, let missed):
            try fields.encode(limit, forKey: .limit)
            try fields.encode(Int(retryAfter.nanoseconds / 1_000_000), forKey: .retryAfter)
            try fields.encode(missed, forKey: .missed)
        case .queueFull(let missed, let cached):
            try fields.encode(missed, forKey: .missed)
            try fields.encode(cached, forKey: .cached)
        case .roomFull(let limit), .tooManySessions(let limit), .tooManyRooms(let limit), .tooOld(let limit):
            try fields.encode(limit, forKey: .limit)
        case .recipientFull(let uid, let missed):
            try fields.encode(uid, forKey: .uid)
            try fields.encode(missed, forKey: .missed)
        case .unauthorized, .timedOut, .sessionEnded, .alreadyJoined, .locked, .notJoined, .replaced, .removed,
            .draining, .blocked, .chatDisabled, .storeFailed:
            break
        case .unknownMessage(let number): try fields.encode(number, forKey: .message)
        }
    }
}
