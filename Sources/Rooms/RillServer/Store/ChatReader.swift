#if Server
import GRDB
import RillRooms

/// Reads chats, in one state of the database.
struct ChatReader {
    private let db: Database

    init(_ db: Database) { self.db = db }

    private struct Room { var id, floor: Int }

    private func find(_ name: String) throws -> Room? {
        let statement = try db.cachedStatement(sql: "SELECT id, floor FROM room WHERE name = ?")
        let row = try Row.fetchOne(statement, arguments: [StoredText.stored(name)])
        return try row.map { row in Room(id: try row.at(0), floor: try row.at(1)) }
    }

    static let state = "SELECT id, max(last, \(RoomSchema.lastNumber)), enabled FROM room WHERE name = ?"

    /// What a room has that is not a message.
    func record(of name: String) throws -> ChatRecord {
        var record = ChatRecord()
        let state = try db.cachedStatement(sql: Self.state)
        guard let row = try Row.fetchOne(state, arguments: [StoredText.stored(name)]) else { return record }
        let id: Int = try row.at(0)
        (record.lastNumber, record.isEnabled) = (try row.at(1), try row.at(2))
        let blocked = try db.cachedStatement(sql: "SELECT author FROM blocked WHERE room = ?")
        record.blocked = Set(try String.fetchAll(blocked, arguments: [id]).map(StoredText.text))
        let marks = try Row.fetchCursor(
            try db.cachedStatement(sql: "SELECT member, read, received FROM mark WHERE room = ?"),
            arguments: [id])
        while let row = try marks.next() {
            // Names that differ in their bytes may be equal in Swift.
            let member = StoredText.text(try row.at(0))
            let (read, received): (Int, Int) = (try row.at(1), try row.at(2))
            if read > 0 { record.read[member] = max(record.read[member] ?? 0, read) }
            if received > 0 { record.received[member] = max(record.received[member] ?? 0, received) }
        }
        return record
    }

    private static let columns = """
        message.id, message.time, author, uid, name, key, text, reply, edited, image, format, width, height, bytes
        """
    private static let source = "message LEFT JOIN image ON hash = image"
    static let pageBefore = "SELECT \(columns) FROM \(source) WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?"
    static let pageAfter = "SELECT \(columns) FROM \(source) WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"

    /// A page of messages, in the order of their numbers.
    func messages(in name: String, _ page: ChatPage) throws -> [ChatMessage] {
        guard let room = try find(name) else { return [] }
        let start = RoomSchema.id(room.id, room.floor)
        let limit = max(page.limit, 0)
        switch page.direction {
        case .before(let number):
            let end = RoomSchema.id(room.id, number ?? RoomSchema.highestNumber)
            return try messages(Self.pageBefore, [start, end, limit]).reversed()
        case .after(let number):
            let end = RoomSchema.id(room.id, RoomSchema.highestNumber)
            return try messages(Self.pageAfter, [max(start, RoomSchema.id(room.id, number)), end, limit])
        }
    }

    private func messages(_ sql: String, _ arguments: StatementArguments) throws -> [ChatMessage] {
        let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments)
        var messages: [ChatMessage] = []
        while let row = try rows.next() { messages.append(try ChatMessage(row)) }
        return messages
    }

    static let latestReports = """
        SELECT message.id, message.time, author, uid, name, key, message.text, reply, edited, image, format, width,
            height, bytes, reporter, reason, report.text
        FROM report JOIN message ON message.id = report.message LEFT JOIN image ON hash = image
        WHERE report.room = ? AND message > ? ORDER BY report.id DESC LIMIT ?
        """

    /// The latest reports of messages that are not forgotten.
    func reports(in name: String, limit: Int) throws -> [ReportedMessage] {
        guard let room = try find(name) else { return [] }
        let rows = try Row.fetchCursor(
            try db.cachedStatement(sql: Self.latestReports),
            arguments: [room.id, RoomSchema.id(room.id, room.floor), max(limit, 0)])
        var reports: [ReportedMessage] = []
        while let row = try rows.next() {
            let message = try ChatMessage(row)
            let report = ChatReport(
                of: message.number, by: StoredText.text(try row.at(14)),
                ChatReport.Reason(rawValue: try row.at(15)) ?? .other, text: StoredText.text(try row.at(16)))
            reports.append(ReportedMessage(report, message))
        }
        return reports
    }
}

extension Row {
    /// A value of a column. One that a damaged database has instead is an error, where GRDB's subscript would trap.
    func at<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) throws -> Value {
        try decode(Value.self, atIndex: index)
    }
}

extension ChatMessage {
    /// A message of a row of ``ChatReader``.
    fileprivate init(_ row: Row) throws {
        let text: String? = try row.at(6)
        let uid: Int = try row.at(3)
        self.init(
            author: StoredText.text(try row.at(2)), uid: UID(rawValue: UInt32(truncatingIfNeeded: uid)),
            name: StoredText.text(try row.at(4)), key: StoredText.text(try row.at(5)),
            Content(text: StoredText.text(text ?? ""), image: try ChatImage(row)), replyTo: try row.at(7))
        (number, time, edited) = (RoomSchema.number(try row.at(0)), try row.at(1), try row.at(8))
        if text == nil { content = nil }
    }
}

extension ChatImage {
    /// The image of a message; `nil` if it has none.
    fileprivate init?(_ row: Row) throws {
        guard let hash: String = try row.at(9), let format = (try row.at(10) as String?).flatMap(Format.init) else {
            return nil
        }
        self.init(hash: hash, format, width: try row.at(11), height: try row.at(12), byteCount: try row.at(13))
    }
}
#endif
