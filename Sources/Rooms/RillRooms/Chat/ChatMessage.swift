/// A message of a room's chat.
public struct ChatMessage: Equatable, Sendable {
    /// Its number in the room: one more for each, however often the server restarts. 0 before it is stored.
    public var number: Int
    /// When it was stored, in milliseconds since 1970.
    public var time: Int
    /// Who wrote it: the identity of the token, or a name for as long as a session lasts.
    public var author: String
    /// The author's number in the room when it was written.
    public var uid: UID
    /// The author's name when it was written.
    public var name: String
    /// The id that its sender made. An author's second message of the same key is the same message.
    public var key: String
    /// What it says; `nil` once it is deleted.
    public var content: Content?
    /// The message that it answers.
    public var replyTo: Int?
    /// When it was edited, in milliseconds since 1970.
    public var edited: Int?

    /// A text, or an image with its caption.
    public struct Content: Equatable, Sendable {
        /// The text; empty for an image without a caption.
        public var text: String
        /// The image.
        public var image: ChatImage?

        /// A content.
        public init(text: String, image: ChatImage? = nil) { (self.text, self.image) = (text, image) }
    }

    /// A new message.
    public init(
        author: String, uid: UID, name: String, key: String, _ content: Content, replyTo: Int? = nil
    ) {
        (number, time) = (0, 0)
        (self.author, self.uid, self.name, self.key) = (author, uid, name, key)
        (self.content, self.replyTo) = (content, replyTo)
    }
}

/// An image of a chat, which is stored apart from its message.
public struct ChatImage: Equatable, Sendable, Codable {
    /// What its bytes are.
    public enum Format: String, Codable, CaseIterable, Sendable {
        case png, jpeg, webp, gif
    }

    /// SHA-256 of its bytes, in 64 lowercase hexadecimal digits: its name in the store.
    public var hash: String
    /// Its format, by content.
    public var format: Format
    /// Its width in pixels, as it is shown.
    public var width: Int
    /// Its height in pixels, as it is shown.
    public var height: Int
    /// Its size in bytes.
    public var byteCount: Int

    /// An image.
    public init(hash: String, _ format: Format, width: Int, height: Int, byteCount: Int) {
        (self.hash, self.format, self.width, self.height) = (hash, format, width, height)
        self.byteCount = byteCount
    }

    /// The size in which it is shown within a square: its longer side is the square's, the other one as its ratio says,
    /// rounded down, and at least 1.
    public func size(within side: Int) -> (width: Int, height: Int) {
        guard width > 0, height > 0 else { return (side, side) }
        // What a server says of an image may be anything, and overflows nothing.
        return width > height ? (side, max(side &* height / width, 1)) : (max(side &* width / height, 1), side)
    }
}
