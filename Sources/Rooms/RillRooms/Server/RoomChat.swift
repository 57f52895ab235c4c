import RillCore

/// A room's chat, as the server has it in memory: what the store has, as far as it was read or written.
struct RoomChat {
    enum Phase {
        /// The store is asked. What members ask for waits.
        case loading
        case ready
        /// The store failed; it is asked again.
        case failed
    }

    /// Who gets an answer.
    struct Reply {
        let channel: Channel
        let request: Int
    }

    private(set) var phase = Phase.loading
    /// Who reads on from an event before this one does not have the chat.
    private(set) var loadedNumber = 0
    /// Whether somebody was welcomed without it.
    var wasMissed = false
    private(set) var lastNumber = 0
    private(set) var isEnabled = true
    private(set) var blocked: Set<String> = []
    /// The same once all is done that the store is asked for.
    var willBeEnabled = true
    var willBeBlocked: Set<String> = []
    /// The last messages, in the order of their numbers.
    private(set) var recent: [ChatMessage] = []
    /// Whether the store has no others.
    private var isWhole = false
    private(set) var readers: [String: Int] = [:]
    private var receivedMarks = LeadingMarks()
    private var readMarks = LeadingMarks()
    private var lastOwn: [String: Int] = [:]
    private var waiting: [(command: ChatCommand, member: Member, reply: Reply)] = []
    private let recentLimit: Int
    private static let waitingLimit = 1_000
    private static let authorLimit = 1_000

    init(recentLimit: Int) { self.recentLimit = recentLimit }

    var entryCount: Int { recent.count + readers.count + lastOwn.count + waiting.count + blocked.count }

    // MARK: Loading

    mutating func load(_ record: ChatRecord, _ messages: [ChatMessage], at number: Int) {
        (phase, loadedNumber) = (.ready, number)
        lastNumber = max(record.lastNumber, messages.last?.number ?? 0)
        (isEnabled, blocked, readers, recent) = (record.isEnabled, record.blocked, record.read, messages)
        isWhole = messages.count < recentLimit
        (willBeEnabled, willBeBlocked) = (isEnabled, blocked)
        for (author, number) in record.received { _ = receivedMarks.raise(author, to: number) }
        for (author, number) in record.read { _ = readMarks.raise(author, to: number) }
        for message in messages { lastOwn[message.author] = message.number }
    }

    mutating func fail() { if phase == .loading { phase = .failed } }

    /// Keeps a command until the chat is loaded.
    ///
    /// - Returns: whether there was a place.
    mutating func wait(_ command: ChatCommand, of member: Member, _ reply: Reply) -> Bool {
        guard waiting.count < Self.waitingLimit else { return false }
        waiting.append((command, member, reply))
        return true
    }

    mutating func takeWaiting() -> [(command: ChatCommand, member: Member, reply: Reply)] {
        defer { waiting = [] }
        return waiting
    }

    // MARK: Messages

    /// Adds a message that is stored.
    mutating func add(_ message: ChatMessage) {
        lastNumber = message.number
        recent.append(message)
        if recent.count > recentLimit {
            recent.removeFirst(recent.count - recentLimit)
            isWhole = false
        }
        lastOwn[message.author] = message.number
        if lastOwn.count > Self.authorLimit, let oldest = lastOwn.min(by: { $0.value < $1.value }) {
            lastOwn[oldest.key] = nil
        }
    }

    /// Changes what an event changes.
    mutating func apply(_ event: RoomEvent) {
        switch event {
        case .chatEdited(let number, text: _, edited: _), .chatDeleted(let number):
            guard let index = recent.firstIndex(where: { $0.number == number }) else { return }
            recent[index].apply(event)
        case .chatChanged(let isEnabled): self.isEnabled = isEnabled
        default: break
        }
    }

    subscript(number: Int) -> ChatMessage? { recent.last { $0.number == number } }

    /// The number of one of the last messages.
    func number(of author: String, key: String) -> Int? {
        recent.last { $0.key.utf8.elementsEqual(key.utf8) && $0.author == author }?.number
    }

    mutating func setBlocked(_ author: String, _ isBlocked: Bool) {
        if isBlocked { blocked.insert(author) } else { blocked.remove(author) }
    }

