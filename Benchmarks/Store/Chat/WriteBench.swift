import Foundation
import GRDBSQLite
import RillRooms
import RillServer

/// Messages stored a second, and bare inserts of SQLite in the same mode, with the same rows and as many a commit.
///
/// All take turns many times in each round, as other programs use the disk and the cores meanwhile. Rill's batches are
/// handed over some ahead, so that the writer does not wait for the threads that want its answers; and one by one, each
/// once the one before it is answered.
struct WriteBench {
    let folder: String
    let rooms: Int
    private static let turns = 20
    private static let ahead = 8

    func run(rows: Int, messages count: Int) async throws {
        var messages = Messages(rooms: rooms)
        let database = try RoomDatabase(path: "\(folder)/rill.sqlite")
        let bare = BareTable("\(folder)/bare.sqlite")
        let batches = max(count / rows / Self.turns, 1)
        for round in 0..<7 {
            var (stored, single, inserted) = (Duration.zero, Duration.zero, Duration.zero)
            func next() -> [[ChatChange]] { (0..<batches).map { _ in (0..<rows).map { _ in messages.next() } } }
            for _ in 0..<Self.turns {
                let (changes, others) = (next(), next())
                let start = ContinuousClock.now
                try await store(changes, in: database)
                let second = ContinuousClock.now
                for batch in changes { bare.insert(batch) }
                let third = ContinuousClock.now
                for batch in others { _ = try await database.write(batch) }
                stored += second - start
                inserted += third - second
                single += ContinuousClock.now - third
            }
            let done = Double(batches * rows * Self.turns)
            print("stored_\(round)=\(Int(done / (stored / .seconds(1))))")
            print("single_\(round)=\(Int(done / (single / .seconds(1))))")
            print("bare_\(round)=\(Int(done / (inserted / .seconds(1))))")
        }
        try await database.close()
        bare.close()
    }

    private func store(_ changes: [[ChatChange]], in database: RoomDatabase) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, batch) in changes.enumerated() {
                if index >= Self.ahead { try await group.next() }
                group.addTask { _ = try await database.write(batch) }
            }
            try await group.waitForAll()
        }
    }
}

/// A table of messages with an index that keeps keys unique, by SQLite's own functions.
final class BareTable {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?
    private var numbers: [String: Int] = [:]

    init(_ path: String) {
        check(sqlite3_open(path, &database))
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        execute("PRAGMA cache_size = -8192")
        execute(
            """
            CREATE TABLE message (id INTEGER PRIMARY KEY, room INTEGER NOT NULL, time INTEGER NOT NULL, author TEXT NOT NULL,
            uid INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, text TEXT, UNIQUE (room, author, key)) STRICT
            """)
        prepare()
    }

    /// Fills a database of Rill's that is to be read, as fast as SQLite can: from memory, and not safe from a cut.
    init(filling path: String, rooms: Int) {
        check(sqlite3_open(path, &database))
        execute("PRAGMA synchronous = OFF")
        execute("PRAGMA cache_size = -4194304")
        execute("BEGIN")
        for room in 0..<rooms { execute("INSERT INTO room (id, name) VALUES (\(room), 'room-\(room)')") }
        execute("COMMIT")
        prepare()
    }

    private func prepare() {
        let insertion = """
            INSERT INTO message (id, room, time, author, uid, name, key, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        check(sqlite3_prepare_v2(database, insertion, -1, &statement, nil))
    }

    func close() {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func insert(_ changes: [ChatChange]) {
        execute("BEGIN IMMEDIATE")
        for change in changes {
            guard case .write(let message) = change.kind, let room = Int(change.room.dropFirst(5)) else { continue }
            let number = numbers[change.room, default: 0] + 1
            numbers[change.room] = number
            sqlite3_bind_int64(statement, 1, Int64(room << 40 | number))
            sqlite3_bind_int64(statement, 2, Int64(room))
            sqlite3_bind_int64(statement, 3, Int64(change.time))
            bind(4, message.author)
            sqlite3_bind_int64(statement, 5, Int64(message.uid.rawValue))
            bind(6, message.name)
            bind(7, message.key)
            bind(8, message.content?.text ?? "")
            guard sqlite3_step(statement) == SQLITE_DONE else { fatalError(String(cString: sqlite3_errmsg(database))) }
            sqlite3_reset(statement)
        }
        execute("COMMIT")
    }

    private func bind(_ index: Int32, _ text: String) {
        // SQLITE_TRANSIENT: it copies.
        sqlite3_bind_text(statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    private func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func check(_ code: Int32) {
        if code != SQLITE_OK { fatalError(String(cString: sqlite3_errmsg(database))) }
    }
}
