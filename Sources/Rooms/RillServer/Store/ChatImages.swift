#if Server
import GRDB
import RillRooms

/// The images that a database knows. Their files are an ``ImageStore``'s.
struct ChatImages {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Adds an image, or says that it is wanted now.
    func add(_ image: ChatImage, at time: Int) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO image (hash, format, width, height, bytes, time) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (hash) DO UPDATE SET time = max(time, excluded.time)
                """
        ).execute(arguments: [image.hash, image.format.rawValue, image.width, image.height, image.byteCount, time])
    }

    /// An image by its hash.
    func image(_ hash: String) throws -> ChatImage? {
        let statement = try db.cachedStatement(sql: "SELECT format, width, height, bytes FROM image WHERE hash = ?")
        guard let row = try Row.fetchOne(statement, arguments: [hash]),
            let format = ChatImage.Format(rawValue: try row.at(0))
        else { return nil }
        return ChatImage(hash: hash, format, width: try row.at(1), height: try row.at(2), byteCount: try row.at(3))
    }

    static let use = "SELECT room FROM message WHERE image = ? AND room = (SELECT id FROM room WHERE name = ?) LIMIT 1"

    /// Whether a message of a room has an image.
    func isUsed(_ hash: String, in room: String) throws -> Bool {
        try Int.fetchOne(
            try db.cachedStatement(sql: Self.use), arguments: [hash, StoredText.stored(room)]) != nil
    }

    static let old = """
        SELECT hash, time < ? AND NOT EXISTS (SELECT 1 FROM message WHERE message.image = hash) FROM image
        WHERE hash > ? ORDER BY hash LIMIT ?
        """

    /// Removes images that no message has, from one hash on.
    ///
    /// - Parameters:
    ///   - time: those that were wanted since then stay.
    ///   - hash: those up to this one are not looked at.
    ///   - limit: how many are looked at.
    /// - Returns: the hashes of those that are removed, and the last one that was looked at; `nil` at the end.
    func removeUnused(since time: Int, after hash: String, limit: Int) throws -> (removed: [String], last: String?) {
        let rows = try Row.fetchAll(try db.cachedStatement(sql: Self.old), arguments: [time, hash, limit])
        var removed: [String] = []
        for row in rows where try row.at(1) {
            let hash: String = try row.at(0)
            removed.append(hash)
            try db.cachedStatement(sql: "DELETE FROM image WHERE hash = ?").execute(arguments: [hash])
        }
        return (removed, rows.count < limit ? nil : try rows.last?.at(0))
    }
}
#endif
