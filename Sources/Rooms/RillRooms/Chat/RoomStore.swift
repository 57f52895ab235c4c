/// Keeps the chats of rooms: in memory (``MemoryRoomStore``), or in a database.
///
/// The rooms ask for it by an action and get the results later; nothing else of a room waits meanwhile. A store has one
/// writer: calls of ``write(_:)`` come one after the other. Reads may come beside them.
public protocol RoomStore: Sendable {
    /// Makes changes, in this order. Those that can be made are on stable storage when it returns.
    ///
    /// - Parameter changes: of any rooms, at most 1,000.
    /// - Returns: a result for each.
    /// - Throws: if nothing was made of them, because the disk is full for instance. The same changes may come again.
    func write(_ changes: [ChatChange]) async throws(RoomStoreError) -> [ChatResult]

    /// What a room has that is not a message: read when the room begins.
    func record(of room: String) async throws(RoomStoreError) -> ChatRecord

    /// A page of messages, in the order of their numbers. A deleted message is one of them, without its content, for as
    /// long as its number is kept.
    func messages(in room: String, _ page: ChatPage) async throws(RoomStoreError) -> [ChatMessage]

    /// The reports of a room's messages with these, the latest first, at most so many. A message that the store does
    /// not keep any more goes with its reports.
    func reports(in room: String, limit: Int) async throws(RoomStoreError) -> [ReportedMessage]
}

/// A change of a room's chat.
public struct ChatChange: Equatable, Sendable {
    /// The room's name.
    public var room: String
    /// When, in milliseconds since 1970.
    public var time: Int
    /// What changes.
    public var kind: Kind

    /// A change.
    public init(_ kind: Kind, in room: String, time: Int) { (self.kind, self.room, self.time) = (kind, room, time) }

    /// What changes.
    public enum Kind: Equatable, Sendable {
        /// A new message. Its number is the store's to give, one more than the room's last one ever; what it says of
        /// number and time does not count: its time is the change's. An author's second message of the same key is not
        /// new: `known`, also if the first was deleted or expired. An image must be one that the store has, with the
        /// same format and sizes: else `notFound`.
        case write(ChatMessage)
        /// The text of an author's message, or an image's caption, is another one. `by` is `nil` for a host, who may
        /// any. A message from before `since`, in milliseconds since 1970, is `tooOld`.
        case edit(Int, text: String, by: String?, since: Int)
        /// A message is deleted: its number, time, author and key stay, its content goes. A second time is `known`.
        case delete(Int, by: String?, since: Int)
        /// A reader has read up to this number; marks never go back.
        case read(Int, by: String)
        /// A member has received up to this number.
        case received(Int, by: String)
        /// The chat is on, or off.
        case setEnabled(Bool)
        /// An author may not write any more, or may again.
        case setBlocked(String, Bool)
        /// A report of a message; one of a reporter for a message, a second is `known`.
        case report(ChatReport)
        /// The room is closed by its host: all of it goes but the ids of its messages.
        case forget
    }
}

/// What became of a change.
public enum ChatResult: Equatable, Sendable {
    /// It is made. For a new message its number, else that of the message it is about; 0 where there is none.
    case stored(Int)
    /// It had been made before: the number of that message.
    case known(Int)
    /// There is no such message, it is deleted, or it is somebody else's; or no such image.
    case notFound
    /// The message is older than it may be for this change.
    case tooOld
}

/// Which messages of a room are read: those next to a number.
public struct ChatPage: Equatable, Sendable {
    /// In which direction.
    public enum Direction: Equatable, Sendable {
        /// The last ones below a number; `nil` for the latest.
        case before(Int?)
        /// The first ones above a number.
        case after(Int)
    }

    /// Which way.
    public var direction: Direction
    /// At most so many.
    public var limit: Int

    /// A page.
    public init(_ direction: Direction, limit: Int) { (self.direction, self.limit) = (direction, limit) }
}

/// What is known of a room's chat apart from its messages.
public struct ChatRecord: Equatable, Sendable {
    /// The number of the last message ever; 0 for none.
    public var lastNumber = 0
    /// Whether the chat is on.
    public var isEnabled = true
    /// The authors who may not write.
    public var blocked: Set<String> = []
    /// How far each reader has read.
    public var read: [String: Int] = [:]
    /// How far each member has received.
    public var received: [String: Int] = [:]

    /// A room without a chat.
    public init() {}
}

/// A report of a message.
public struct ChatReport: Equatable, Sendable, Codable {
    /// Why.
    public enum Reason: String, Codable, CaseIterable, Sendable {
        case racism, homophobia, sexism, bullying, intellectual, other
    }

    /// The number of the message.
    public var message: Int
    /// Who reports it.
    public var reporter: String
    /// Why.
    public var reason: Reason
    /// What the reporter says; at most 255 characters, may be empty.
    public var text: String

    /// A report.
    public init(of message: Int, by reporter: String, _ reason: Reason, text: String = "") {
        (self.message, self.reporter, self.reason, self.text) = (message, reporter, reason, text)
    }
}

/// A report, and the message that it is about.
public struct ReportedMessage: Equatable, Sendable {
    /// The report.
    public var report: ChatReport
    /// The message as it is now.
    public var message: ChatMessage?

    /// A report of a message.
    public init(_ report: ChatReport, _ message: ChatMessage?) { (self.report, self.message) = (report, message) }
}

/// Why a store did nothing.
public enum RoomStoreError: Error, Equatable, Sendable {
    /// There is no place for more: on the disk, or within the store's limit.
    case full
    /// The database failed, in its own words.
    case failed(String)
}
