#if Server
import GRDB
import RillRooms

/// Makes the changes of one transaction.
struct ChatWriter {
    private let db: Database
    /// The rooms of earlier changes, by the bytes of their names: other bytes may be an equal text.
    private(set) var rooms: [[UInt8]: Room]

    /// A room, as the database has it.
    struct Room {
        fileprivate let id: Int
        fileprivate var last: Int
        fileprivate var floor: Int

        /// Whether a message of that number may be there.
        fileprivate func has(_ number: Int) -> Bool { number > floor && number <= last }
    }

    /// A writer that knows rooms of former transactions.
    init(_ db: Database, rooms: [[UInt8]: Room]) { (self.db, self.rooms) = (db, rooms) }

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

    // MARK: Messages

    private mutating func write(_ message: ChatMessage, to name: String, at time: Int) throws -> ChatResult {
        let room = try make(name)
        let (author, key) = (StoredText.stored(message.author), StoredText.stored(message.key))
        let number = room.last + 1
        let image = message.content?.image
        if let image, try !has(image) {
            // A message that was stored before is that one, whatever became of its image.
            return try self.number(room.id, author, key).map { .known($0) } ?? .notFound
        }
        try execute(
            Self.insertion,
            [
                RoomSchema.id(room.id, number), room.id, time, author, Int(message.uid.rawValue),
                StoredText.stored(message.name), key, message.content.map { StoredText.stored($0.text) },
                message.replyTo, message.content == nil ? time : nil, image?.hash,
            ])
        guard db.changesCount > 0 else { return .known(try self.number(room.id, author, key) ?? 0) }
        if let image { try add(image, to: room.id, at: time) }
        rooms[Array(name.utf8)]?.last = number
        return .stored(number)
    }

    /// A message is one statement: it goes in unless its key is there, or was.
    static let insertion = """
        INSERT INTO message (id, room, time, author, uid, name, key, text, reply, deleted, image)
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
        WHERE NOT EXISTS (SELECT 1 FROM former WHERE room = ?2 AND author = ?4 AND key = ?7)
        ON CONFLICT (room, author, key) DO NOTHING
        """

    /// The number of an author's message of a key, also of one that is gone.
    private func number(_ room: Int, _ author: String, _ key: String) throws -> Int? {
        let id = try int("SELECT id FROM message WHERE room = ? AND author = ? AND key = ?", [room, author, key])
        if let id { return RoomSchema.number(id) }
        return try int("SELECT number FROM former WHERE room = ? AND author = ? AND key = ?", [room, author, key])
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
        rooms[Array(name.utf8)]?.floor = room.last
    }

    // MARK: Rooms

    private mutating func find(_ name: String) throws -> Room? {
        if let room = rooms[Array(name.utf8)] { return room }
        let statement = try db.cachedStatement(sql: Self.room)
        let row = try Row.fetchOne(statement, arguments: [StoredText.stored(name)])
        guard let row else { return nil }
        let room = Room(id: try row.at(0), last: try row.at(1), floor: try row.at(2))
        rooms[Array(name.utf8)] = room
        return room
    }

    /// A room, with the number of its last message: of that which is there, or else of the last one that is gone.
    static let room = "SELECT id, max(last, \(RoomSchema.lastNumber)), floor FROM room WHERE name = ?"

    private mutating func make(_ name: String) throws -> Room {
        if let room = try find(name) { return room }
        try execute("INSERT INTO room (name) VALUES (?)", [StoredText.stored(name)])
        let room = Room(id: Int(db.lastInsertedRowID), last: 0, floor: 0)
        rooms[Array(name.utf8)] = room
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
