#if Server
import GRDB

/// The tables of a ``RoomDatabase``, and how they came about.
///
/// A message's `id` has its room's in front and its number behind, so that messages of a room lie together and in
/// order: a page of history is a few pages of the file, however many rooms there are.
enum RoomSchema {
    /// Bits of an id that are the message's number.
    private static let numberBits = 40
    /// The highest number of a message.
    static let highestNumber = 1 << numberBits - 1

    /// The id of a room's message. Numbers beyond all that a room can have are those of the ends.
    static func id(_ room: Int, _ number: Int) -> Int { room << numberBits | min(max(number, 0), highestNumber) }

    /// The room of a message.
    static func room(_ id: Int) -> Int { id >> numberBits }

    /// The number of a message.
    static func number(_ id: Int) -> Int { id & highestNumber }

    /// The number of the last message of a row of `room` that is in the database; 0 if none is.
    static let lastNumber = """
        coalesce((SELECT message.id & \(highestNumber) FROM message
            WHERE message.id > room.id << \(numberBits) AND message.id <= room.id << \(numberBits) | \(highestNumber)
            ORDER BY message.id DESC LIMIT 1), 0)
        """

    /// Makes the tables, or changes those of an earlier version.
    ///
    /// - Throws: `storeNewer` if a later version made them.
    static func migrate(_ pool: DatabasePool) throws {
        let migrator = migrator
        guard try !pool.read(migrator.hasBeenSuperseded) else { throw ServerError.storeNewer(path: pool.path) }
        try migrator.migrate(pool)
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("chat 1") { db in
            for statement in chat { try db.execute(sql: statement) }
        }
        migrator.registerMigration("images 1") { db in
            for statement in images { try db.execute(sql: statement) }
        }
        // From then on `room.last` is written only when messages go: programs before that would use numbers again.
        migrator.registerMigration("last number 1") { _ in }
        return migrator
    }

    private static let chat = [
        // `last` is the number of the last message that is gone, or more: messages that are there may have larger
        // ones. Messages up to `floor` are forgotten.
        """
        CREATE TABLE room (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL DEFAULT 0,
            floor INTEGER NOT NULL DEFAULT 0, enabled INTEGER NOT NULL DEFAULT 1) STRICT
        """,
        // A deleted message has no text, and `deleted` is when it was. Another one has a text, which may be empty.
        """
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, room INTEGER NOT NULL, time INTEGER NOT NULL, author TEXT NOT NULL,
            uid INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, text TEXT, reply INTEGER, edited INTEGER,
            deleted INTEGER, image TEXT, UNIQUE (room, author, key)) STRICT
        """,
        "CREATE INDEX message_deleted ON message (deleted) WHERE deleted IS NOT NULL",
        "CREATE INDEX message_image ON message (image) WHERE image IS NOT NULL",
        // The images whose files are there, and since when.
        """
        CREATE TABLE image (
            hash TEXT PRIMARY KEY, format TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
            bytes INTEGER NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID
        """,
        // The ids of messages that are gone, and since when.
        """
        CREATE TABLE former (
            id INTEGER PRIMARY KEY, room INTEGER NOT NULL, author TEXT NOT NULL, key TEXT NOT NULL,
            number INTEGER NOT NULL, time INTEGER NOT NULL, UNIQUE (room, author, key)) STRICT
        """,
        "CREATE INDEX former_time ON former (time)",
        // How far a member has read and received, and when that was last said.
        """
        CREATE TABLE mark (
            room INTEGER NOT NULL, member TEXT NOT NULL, read INTEGER NOT NULL, received INTEGER NOT NULL,
            time INTEGER NOT NULL, PRIMARY KEY (room, member)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE blocked (
            room INTEGER NOT NULL, author TEXT NOT NULL, PRIMARY KEY (room, author)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE report (
            id INTEGER PRIMARY KEY, message INTEGER NOT NULL, reporter TEXT NOT NULL, reason TEXT NOT NULL,
            text TEXT NOT NULL, room INTEGER NOT NULL, UNIQUE (message, reporter)) STRICT
        """,
        "CREATE INDEX report_room ON report (room, id)",
    ]

    private static let images = [
        "ALTER TABLE image ADD COLUMN thumbnail INTEGER NOT NULL DEFAULT 0",
        // The bytes of a room's images, with their thumbnails.
        "ALTER TABLE room ADD COLUMN images INTEGER NOT NULL DEFAULT 0",
        // The images of a room: those of its messages, and those that its members wanted since a time.
        """
        CREATE TABLE room_image (
            room INTEGER NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, time INTEGER NOT NULL,
            PRIMARY KEY (room, hash)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX room_image_hash ON room_image (hash)",
        """
        CREATE TRIGGER room_image_added AFTER INSERT ON room_image BEGIN
            UPDATE room SET images = images + new.bytes WHERE id = new.room;
        END
        """,
        """
        CREATE TRIGGER room_image_removed AFTER DELETE ON room_image BEGIN
            UPDATE room SET images = images - old.bytes WHERE id = old.room;
        END
        """,
        """
        INSERT INTO room_image (room, hash, bytes, time)
        SELECT DISTINCT message.room, hash, bytes, image.time FROM message JOIN image ON hash = message.image
        """,
        // All images: one row.
        "CREATE TABLE image_total (images INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT",
        "INSERT INTO image_total SELECT count(*), coalesce(sum(bytes), 0) FROM image",
        """
        CREATE TRIGGER image_added AFTER INSERT ON image BEGIN
            UPDATE image_total SET images = images + 1, bytes = bytes + new.bytes + new.thumbnail;
        END
        """,
        """
        CREATE TRIGGER image_removed AFTER DELETE ON image BEGIN
            UPDATE image_total SET images = images - 1, bytes = bytes - old.bytes - old.thumbnail;
        END
        """,
    ]
}

/// Text as the database has it. GRDB ends a text at its first U+0000, so that one is written as another, and back.
enum StoredText {
    /// A noncharacter that stands before `0` for U+0000, and before `1` for itself.
    private static let escape: Unicode.Scalar = "\u{10FFFF}"

    static func stored(_ text: String) -> String {
        // Each has such a byte: 0, or the first one of four in UTF-8.
        guard text.utf8.contains(where: { $0 == 0 || $0 == 0xF4 }) else { return text }
        var stored = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": stored.append(contentsOf: [escape, "0"])
            case escape: stored.append(contentsOf: [escape, "1"])
            default: stored.append(scalar)
            }
        }
        return String(stored)
    }

    static func text(_ stored: String) -> String {
        guard stored.utf8.contains(0xF4) else { return stored }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in stored.unicodeScalars {
            if isEscaped {
                text.append(scalar == "0" ? "\0" : escape)
                isEscaped = false
            } else if scalar == escape {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
#endif
