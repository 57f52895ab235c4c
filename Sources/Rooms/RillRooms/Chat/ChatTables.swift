/// The chats of rooms in memory, changed and read at once: for ``MemoryRoomStore``, and for programs without threads.
public struct ChatTables: Sendable {
    /// What is kept.
    public struct Limits: Equatable, Sendable {
        /// The messages of a room; the oldest go first. 10 000.
        public var messages = 10_000
        /// How long a message is kept. 30 days.
        public var messageDays = 30
        /// The reports of a room, the marks of each kind, and all images. 10 000.
        public var entries = 10_000
        /// The rooms; beyond it the store is full. 1000.
        public var rooms = 1_000
        /// The bytes of all texts and names; beyond it the store is full. 256 MB.
        public var bytes = 268_435_456

        /// The defaults.
        public init() {}
    }

    /// How long the author and key of a message stay that is deleted, or not kept any more: in milliseconds.
    static let keyLifetime = 7 * 86_400_000

    private let limits: Limits
    private var rooms: [String: RoomTables] = [:]
    private var images: [String: ChatImage] = [:]
    private var byteCount = 0

    /// No chats.
    public init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Makes changes, as ``RoomStore/write(_:)``.
    ///
    /// - Throws: `full`. Then nothing has changed.
    public mutating func write(_ changes: [ChatChange]) throws(RoomStoreError) -> [ChatResult] {
        let names = Set(changes.map(\.room)).subtracting(rooms.keys)
        guard rooms.count + names.count <= limits.rooms else { throw .full }
        let growth = changes.reduce(0) { $0 + $1.kind.roughByteCount }
        guard byteCount + growth <= limits.bytes else { throw .full }
        return changes.map { apply($0) }
    }

    private mutating func apply(_ change: ChatChange) -> ChatResult {
        if case .write(let message) = change.kind, let image = message.content?.image, images[image.hash] != image {
            return .notFound
        }
        var room = rooms[change.room] ?? RoomTables()
        rooms[change.room] = nil
        byteCount -= room.byteCount
        room.expire(limits, at: change.time)
        let result = room.apply(change.kind, limits, at: change.time)
        byteCount += room.byteCount
        rooms[change.room] = room
        return result
    }

    /// Adds an image, which messages then may have.
    ///
    /// - Throws: `full`.
    public mutating func add(_ image: ChatImage) throws(RoomStoreError) {
        guard images[image.hash] != nil || images.count < limits.entries else { throw .full }
        images[image.hash] = image
    }

    /// As ``RoomStore/record(of:)``.
    public func record(of room: String) -> ChatRecord { rooms[room]?.record ?? ChatRecord() }

    /// As ``RoomStore/messages(in:_:)``.
    public func messages(in room: String, _ page: ChatPage) -> [ChatMessage] {
        guard let room = rooms[room] else { return [] }
        switch page.direction {
        case .before(let number):
            return Array(room.messages[..<room.index(of: number ?? .max)].suffix(max(page.limit, 0)))
        case .after(let number):
            return Array(
                room.messages[room.index(of: number == .max ? number : number + 1)...].prefix(max(page.limit, 0)))
        }
    }

    /// As ``RoomStore/reports(in:limit:)``.
    public func reports(in room: String, limit: Int) -> [ReportedMessage] {
        guard let room = rooms[room] else { return [] }
        return room.reports.reversed().prefix(max(limit, 0)).map { ReportedMessage($0, room[$0.message]) }
    }

    /// As `RoomStore.perform(_:)`.
    public func perform(_ read: ChatRead) -> ChatReadResult {
        switch read {
        case .start(let room, let limit):
            .start(record(of: room), messages(in: room, ChatPage(.before(nil), limit: limit)))
        case .messages(let room, let page): .messages(messages(in: room, page))
        case .reports(let room, let limit): .reports(reports(in: room, limit: limit))
        }
    }
}

extension ChatChange.Kind {
    /// By how much the texts may grow.
    fileprivate var roughByteCount: Int {
        switch self {
        case .write(let message): message.roughByteCount
        case .edit(_, let text, by: _, since: _): text.utf8.count
        case .report(let report): report.text.utf8.count
        default: 0
        }
    }
}

/// The chat of a room.
private struct RoomTables {
    /// By their bytes: texts that look the same may be different ones.
    private struct Key: Hashable {
        private let author: [UInt8]
        private let key: [UInt8]

        init(_ message: ChatMessage) { (author, key) = (Array(message.author.utf8), Array(message.key.utf8)) }
    }

    var record = ChatRecord()
    /// In the order of their numbers, deleted ones too.
    var messages: [ChatMessage] = []
    var reports: [ChatReport] = []
    var byteCount = 0
    private var numbers: [Key: Int] = [:]
    /// When deleted messages were deleted, and what is not kept any more went, in the order of time.
    private var gone: [(number: Int, key: Key, time: Int)] = []