    /// Some changes were not made: what is to become is what is, and then those that wait.
    mutating func revert(to waiting: [ChatChange.Kind]) {
        (willBeEnabled, willBeBlocked) = (isEnabled, blocked)
        for kind in waiting {
            switch kind {
            case .setEnabled(let isEnabled): willBeEnabled = isEnabled
            case .setBlocked(let author, true): willBeBlocked.insert(author)
            case .setBlocked(let author, false): willBeBlocked.remove(author)
            default: break
            }
        }
    }

    // MARK: Marks

    /// A member has received up to a number.
    ///
    /// - Returns: whether others may be told.
    mutating func receive(_ author: String, _ number: Int) -> Bool { receivedMarks.raise(author, to: number) }

    /// A member has read up to a number.
    ///
    /// - Returns: whether others may be told; `nil` if it had read so far before.
    mutating func read(_ author: String, _ number: Int) -> Bool? {
        guard number > readers[author] ?? 0 else { return nil }
        readers[author] = number
        return readMarks.raise(author, to: number)
    }

    /// How far others have got.
    func marks(of author: String) -> ChatMarks {
        ChatMarks(received: receivedMarks.others(than: author), read: readMarks.others(than: author))
    }

    /// What an author is told, if it concerns messages of theirs.
    func newMarks(of author: String, told: ChatMarks) -> ChatMarks? {
        let (marks, own) = (marks(of: author), lastOwn[author] ?? 0)
        let isNew = marks.received > told.received && own > told.received || marks.read > told.read && own > told.read
        return isNew ? marks : nil
    }

    // MARK: Members

    func state(of participant: Participant) -> ChatState? {
        guard phase == .ready else { return nil }
        let author = participant.author
        return ChatState(
            author: author, lastNumber: lastNumber, isEnabled: isEnabled, isBlocked: blocked.contains(author),
            mark: readers[author] ?? 0, marks: marks(of: author), messages: recent,
            isWhole: isWhole, blockedAuthors: participant.rights.contains(.moderate) ? blocked.sorted() : nil)
    }

    /// A guest's mark is of no use when it is gone.
    mutating func forget(guest author: String) { readers[author] = nil }
}

/// The largest mark of all, and the largest of anybody else.
private struct LeadingMarks {
    private var best = (author: "", number: 0)
    private var second = (author: "", number: 0)

    /// - Returns: whether that changes anything.
    mutating func raise(_ author: String, to number: Int) -> Bool {
        if author == best.author {
            guard number > best.number else { return false }
            best.number = number
        } else if number > best.number {
            (best, second) = ((author, number), best)
        } else {
            guard number > second.number else { return false }
            second = (author, number)
        }
        return true
    }

    func others(than author: String) -> Int { best.author == author ? second.number : best.number }
}

/// A member's part in the chat.
struct MemberChat {
    /// How far it has received.
    var received = 0
    /// What it was told of its own messages.
    var told = ChatMarks()
    private var messages: TokenBucket
    private var requests: TokenBucket
    private var typing = TokenBucket(perSecond: 2)
    private let rate: Int
    private let requestRate: Int
    private var missed = 0

    init(_ settings: RoomSettings) {
        (rate, requestRate) = (settings.chatRate, settings.chatRequestRate)
        messages = TokenBucket(perSecond: Double(rate))
        requests = TokenBucket(perSecond: Double(requestRate))
    }

    /// Counts a message.
    ///
    /// - Throws: `tooFast`.
    mutating func takeMessage(at now: MediaTime) throws(RoomError) {
        guard messages.has(1, at: now) else {
            missed += 1
            throw .tooFast(limit: rate, retryAfter: .milliseconds(1_000 / rate + 1), missed: missed)
        }
        messages.take(1)
        missed = 0
    }

    /// Counts a request that is no message.
    ///
    /// - Throws: `tooFast`.
    mutating func takeRequest(at now: MediaTime) throws(RoomError) {
        guard requests.has(1, at: now) else {
            throw .tooFast(limit: requestRate, retryAfter: .milliseconds(1_000 / requestRate + 1), missed: 1)
        }
        requests.take(1)
    }

    /// Counts that it is typing.
    ///
    /// - Throws: `tooFast`.
    mutating func takeTyping(at now: MediaTime) throws(RoomError) {
        guard typing.has(1, at: now) else { throw .tooFast(limit: 2, retryAfter: .milliseconds(500), missed: 1) }
        typing.take(1)
    }
}
