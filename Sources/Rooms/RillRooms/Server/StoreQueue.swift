import RillCore

/// What waits for the store, and what is with it: one batch of changes at a time, and reads beside it.
///
/// What gathers while a batch is with the store goes as the next one. A room's chat is read only when no change of it
/// is under way, so that a room which begins again sees all that the one before has written.
final class StoreQueue {
    /// A change, and who is answered.
    struct Write {
        var change: ChatChange
        let room: Room
        let reply: RoomChat.Reply?
    }

    /// Something that is read.
    struct Read {
        let room: Room
        let what: ChatRead
        let reply: RoomChat.Reply?
        /// This report goes to the hosts, with the message that is read.
        let report: ChatReport?
        /// Changes of messages meanwhile, of which the store may know nothing yet.
        fileprivate(set) var changes: [RoomEvent] = []
    }

    private struct Mark: Hashable {
        var room: String
        var author: String
        var isRead: Bool
    }

    private let settings: RoomSettings
    private var writes: [Write] = []
    private var marks: [Mark: (number: Int, time: Int)] = [:]
    private var batch: (work: RoomStoreWork, writes: [Write])?
    private var reads: [RoomStoreWork: Read] = [:]
    /// Rooms that wait until the changes of their name are done.
    private var loads: [Room] = []
    /// When rooms go on without their chats, if these are not there yet.
    private var deadlines: [(room: Room, time: MediaTime)] = []
    private var retries: [(room: Room, time: MediaTime)] = []
    /// The changes of each room that are not done.
    private var openCounts: [String: Int] = [:]
    private var lastWork = 0
    private var nextTime = MediaTime(nanoseconds: .min)
    /// The most changes of a batch.
    private static let batchLimit = 1_000
    private static let readLimit = 1_000

    init(_ settings: RoomSettings) { self.settings = settings }

    var count: Int {
        writes.count + marks.count + (batch?.writes.count ?? 0) + reads.count + loads.count + retries.count
            + deadlines.count
    }

    /// Whether no change is waiting, or with the store.
    var isIdle: Bool { writes.isEmpty && marks.isEmpty && batch == nil }

    // MARK: What is wanted

    /// Adds a change.
    ///
    /// - Throws: `storeFailed` if too many are waiting.
    func add(
        _ kind: ChatChange.Kind, in room: Room, time: Int, _ reply: RoomChat.Reply?
    ) throws(RoomError) {
        guard writes.count < settings.storeQueueLimit else { throw .storeFailed }
        append(Write(change: ChatChange(kind, in: room.name, time: time), room: room, reply: reply))
    }

    /// The room is closed.
    func forget(_ room: Room, time: Int) {
        marks = marks.filter { $0.key.room != room.name }
        append(Write(change: ChatChange(.forget, in: room.name, time: time), room: room, reply: nil))
    }

    private func append(_ write: Write) {
        writes.append(write)
        openCounts[write.change.room, default: 0] += 1
    }

    /// Adds a mark. Of several that wait the last one counts.
    func mark(_ author: String, isRead: Bool, _ number: Int, in room: String, time: Int) {
        let mark = Mark(room: room, author: author, isRead: isRead)
        guard marks[mark] != nil || marks.count < settings.storeQueueLimit else { return }
        marks[mark] = (number, time)
    }

    /// Asks for a room's chat.
    func load(_ room: Room) { loads.append(room) }

    /// Asks for the chat of a room that begins.
    func begin(_ room: Room, at now: MediaTime) {
        load(room)
        deadlines.append((room, now + settings.storeTimeout))
    }

    func lateLoads(at now: MediaTime) -> [Room] {
        guard let first = deadlines.first, first.time <= now else { return [] }
        defer { deadlines.removeAll { $0.time <= now } }
        return deadlines.filter { $0.time <= now }.map(\.room)
    }

    func retry(_ room: Room, at time: MediaTime) { retries.append((room, time)) }