    /// The index of the first message of this number or a larger one.
    func index(of number: Int) -> Int {
        var (low, high) = (0, messages.count)
        while low < high {
            let middle = (low + high) / 2
            if messages[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    subscript(number: Int) -> ChatMessage? { place(of: number).map { messages[$0] } }

    private func place(of number: Int) -> Int? {
        let index = index(of: number)
        return index < messages.count && messages[index].number == number ? index : nil
    }

    /// Removes what is too old.
    mutating func expire(_ limits: ChatTables.Limits, at now: Int) {
        let oldest = now - limits.messageDays * 86_400_000
        while let first = messages.first, messages.count > limits.messages || first.time < oldest { remove(0, at: now) }
        while let first = gone.first, now - first.time > ChatTables.keyLifetime {
            gone.removeFirst()
            numbers[first.key] = nil
            if let place = place(of: first.number) { drop(place) }
        }
        if reports.count > limits.entries { reports.removeFirst(reports.count - limits.entries) }
    }

    private mutating func remove(_ place: Int, at now: Int) {
        let message = messages[place]
        if message.content != nil {
            gone.append((message.number, Key(message), now))
        }
        drop(place)
    }

    private mutating func drop(_ place: Int) {
        let message = messages.remove(at: place)
        byteCount -= message.roughByteCount
        reports.removeAll { $0.message == message.number }
    }

    mutating func apply(_ kind: ChatChange.Kind, _ limits: ChatTables.Limits, at now: Int) -> ChatResult {
        switch kind {
        case .write(var message):
            let key = Key(message)
            if let number = numbers[key] { return .known(number) }
            record.lastNumber += 1
            (message.number, message.time) = (record.lastNumber, now)
            messages.append(message)
            byteCount += message.roughByteCount
            numbers[key] = message.number
            if messages.count > limits.messages { remove(0, at: now) }
            return .stored(message.number)
        case .edit(let number, let text, let author, let since):
            return change(number, author, since) { message, _ in
                message.content?.text = text
                message.edited = now
            }
        case .delete(let number, let author, let since):
            if let message = self[number], message.content == nil, author == nil || author == message.author {
                return .known(number)
            }
            return change(number, author, since) { message, gone in
                (message.content, message.edited) = (nil, nil)
                gone.append((number, Key(message), now))
            }
        case .read(let number, let author):
            raise(\.read, author, number, limits.entries)
        case .received(let number, let author):
            raise(\.received, author, number, limits.entries)
        case .setEnabled(let isEnabled): record.isEnabled = isEnabled
        case .setBlocked(let author, let isBlocked):
            if isBlocked { record.blocked.insert(author) } else { record.blocked.remove(author) }
        case .report(let report):
            guard self[report.message]?.content != nil else { return .notFound }
            guard !reports.contains(where: { $0.message == report.message && $0.reporter == report.reporter }) else {
                return .known(report.message)
            }
            reports.append(report)
            return .stored(report.message)
        case .forget:
            while !messages.isEmpty { remove(messages.count - 1, at: now) }
            let last = record.lastNumber
            (record, reports) = (ChatRecord(), [])
            record.lastNumber = last
        }
        return .stored(0)
    }

    private mutating func change(
        _ number: Int, _ author: String?, _ since: Int,
        _ body: (inout ChatMessage, inout [(number: Int, key: Key, time: Int)]) -> Void
    ) -> ChatResult {
        guard let place = place(of: number), messages[place].content != nil,
            author == nil || author == messages[place].author
        else { return .notFound }
        guard messages[place].time >= since else { return .tooOld }
        byteCount -= messages[place].roughByteCount
        body(&messages[place], &gone)
        byteCount += messages[place].roughByteCount
        return .stored(number)
    }

    private mutating func raise(
        _ marks: WritableKeyPath<ChatRecord, [String: Int]>, _ author: String, _ number: Int, _ limit: Int
    ) {
        record[keyPath: marks][author] = max(record[keyPath: marks][author] ?? 0, number)
        guard record[keyPath: marks].count > limit,
            let oldest = record[keyPath: marks].min(by: { $0.value < $1.value })
        else { return }
        record[keyPath: marks][oldest.key] = nil
    }
}

/// A store in memory: for tests, and for rooms whose chat may be forgotten when the server ends.
public actor MemoryRoomStore: RoomStore {
    private var tables: ChatTables

    /// An empty store.
    public init(_ limits: ChatTables.Limits = ChatTables.Limits()) { tables = ChatTables(limits) }

    /// Adds an image, which messages then may have.
    ///
    /// - Throws: `full`.
    public func add(_ image: ChatImage) throws(RoomStoreError) { try tables.add(image) }

    /// Makes changes.
    ///
    /// - Throws: `full`.
    public func write(_ changes: [ChatChange]) throws(RoomStoreError) -> [ChatResult] { try tables.write(changes) }

    /// What a room has that is not a message.
    public func record(of room: String) -> ChatRecord { tables.record(of: room) }

    /// A page of messages.
    public func messages(in room: String, _ page: ChatPage) -> [ChatMessage] { tables.messages(in: room, page) }

    /// The reports of a room's messages, the latest first.
    public func reports(in room: String, limit: Int) -> [ReportedMessage] {
        tables.reports(in: room, limit: limit)
    }
}
