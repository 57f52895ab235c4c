/// In JSON: fields of the request.
extension ChatCommand {
    /// The most messages of a page.
    static let pageLimit = 100

    init(_ name: RoomCommand.Name, from fields: KeyedDecodingContainer<Field>) throws {
        let message = { try fields.integer(.message) }
        switch name {
        case .edit: self = .edit(try message(), text: try fields.text(.text))
        case .delete: self = .delete(try message())
        case .typing: self = .typing
        case .read: self = .read(try message())
        case .history: self = .history(try ChatPage(from: fields))
        case .setChat: self = .setEnabled(try fields.decode(Bool.self, forKey: .enabled))
        case .block: self = .block(try fields.text(.author), try fields.decode(Bool.self, forKey: .blocked))
        case .report:
            self = .report(
                try message(), try fields.decode(ChatReport.Reason.self, forKey: .reason),
                text: try fields.decodeIfPresent(String.self, forKey: .text) ?? "")
        case .reports: self = .reports
        default:
            self = .write(
                key: try fields.text(.key), text: try fields.decodeIfPresent(String.self, forKey: .text) ?? "",
                replyTo: try fields.decodeIfPresent(Int.self, forKey: .replyTo),
                image: try fields.decodeIfPresent(ChatImage.self, forKey: .image))
        }
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        switch self {
        case .write(let key, let text, let replyTo, let image):
            try fields.encode(key, forKey: .key)
            if !text.isEmpty { try fields.encode(text, forKey: .text) }
            try fields.encodeIfPresent(replyTo, forKey: .replyTo)
            try fields.encodeIfPresent(image, forKey: .image)
        case .edit(let number, let text):
            try fields.encode(number, forKey: .message)
            try fields.encode(text, forKey: .text)
        case .delete(let number), .read(let number): try fields.encode(number, forKey: .message)
        case .history(let page): try page.encode(into: &fields)
        case .setEnabled(let isEnabled): try fields.encode(isEnabled, forKey: .enabled)
        case .block(let author, let isBlocked):
            try fields.encode(author, forKey: .author)
            try fields.encode(isBlocked, forKey: .blocked)
        case .report(let number, let reason, let text):
            try fields.encode(number, forKey: .message)
            try fields.encode(reason, forKey: .reason)
            if !text.isEmpty { try fields.encode(text, forKey: .text) }
        case .typing, .reports: break
        }
    }
}

extension ChatPage {
    init(from fields: KeyedDecodingContainer<Field>) throws {
        let after = try fields.decodeIfPresent(Int.self, forKey: .after)
        let before = try fields.decodeIfPresent(Int.self, forKey: .before)
        self.init(after.map(Direction.after) ?? .before(before), limit: try fields.integer(.limit))
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        switch direction {
        case .before(let number): try fields.encodeIfPresent(number, forKey: .before)
        case .after(let number): try fields.encode(number, forKey: .after)
        }
        try fields.encode(limit, forKey: .limit)
    }
}