    func takeRetries(at now: MediaTime) -> [Room] {
        defer { retries.removeAll { $0.time <= now } }
        return retries.filter { $0.time <= now }.map(\.room)
    }

    /// The changes of a room that wait.
    func waiting(of room: Room) -> [ChatChange.Kind] {
        writes.compactMap { $0.room === room ? $0.change.kind : nil }
    }

    /// Reads the message of a report, of which the hosts are to be told.
    func readMessage(of report: ChatReport, in room: Room, _ outbox: Outbox) {
        let page = ChatPage(.after(report.message - 1), limit: 1)
        start(.messages(room: room.name, page), in: room, nil, report, outbox)
    }

    /// Adds something to read.
    ///
    /// - Throws: `storeFailed` if too much is read already.
    func read(_ what: ChatRead, in room: Room, _ reply: RoomChat.Reply?, _ outbox: Outbox) throws(RoomError) {
        guard reads.count < Self.readLimit else { throw .storeFailed }
        start(what, in: room, reply, nil, outbox)
    }

    private func start(
        _ what: ChatRead, in room: Room, _ reply: RoomChat.Reply?, _ report: ChatReport?, _ outbox: Outbox
    ) {
        let work = nextWork()
        reads[work] = Read(room: room, what: what, reply: reply, report: report)
        outbox.add(.read(what, work))
    }

    /// Messages of a room changed.
    func changed(_ event: RoomEvent, in room: Room) {
        for (work, read) in reads where read.room === room { reads[work]?.changes.append(event) }
    }

    // MARK: The store

    private func nextWork() -> RoomStoreWork {
        lastWork += 1
        return RoomStoreWork(number: lastWork)
    }

    /// Starts what can be started.
    func act(at now: MediaTime, _ outbox: Outbox) {
        if !loads.isEmpty {
            let ready = loads.filter { openCounts[$0.name] == nil }
            loads.removeAll { openCounts[$0.name] == nil }
            for room in ready { start(.start(room: room.name, limit: settings.chatCount), in: room, nil, nil, outbox) }
        }
        guard batch == nil, now >= nextTime, !writes.isEmpty || !marks.isEmpty else { return }
        nextTime = now + settings.storeInterval
        let next = Array(writes.prefix(Self.batchLimit))
        writes.removeFirst(next.count)
        var changes = next.map(\.change)
        let taken = marks.prefix(Self.batchLimit - next.count).map(\.key)
        for mark in taken.sorted(by: { ($0.room, $0.author) < ($1.room, $1.author) }) {
            guard let (number, time) = marks.removeValue(forKey: mark) else { continue }
            let kind: ChatChange.Kind =
                mark.isRead ? .read(number, by: mark.author) : .received(number, by: mark.author)
            changes.append(ChatChange(kind, in: mark.room, time: time))
        }
        let work = nextWork()
        batch = (work, next)
        outbox.statistics.storeBatches += 1
        outbox.add(.store(changes, work))
    }

    /// When something can be started.
    var wakeTime: MediaTime {
        let retry = retries.reduce(deadlines.first?.time ?? .distantFuture) { min($0, $1.time) }
        return batch == nil && (!writes.isEmpty || !marks.isEmpty) ? min(retry, nextTime) : retry
    }

    /// Takes the batch of a work; its marks come last, and have no entry.
    func finish(_ work: RoomStoreWork) -> [Write]? {
        guard let batch, batch.work == work else { return nil }
        self.batch = nil
        for write in batch.writes {
            let count = (openCounts[write.change.room] ?? 0) - 1
            openCounts[write.change.room] = count > 0 ? count : nil
        }
        return batch.writes
    }

    /// Takes a read.
    func finishRead(_ work: RoomStoreWork) -> Read? {
        guard let read = reads.removeValue(forKey: work) else { return nil }
        if case .start = read.what { deadlines.removeAll { $0.room === read.room } }
        return read
    }
}
