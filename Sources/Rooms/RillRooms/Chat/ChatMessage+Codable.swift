/// In JSON: one object, flat but for the image. A deleted message has no `text`.
extension ChatMessage: Codable {
    /// Decodes a message.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        (number, time) = (try fields.integer(.message), try fields.integer(.time))
        (author, uid, name) = (try fields.text(.author), try fields.uid(), try fields.text(.name))
        key = try fields.text(.key)
        content = try fields.decodeIfPresent(String.self, forKey: .text).map { text in
            Content(text: text, image: try fields.decodeIfPresent(ChatImage.self, forKey: .image))
        }
        replyTo = try fields.decodeIfPresent(Int.self, forKey: .replyTo)
        edited = try fields.decodeIfPresent(Int.self, forKey: .edited)
    }

    /// Encodes the message with its number and time.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(number, forKey: .message)
        try fields.encode(time, forKey: .time)
        try fields.encode(author, forKey: .author)
        try fields.encode(uid, forKey: .uid)
        try fields.encode(name, forKey: .name)
        try fields.encode(key, forKey: .key)
        try fields.encodeIfPresent(content?.text, forKey: .text)
        try fields.encodeIfPresent(content?.image, forKey: .image)
        try fields.encodeIfPresent(replyTo, forKey: .replyTo)
        try fields.encodeIfPresent(edited, forKey: .edited)
    }
}

extension ReportedMessage: Codable {
    /// Decodes a report with its message.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        self.init(
            try ChatReport(from: decoder), try fields.decodeIfPresent(ChatMessage.self, forKey: .original))
    }

    /// Encodes the report's fields, and the message as `original`.
    public func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encodeIfPresent(message, forKey: .original)
    }
}

extension ChatMessage {
    /// About how long it is in JSON.
    var roughByteCount: Int {
        120 + author.utf8.count + name.utf8.count + key.utf8.count + (content?.text.utf8.count ?? 0)
            + (content?.image == nil ? 0 : 150)
    }
}
