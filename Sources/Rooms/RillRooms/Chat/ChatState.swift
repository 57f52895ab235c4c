/// What a member knows of a room's chat when it comes in: its last messages, and what concerns the member itself.
public struct ChatState: Equatable, Sendable, Codable {
    /// The member's name as an author.
    public var author: String
    /// The number of the last message ever; 0 for none.
    public var lastNumber: Int
    /// Whether the chat is on.
    public var isEnabled: Bool
    /// Whether the member may not write.
    public var isBlocked: Bool
    /// How far the member has read.
    public var mark: Int
    /// How far others have received and read the member's messages.
    public var marks: ChatMarks
    /// The last messages.
    public var messages: [ChatMessage]
    /// Whether those are all that there are.
    public var isWhole: Bool
    /// For hosts: the authors who may not write.
    public var blockedAuthors: [String]?

    private enum CodingKeys: String, CodingKey {
        case author, mark, messages, blockedAuthors
        case lastNumber = "message"
        case isEnabled = "enabled"
        case isBlocked = "blocked"
        case isWhole = "whole"
        case received, read
    }

    /// A state.
    public init(
        author: String, lastNumber: Int = 0, isEnabled: Bool = true, isBlocked: Bool = false, mark: Int = 0,
        marks: ChatMarks = ChatMarks(), messages: [ChatMessage] = [], isWhole: Bool = false,
        blockedAuthors: [String]? = nil
    ) {
        (self.author, self.lastNumber, self.isEnabled) = (author, lastNumber, isEnabled)
        (self.isBlocked, self.mark, self.marks) = (isBlocked, mark, marks)
        (self.messages, self.isWhole, self.blockedAuthors) = (messages, isWhole, blockedAuthors)
    }

    /// Decodes a state.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            author: try fields.decode(String.self, forKey: .author),
            lastNumber: try fields.decode(Int.self, forKey: .lastNumber),
            isEnabled: try fields.decode(Bool.self, forKey: .isEnabled),
            isBlocked: try fields.decode(Bool.self, forKey: .isBlocked),
            mark: try fields.decode(Int.self, forKey: .mark),
            marks: ChatMarks(
                received: try fields.decode(Int.self, forKey: .received),
                read: try fields.decode(Int.self, forKey: .read)),
            messages: try fields.decode([ChatMessage].self, forKey: .messages),
            isWhole: try fields.decodeIfPresent(Bool.self, forKey: .isWhole) ?? false,
            blockedAuthors: try fields.decodeIfPresent([String].self, forKey: .blockedAuthors))
    }

    /// Encodes the state, flat but for its lists.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(author, forKey: .author)
        try fields.encode(lastNumber, forKey: .lastNumber)
        try fields.encode(isEnabled, forKey: .isEnabled)
        try fields.encode(isBlocked, forKey: .isBlocked)
        try fields.encode(mark, forKey: .mark)
        try fields.encode(marks.received, forKey: .received)
        try fields.encode(marks.read, forKey: .read)
        try fields.encode(messages, forKey: .messages)
        if isWhole { try fields.encode(true, forKey: .isWhole) }
        try fields.encodeIfPresent(blockedAuthors, forKey: .blockedAuthors)
    }

    var roughByteCount: Int {
        300 + messages.reduce(0) { $0 + $1.roughByteCount }
            + (blockedAuthors ?? []).reduce(0) { $0 + $1.utf8.count + 3 }
    }
}

/// How far others have got with an author's messages: the largest number of anybody else.
public struct ChatMarks: Equatable, Sendable {
    /// What at least one other member has received.
    public var received: Int
    /// What at least one other member has read.
    public var read: Int

    /// Marks.
    public init(received: Int = 0, read: Int = 0) { (self.received, self.read) = (received, read) }
}

extension Participant {
    /// Its name as an author of messages: its identity, or `guest:` and the number of its session, or of its first one.
    public var author: String { identity ?? "guest:\(guest ?? session)" }
}
