#if Server
import GRDB
import RillRooms

/// The images that a database knows, and which rooms have them. Their files are an ``ImageStore``'s.
struct ChatImages {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Adds an image to a room, or says that it is wanted there now.
    ///
    /// - Parameter thumbnail: the bytes of its thumbnail; `nil` for an image that is there.
    /// - Throws: `storeFull` or `roomFull` if it is one too many.
    func add(
        _ image: ChatImage, thumbnail: Int?, to room: String, _ limits: ImageLimits, at time: Int
    ) throws {
        let size = try size(of: image, thumbnail: thumbnail)
        // A refusal has written nothing.
        try check(size, of: image.hash, in: room, limits)
        let id = try make(room)
        try execute(
            """
            INSERT INTO image (hash, format, width, height, bytes, time, thumbnail) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (hash) DO UPDATE SET time = max(time, excluded.time)
            """,
            [
                image.hash, image.format.rawValue, image.width, image.height, image.byteCount, time,
                size - image.byteCount,
            ])
        try execute(
            """
            INSERT INTO room_image (room, hash, bytes, time) VALUES (?, ?, ?, ?)
            ON CONFLICT (room, hash) DO UPDATE SET time = max(time, excluded.time)
            """, [id, image.hash, size, time])
    }

    /// Checks whether there is a place for a new image of a size in a room.
    ///
    /// - Throws: `storeFull` or `roomFull`.
    func check(_ byteCount: Int, of hash: String, in room: String, _ limits: ImageLimits) throws {
        if try int("SELECT 1 FROM image WHERE hash = ?", [hash]) == nil,
            try totals().byteCount + byteCount > limits.totalByteCount
        {
            throw ImageRefusal.storeFull(limit: limits.totalByteCount)
        }
        let id = try int("SELECT id FROM room WHERE name = ?", [StoredText.stored(room)])
        guard try int("SELECT 1 FROM room_image WHERE room = ? AND hash = ?", [id, hash]) == nil else { return }
        let used = try int("SELECT images FROM room WHERE id = ?", [id]) ?? 0
        if used + byteCount > limits.roomByteCount { throw ImageRefusal.roomFull(limit: limits.roomByteCount) }
    }

    private func make(_ room: String) throws -> Int {
        let name = StoredText.stored(room)
        try execute("INSERT INTO room (name) VALUES (?) ON CONFLICT DO NOTHING", [name])
        // It is there now.
        return try int("SELECT id FROM room WHERE name = ?", [name]) ?? 0
    }

    private func size(of image: ChatImage, thumbnail: Int?) throws -> Int {
        let known = try int("SELECT thumbnail FROM image WHERE hash = ?", [image.hash])
        return image.byteCount + (known ?? thumbnail ?? 0)
    }

    /// How many images there are, and the bytes of their files.
    func totals() throws -> (count: Int, byteCount: Int) {
        guard let row = try Row.fetchOne(try db.cachedStatement(sql: "SELECT images, bytes FROM image_total")) else {
            return (0, 0)
        }
        return (try row.at(0), try row.at(1))
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
        try int(Self.use, [hash, StoredText.stored(room)]) != nil
    }

    // MARK: Removing

    /// Where a search for unused images goes on.
    enum Position {
        /// Behind an image of a room.
        case room(Int, String)
        /// Behind an image.
        case image(String)
    }

    static let oldOfRooms = """
        SELECT room, hash, time < ? AND NOT EXISTS (
            SELECT 1 FROM message WHERE message.image = room_image.hash AND message.room = room_image.room)
        FROM room_image WHERE (room, hash) > (?, ?) ORDER BY room, hash LIMIT ?
        """
    static let old = """
        SELECT hash, time < ? AND NOT EXISTS (SELECT 1 FROM room_image WHERE room_image.hash = image.hash)
            AND NOT EXISTS (SELECT 1 FROM message WHERE message.image = image.hash)
        FROM image WHERE hash > ? ORDER BY hash LIMIT ?
        """

    /// Removes images that no message has: from their rooms first, and then those that no room has.
    ///
    /// - Parameters:
    ///   - time: those that were wanted since then stay.
    ///   - position: those up to there are not looked at.
    ///   - limit: how many are looked at.
    /// - Returns: where it goes on; `nil` at the end.
    func removeUnused(since time: Int, after position: Position, limit: Int) throws -> Position? {
        switch position {
        case .room(let room, let hash):
            let rows = try Row.fetchAll(
                try db.cachedStatement(sql: Self.oldOfRooms), arguments: [time, room, hash, limit])
            for row in rows where try row.at(2) {
                let (room, hash): (Int, String) = (try row.at(0), try row.at(1))
                try execute("DELETE FROM room_image WHERE room = ? AND hash = ?", [room, hash])
            }
            guard rows.count == limit, let last = rows.last else { return .image("") }
            return .room(try last.at(0), try last.at(1))
        case .image(let hash):
            let rows = try Row.fetchAll(try db.cachedStatement(sql: Self.old), arguments: [time, hash, limit])
            for row in rows where try row.at(1) {
                let hash: String = try row.at(0)
                try execute("DELETE FROM image WHERE hash = ?", [hash])
            }
            return rows.count < limit ? nil : try rows.last.map { .image(try $0.at(0)) }
        }
    }

    // MARK: Statements

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private func int(_ sql: String, _ arguments: StatementArguments) throws -> Int? {
        try Int.fetchOne(try db.cachedStatement(sql: sql), arguments: arguments)
    }
}
#endif
