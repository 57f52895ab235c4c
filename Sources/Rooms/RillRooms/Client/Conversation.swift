import RillCore

/// A room's chat, as a client knows it: its messages without a gap, and what became of its own ones.
public struct Conversation: Sendable {
    /// The messages, in the order of their numbers. One that is deleted has no content.
    public private(set) var messages: [ChatMessage] = []
    /// Whether the server has the chat. While it has not, nothing can be sent.
    public private(set) var isAvailable = false
    /// Whether the chat is on.
    public private(set) var isEnabled = true
    /// Whether a host lets this client write no more.
    public private(set) var isBlocked = false
    /// For hosts: the authors who may not write.
    public private(set) var blockedAuthors: Set<String> = []
    /// This client's name as an author.
    public private(set) var author: String?
    /// The number of the last message.
    public private(set) var lastNumber = 0
    /// How far this client has read.
    public private(set) var mark = 0
    /// How far others have received and read this client's messages.
    public private(set) var marks = ChatMarks()
    /// Messages that were refused, with the reason. They are kept until the app resends or discards them.
    public private(set) var failed: [(message: OutgoingChat, error: RoomError)] = []
    /// Gaps that were found, and filled by asking.
    public private(set) var gapCount = 0

    private let limit: Int
    /// Numbers that are to be read again: messages are missing, or may have changed.
    private var missing: Range<Int>?
    private var wantsOlder = false
    private var isWhole = false
    private var fetch: (request: Int, isOlder: Bool)?
    private var fetchTime = MediaTime(nanoseconds: .min)
    private var sentMark = 0
    private var markRequest = 0
    private var markTime = MediaTime(nanoseconds: .min)
    private static let pageLimit = ChatCommand.pageLimit

    init(limit: Int) { self.limit = limit }

    /// What became of a message of this client; `nil` for a message of somebody else.
    public func delivery(of message: ChatMessage) -> ChatDelivery? {
        guard message.author == author else { return nil }
        return message.number <= marks.read ? .read : message.number <= marks.received ? .delivered : .sent
    }

    /// The messages of others that were not read. As long as there may be others before the first of ``messages``, all
    /// numbers before it count as theirs.
    public var unreadCount: Int {
        let first = messages.first?.number ?? lastNumber + 1
        return (isWhole ? 0 : max(first - 1 - mark, 0))
            + messages.count { $0.number > mark && $0.author != author && $0.content != nil }
    }

    /// Whether there may be older messages, and a place for them.
    public var hasOlder: Bool {
        isAvailable && !isWhole && messages.count < limit && (messages.first?.number ?? lastNumber + 1) > 1
    }

    /// Whether nothing is missing that is to be fetched.
    public var isComplete: Bool { missing == nil }

    /// The number up to which all has been received; `nil` while that is not known.
    var receivedNumber: Int? { isAvailable && missing == nil ? lastNumber : nil }

    func contains(key: String) -> Bool { messages.contains { $0.key == key && $0.author == author } }

    // MARK: From the server

    mutating func take(_ state: ChatState) {
        (author, isEnabled, isBlocked) = (state.author, state.isEnabled, state.isBlocked)
        blockedAuthors = Set(state.blockedAuthors ?? [])
        (isAvailable, marks, sentMark) = (true, state.marks, state.mark)
        mark = lastNumber <= state.lastNumber ? max(mark, state.mark) : state.mark
        let first = state.messages.first?.number ?? state.lastNumber + 1
        // A store that has less than this client knows is another one.
        let isSame = lastNumber <= state.lastNumber && !state.isWhole
        let all = (isSame ? messages.filter { $0.number < first } : []) + state.messages
        messages = all.suffix(limit)
        if messages.count < all.count {
            isWhole = false
        } else if all.count == state.messages.count {
            isWhole = state.isWhole
        }
        // What was known before may have been edited or deleted.
        missing = messages.first.flatMap { $0.number < first ? $0.number..<first : nil }
        lastNumber = state.lastNumber
        (fetch, wantsOlder) = (nil, false)
        forgetKnown()
    }

    mutating func becomeUnavailable() { isAvailable = false }

    mutating func take(_ event: RoomEvent) {
        switch event {
        case .chat(let message): take(message)
        case .chatEdited(let number, text: _, edited: _), .chatDeleted(let number):
            if let index = messages.lastIndex(where: { $0.number == number }) { messages[index].apply(event) }
        case .chatChanged(let isEnabled): self.isEnabled = isEnabled
        default: break
        }
    }

    private mutating func take(_ message: ChatMessage) {
        guard message.number > lastNumber else { return }
        if message.number > lastNumber + 1 {
            gapCount += 1
            missing = min(missing?.lowerBound ?? .max, lastNumber + 1)..<message.number
        }
        lastNumber = message.number
        messages.append(message)
        if messages.count > limit {
            messages.removeFirst(messages.count - limit)
            isWhole = false
        }
        failed.removeAll { $0.message.key == message.key && message.author == author }
    }

