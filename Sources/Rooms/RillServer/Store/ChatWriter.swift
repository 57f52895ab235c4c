#if Server
import GRDB
import RillRooms

/// Makes the changes of one transaction.
struct ChatWriter {
    private let db: Database
    /// The rooms of the changes so far.
    private var rooms: [String: Room] = [:]

    private struct Room {
        let id: Int
        var last: Int
        var floor: Int
        /// Whether `last` is not written yet.
        var isChanged = false

        /// Whether a message of that number may be there.
        func has(_ number: Int) -> Bool { number > floor && number <= last }
    }

    init(_ db: Database) { self.db = db }

    /// Makes a change.
    mutating func apply(_ change: ChatChange) throws -> ChatResult {
        let name = change.room
        switch change.kind {
        case .write(let message): return try write(message, to: name, at: change.time)
        case .edit(let number, let text, let author, let start):
            switch try find(number, in: name, by: author, since: start) {
            case .found(let id):
                try execute(
                    "UPDATE message SET text = ?, edited = ? WHERE id = ?", [StoredText.stored(text), change.time, id])
                return .stored(number)
            case .tooOld: return .tooOld
            case .deleted, .none: return .notFound
            }
        case .delete(let number, let author, let start):
            switch try find(number, in: name, by: author, since: start) {
            case .found(let id):
                try execute(
                    "UPDATE message SET deleted = ?, text = NULL, image = NULL, edited = NULL WHERE id = ?",
                    [change.time, id])
                return .stored(number)
            case .deleted: return .known(number)
            case .tooOld: return .tooOld
            case .none: return .notFound
            }
        case .read(let number, let member):
            return try mark(member, read: number, received: 0, in: name, at: change.time)
        case .received(let number, let member):
            return try mark(member, read: 0, received: number, in: name, at: change.time)
        case .setEnabled(let isEnabled):
            let room = try make(name)
            try execute("UPDATE room SET enabled = ? WHERE id = ?", [isEnabled, room.id])
        case .setBlocked(let author, true):
            let room = try make(name)
            try execute(
                "INSERT INTO blocked (room, author) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [room.id, StoredText.stored(author)])
        case .setBlocked(let author, false):
            guard let room = try find(name) else { break }
            try execute(
                "DELETE FROM blocked WHERE room = ? AND author = ?", [room.id, StoredText.stored(author)])
        case .report(let report): return try add(report, to: name)
        case .forget: try forget(name)
        }
        return .stored(0)
    }

    /// Writes what is left to write.
    func finish() throws {
        for room in rooms.values where room.isChanged {
            try execute("UPDATE room SET last = ? WHERE id = ?", [room.last, room.id])
        }
    }

    // MARK: Messages

    private mutating func write(_ message: ChatMessage, to name: String, at time: Int) throws -> ChatResult {
        let room = try make(name)
        let (author, key) = (StoredText.stored(message.author), StoredText.stored(message.key))
        let former = try int(
            "SELECT number FROM former WHERE room = ? AND author = ? AND key = ?", [room.id, author, key])
        if let former { return .known(former) }
        let number = room.last + 1
        let image = message.content?.image
        if let image, try !has(image) {
            // A message that was stored before is that one, whatever became of its image.
            return try self.number(room.id, author, key).map { .known($0) } ?? .notFound
        }
        try execute(
            """
            INSERT INTO message (id, room, time, author, uid, name, key, text, reply, deleted, image)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room, author, key) DO NOTHING
            """,
            [
                RoomSchema.id(room.id, number), room.id, time, author, Int(message.uid.rawValue),
                StoredText.stored(message.name), key, message.content.map { StoredText.stored($0.text) },
                message.replyTo, message.content == nil ? time : nil, image?.hash,
            ])
        guard db.changesCount > 0 else { return .known(try self.number(room.id, author, key) ?? 0) }
        if let image { try add(image, to: room.id, at: time) }
        rooms[name]?.last = number
        rooms[name]?.isChanged = true
        return .stored(number)
    }

    /// The number of an author's message of a key.
    private func number(_ room: Int, _ author: String, _ key: String) throws -> Int? {
        try int("SELECT id FROM message WHERE room = ? AND author = ? AND key = ?", [room, author, key])
            .map(RoomSchema.number)
    }

    private func has(_ image: ChatImage) throws -> Bool {
        try int(
            "SELECT 1 FROM image WHERE hash = ? AND format = ? AND width = ? AND height = ? AND bytes = ?",
            [image.hash, image.format.rawValue, image.width, image.height, image.byteCount]) != nil
    }

    /// An image that came into another room is this room's too.
    private func add(_ image: ChatImage, to room: Int, at time: Int) throws {
        try execute(
            """
            INSERT INTO room_image (room, hash, bytes, time)
            SELECT ?, hash, bytes + thumbnail, ? FROM image WHERE hash = ? ON CONFLICT DO NOTHING
            """, [room, time, image.hash])
    }

    /// What is there to change.
    private enum Found {
        case found(id: Int)
        case deleted
        case tooOld
        case none
    }

    /// Finds a message of an author, or for `nil` of anybody.
    private mutating func find(
        _ number: Int, in name: String, by author: String?, since start: Int
    ) throws -> Found {
        guard let room = try find(name), room.has(number) else { return .none }
        let id = RoomSchema.id(room.id, number)
        let statement = try db.cachedStatement(sql: "SELECT author, time, deleted FROM message WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id]) else { return .none }
        let (writer, time, deleted): (String, Int, Int?) = (try row.at(0), try row.at(1), try row.at(2))
        guard author == nil || author.map(StoredText.stored) == writer else { return .none }
        if deleted != nil { return .deleted }
        return time < start ? .tooOld : .found(id: id)
    }

    // MARK: Beside messages

    private mutating func mark(
        _ member: String, read: Int, received: Int, in name: String, at time: Int
    ) throws -> ChatResult {
        let number = max(read, received)
        guard let room = try find(name), (1...max(room.last, 1)).contains(number), room.last > 0 else {
            return .notFound
        }
        try execute(
            """
            INSERT INTO mark (room, member, read, received, time) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (room, member) DO UPDATE SET read = max(read, excluded.read),
                received = max(received, excluded.received), time = excluded.time
            """, [room.id, StoredText.stored(member), read, received, time])
        return .stored(number)
    }

    private mutating func add(_ report: ChatReport, to name: String) throws -> ChatResult {
        guard let room = try find(name), room.has(report.message) else { return .notFound }
        let id = RoomSchema.id(room.id, report.message)
        let reporter = StoredText.stored(report.reporter)
        if try int("SELECT 1 FROM report WHERE message = ? AND reporter = ?", [id, reporter]) != nil {
            return .known(report.message)
        }
        try execute(
            """
            INSERT INTO report (message, reporter, reason, text, room)
            SELECT id, ?, ?, ?, room FROM message WHERE id = ? AND text IS NOT NULL
            """, [reporter, report.reason.rawValue, StoredText.stored(report.text), id])
        return db.changesCount > 0 ? .stored(report.message) : .notFound
    }

    /// Messages are hidden at once, and removed with those that expire.
    private mutating func forget(_ name: String) throws {
        guard let room = try find(name) else { return }
        try execute("UPDATE room SET last = ?, floor = ?, enabled = 1 WHERE id = ?", [room.last, room.last, room.id])
        try execute("DELETE FROM blocked WHERE room = ?", [room.id])
        try execute("DELETE FROM mark WHERE room = ?", [room.id])
        rooms[name]?.floor = room.last
    }

    // MARK: Rooms

    private mutating func find(_ name: String) throws -> Room? {
        if let room = rooms[name] { return room }
        let statement = try db.cachedStatement(sql: "SELECT id, last, floor FROM room WHERE name = ?")
        let row = try Row.fetchOne(statement, arguments: [StoredText.stored(name)])
        guard let row else { return nil }
        let room = Room(id: try row.at(0), last: try row.at(1), floor: try row.at(2))
        rooms[name] = room
        return room
    }

    private mutating func make(_ name: String) throws -> Room {
        if let room = try find(name) { return room }
        try execute("INSERT INTO room (name) VALUES (?)", [StoredText.stored(name)])
        let room = Room(id: Int(db.lastInsertedRowID), last: 0, floor: 0)
        rooms[name] = room
        return room
    }

    // MARK: Statements

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
        try execute(sql, StatementArguments(arguments))
    }

    private func int(_ sql: String, _ arguments: StatementArguments) throws -> Int? {
        try Int.fetchOne(try db.cachedStatement(sql: sql), arguments: arguments)
    }
}
#endif
