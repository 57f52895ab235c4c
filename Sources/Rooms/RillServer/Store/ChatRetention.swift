#if Server
import GRDB

/// Removes what a ``RoomDatabase`` need not keep, step by step: each is a transaction of a few rows.
struct ChatRetention: Sendable {
    private let settings: RoomDatabaseSettings
    private let time: Int
    private var phase = Phase.rooms(after: 0)

    private enum Phase {
        /// Messages of rooms, and marks.
        case rooms(after: Int)
        /// Messages that were deleted long ago.
        case deleted
        /// Ids of messages that are gone.
        case ids
        case done
    }

    /// The most messages that a step removes, and as many marks and reports of a room; the most rooms that it looks at.
    static let rowLimit = 200
    private static let roomLimit = 50

    /// A run at a time, in milliseconds since 1970.
    init(_ settings: RoomDatabaseSettings, time: Int) { (self.settings, self.time) = (settings, time) }

    /// Whether nothing is left to remove.
    var isDone: Bool { if case .done = phase { true } else { false } }

    /// Does a step.
    ///
    /// - Returns: how many rows it removed.
    mutating func step(_ db: Database) throws -> Int {
        switch phase {
        case .rooms(let last):
            var count = 0
            let rooms = try Row.fetchAll(
                try db.cachedStatement(sql: Self.rooms),
                arguments: [last, Self.roomLimit])
            for room in rooms {
                let id: Int = try room.at(0)
                count += try removeMessages(
                    db, id, last: try room.at(1), floor: try room.at(2), limit: Self.rowLimit - count)
                // There may be more in it.
                guard count < Self.rowLimit else { return count }
                count += try removeMarks(db, id) + removeReports(db, id)
                phase = .rooms(after: id)
                guard count < Self.rowLimit else { return count }
            }
            if rooms.count < Self.roomLimit { phase = .deleted }
            return count
        case .deleted:
            let ids = try Int.fetchAll(
                try db.cachedStatement(sql: Self.oldDeleted), arguments: [time - settings.idAge, Self.rowLimit])
            for id in ids { try remove(db, id) }
            if ids.count < Self.rowLimit { phase = .ids }
            return ids.count
        case .ids:
            try db.cachedStatement(sql: Self.removeIDs)
                .execute(arguments: [time - settings.idAge, Self.rowLimit])
            let count = db.changesCount
            if count < Self.rowLimit { phase = .done }
            return count
        case .done: return 0
        }
    }

    static let rooms = """
        SELECT id, max(last, \(RoomSchema.lastNumber)), floor FROM room WHERE id > ? ORDER BY id LIMIT ?
        """
    static let oldDeleted = "SELECT id FROM message WHERE deleted < ? LIMIT ?"
    static let removeIDs = """
        DELETE FROM former WHERE id IN (SELECT id FROM former WHERE time < ? ORDER BY time LIMIT ?)
        """
    private static let addID = """
        INSERT INTO former (room, author, key, number, time) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """
    static let oldestMessages = """
        SELECT id, time, author, key FROM message WHERE id > ? AND id < ? ORDER BY id LIMIT ?
        """

    /// Removes the oldest messages of a room, as far as they need not be kept. Their ids stay.
    private func removeMessages(
        _ db: Database, _ room: Int, last: Int, floor: Int, limit: Int
    ) throws -> Int {
        let rows = try Row.fetchAll(
            try db.cachedStatement(sql: Self.oldestMessages),
            arguments: [RoomSchema.id(room, 0), RoomSchema.id(room, RoomSchema.highestNumber), limit])
        let kept = max(floor, last - settings.messageLimit)
        var count = 0
        for row in rows {
            let (id, written): (Int, Int) = (try row.at(0), try row.at(1))
            let number = RoomSchema.number(id)
            guard number <= kept || written < time - settings.messageAge else { break }
            let (author, key): (String, String) = (try row.at(2), try row.at(3))
            try db.cachedStatement(sql: Self.addID).execute(arguments: [room, author, key, number, time])
            try remove(db, id)
            count += 1
        }
        return count
    }

    /// Removes a message with its reports. Its number stays known, so that none comes again.
    private func remove(_ db: Database, _ id: Int) throws {
        let (room, number) = (RoomSchema.room(id), RoomSchema.number(id))
        try db.cachedStatement(sql: "UPDATE room SET last = ? WHERE id = ? AND last < ?")
            .execute(arguments: [number, room, number])
        try db.cachedStatement(sql: "DELETE FROM report WHERE message = ?").execute(arguments: [id])
        try db.cachedStatement(sql: "DELETE FROM message WHERE id = ?").execute(arguments: [id])
    }

    /// Removes marks of members that were not there for as long as messages are kept, and those beyond the limit.
    private func removeMarks(_ db: Database, _ room: Int) throws -> Int {
        try db.cachedStatement(
            sql: """
                DELETE FROM mark WHERE room = ? AND member IN
                    (SELECT member FROM mark WHERE room = ? AND time < ? LIMIT ?)
                """
        ).execute(arguments: [room, room, time - settings.messageAge, Self.rowLimit])
        let count = db.changesCount
        let isLong = try Int.fetchOne(
            try db.cachedStatement(sql: "SELECT 1 FROM mark WHERE room = ? LIMIT 1 OFFSET ?"),
            arguments: [room, settings.entryLimit])
        guard isLong != nil else { return count }
        try db.cachedStatement(
            sql: """
                DELETE FROM mark WHERE room = ? AND member IN
                    (SELECT member FROM mark WHERE room = ? ORDER BY time DESC LIMIT ? OFFSET ?)
                """
        ).execute(arguments: [room, room, Self.rowLimit, settings.entryLimit])
        return count + db.changesCount
    }

    static let surplusReports = "SELECT id FROM report WHERE room = ? ORDER BY id DESC LIMIT ? OFFSET ?"

    /// Removes the oldest reports of a room beyond the limit.
    private func removeReports(_ db: Database, _ room: Int) throws -> Int {
        try db.cachedStatement(sql: "DELETE FROM report WHERE id IN (\(Self.surplusReports))")
            .execute(arguments: [room, Self.rowLimit, settings.entryLimit])
        return db.changesCount
    }
}
#endif