    /// Others have got so far.
    mutating func take(_ marks: ChatMarks) {
        self.marks = ChatMarks(
            received: max(self.marks.received, marks.received), read: max(self.marks.read, marks.read))
    }

    mutating func setBlocked(_ author: String, _ isBlocked: Bool) {
        if author == self.author { self.isBlocked = isBlocked }
        if isBlocked { blockedAuthors.insert(author) } else { blockedAuthors.remove(author) }
    }

    /// A page came, if this client asked for it.
    mutating func take(_ page: [ChatMessage], request: Int) -> Bool {
        guard let fetch, fetch.request == request else { return false }
        self.fetch = nil
        let isLast = page.count < Self.pageLimit
        if fetch.isOlder {
            wantsOlder = false
            isWhole = isLast
            let first = messages.first?.number ?? lastNumber + 1
            messages.insert(contentsOf: page.filter { $0.number < first }, at: 0)
        } else if let missing {
            let first = page.first?.number ?? 0
            let lower = isLast || first <= missing.lowerBound ? missing.lowerBound : first
            let known = messages.filter { $0.number < lower }
            let newer = messages.filter { $0.number >= missing.upperBound }
            messages = known + page.filter { $0.number >= lower && $0.number < missing.upperBound } + newer
            self.missing = lower > missing.lowerBound ? missing.lowerBound..<lower : nil
        }
        forgetKnown()
        return true
    }

    /// A request of this failed: it is tried again a second later.
    mutating func fail(_ request: Int, at now: MediaTime) -> Bool {
        if fetch?.request == request {
            fetch = nil
            fetchTime = now + .seconds(1)
            return true
        }
        guard markRequest == request else { return false }
        sentMark = 0
        markTime = now + .seconds(1)
        return true
    }

    /// What is in the list did not fail.
    private mutating func forgetKnown() {
        guard !failed.isEmpty else { return }
        failed = failed.filter { !contains(key: $0.message.key) }
    }

    // MARK: To the server

    /// This client has read up to a number.
    mutating func read(_ number: Int) { mark = max(mark, min(number, lastNumber)) }

    mutating func wantOlder() { wantsOlder = hasOlder }

    /// A message was refused.
    mutating func refused(_ message: OutgoingChat, _ error: RoomError) {
        if error == .blocked { isBlocked = true }
        failed.removeAll { $0.message.key == message.key }
        if !contains(key: message.key) { failed.append((message, error)) }
    }

    mutating func takeFailed(key: String) -> OutgoingChat? {
        guard let index = failed.firstIndex(where: { $0.message.key == key }) else { return nil }
        return failed.remove(at: index).message
    }

    /// The next request of the chat; `nil` if none is due.
    mutating func next(id: Int, at now: MediaTime) -> ChatCommand? {
        guard isAvailable else { return nil }
        if fetch == nil, now >= fetchTime {
            if let missing {
                fetch = (id, false)
                return .history(ChatPage(.before(missing.upperBound), limit: Self.pageLimit))
            }
            if wantsOlder {
                fetch = (id, true)
                let first = messages.first?.number ?? lastNumber + 1
                return .history(ChatPage(.before(first), limit: Self.pageLimit))
            }
        }
        guard mark > sentMark, now >= markTime else { return nil }
        (sentMark, markRequest, markTime) = (mark, id, now + .milliseconds(500))
        return .read(mark)
    }

    /// When that may be.
    var wakeTime: MediaTime {
        guard isAvailable else { return .distantFuture }
        let fetching = fetch == nil && (missing != nil || wantsOlder) ? fetchTime : .distantFuture
        return mark > sentMark ? min(fetching, markTime) : fetching
    }

    /// The channel is gone, and with it what was asked for.
    mutating func reset() { (fetch, sentMark, markTime) = (nil, 0, MediaTime(nanoseconds: .min)) }
}

/// What became of a message that somebody wrote.
public enum ChatDelivery: Equatable, Sendable {
    /// It is not stored yet, as far as is known.
    case sending
    /// The server has stored it.
    case sent
    /// Somebody else has received it.
    case delivered
    /// Somebody else has read it.
    case read
    /// It was refused, or the server is away. In the second case it goes out by itself when it is back.
    case failed(RoomError)
}

/// A chat message that is to be sent. An app may keep it over its restart.
public struct OutgoingChat: Equatable, Sendable, Codable {
    /// Its id, unique among the author's messages.
    public var key: String
    /// The text; empty for an image without a caption.
    public var text: String
    /// The number of the message that it answers.
    public var replyTo: Int?
    /// An image that the server has.
    public var image: ChatImage?

    /// A message.
    public init(_ text: String, key: String, replyTo: Int? = nil, image: ChatImage? = nil) {
        (self.text, self.key, self.replyTo, self.image) = (text, key, replyTo, image)
    }
}
