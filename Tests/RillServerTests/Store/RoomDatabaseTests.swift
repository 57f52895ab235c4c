#if Server
import Foundation
import GRDB
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct RoomDatabaseTests {
    let folder = TemporaryFolder()
    private var path: String { folder.path("rooms.sqlite") }
    private static let time = 1_700_000_000_000

    private func open(_ change: (inout RoomDatabaseSettings) -> Void = { _ in }) throws -> RoomDatabase {
        var settings = RoomDatabaseSettings()
        change(&settings)
        return try RoomDatabase(path: path, settings: settings)
    }

    private static func message(
        _ key: String, by author: String = "anna", _ text: String = "hello", replyTo: Int? = nil
    ) -> ChatMessage {
        ChatMessage(author: author, uid: UID(rawValue: 7), name: "Anna", key: key, .init(text: text), replyTo: replyTo)
    }

    private static func write(
        _ key: String, by author: String = "anna", _ text: String = "hello", in room: String = "lobby",
        at time: Int = Self.time
    ) -> ChatChange {
        ChatChange(.write(message(key, by: author, text)), in: room, time: time)
    }

    private static func write(_ range: ClosedRange<Int>, in room: String = "lobby", at time: Int = Self.time)
        -> [ChatChange]
    { range.map { write("key \($0)", "text \($0)", in: room, at: time) } }

    // MARK: How it writes

    @Test func `The log is a write-ahead log, and each commit is synchronous in full`() async throws {
        let database = try open()
        let modes = try await database.change { db in
            [
                try String.fetchOne(db, sql: "PRAGMA journal_mode"), try String.fetchOne(db, sql: "PRAGMA synchronous"),
            ]
        }
        #expect(modes == ["wal", "2"])
        try await database.close()
    }

    @Test func `A copy of the main file is whole after the end`() async throws {
        let database = try open()
        _ = try await database.write(Self.write(1...500))
        // A connection that reads keeps the log from being removed.
        #expect(try await database.messages(in: "lobby", ChatPage(.before(nil), limit: 50)).count == 50)
        try await database.close()
        let copy = folder.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let restored = try RoomDatabase(path: copy)
        #expect(try await restored.record(of: "lobby").lastNumber == 500)
        #expect(try await restored.messages(in: "lobby", ChatPage(.before(nil), limit: 1000)).count == 500)
        try await restored.close()
    }

    @Test func `After its end it fails, and traps nothing`() async throws {
        let database = try open()
        try await database.close()
        await #expect(throws: RoomStoreError.self) { try await database.write(Self.write(1...1)) }
        await #expect(throws: RoomStoreError.self) { try await database.record(of: "lobby") }
        // It stays closed.
        await #expect(throws: RoomStoreError.self) { try await database.close() }
    }

    @Test func `No thread of Swift's pool waits for the disk`() async throws {
        let database = try open()
        let names = try await [
            database.change { _ in threadName() }, database.read { _ in threadName() },
        ]
        // GRDB runs both on queues of its own; tasks run on threads of another name.
        #expect(names.allSatisfy { !$0.contains("cooperative") }, "\(names)")
        // As many reads as there may be, each of which waits for another task.
        let count = 4
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let outcome = try await database.read { _ in gate.wait(timeout: .now() + 60) }
                    #expect(outcome == .success)
                }
            }
            // Tasks go on meanwhile.
            group.addTask { for _ in 0..<count { gate.signal() } }
            try await group.waitForAll()
        }
        try await database.close()
    }

    @Test func `Other programs read it while it is open`() async throws {
        let sqlite = try existing(Program(named: "sqlite3"))
        let database = try open()
        _ = try await database.write(Self.write(1...10))
        let count = try sqlite.run(["-readonly", path, "SELECT count(*) FROM message"])
        #expect(count.text == "10\n", "\(count.errors)")
        let backup = folder.path("backup.sqlite")
        let copying = try sqlite.run(["-readonly", path, ".backup \(backup)"])
        #expect(copying.status == 0, "\(copying.errors)")
        _ = try await database.write(Self.write(11...20))
        try await database.close()
        let restored = try RoomDatabase(path: backup)
        #expect(try await restored.record(of: "lobby").lastNumber == 10)
        try await restored.close()
    }

    @Test func `A reader beside it does not keep it from closing, and nothing is lost`() async throws {
        let database = try open()
        _ = try await database.write(Self.write(1...10))
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try await reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM message")
        }
        _ = try await database.write(Self.write(11...20))
        await #expect(throws: RoomStoreError.self) { try await database.close() }
        try reader.close()
        let again = try open()
        #expect(try await again.record(of: "lobby").lastNumber == 20)
        try await again.close()
    }

    // MARK: Text

    @Test func `Texts and names come back byte by byte, whatever is in them`() async throws {
        let texts = [
            "", "\0", "a\0b", "a\0c", "\u{10FFFF}", "\u{10FFFF}0", "\0\u{10FFFF}1\0", "e\u{301}", "\u{E9}",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{202E}abc",
            "\u{FEFF}x", String(repeating: "\u{301}", count: 10_000), "'; DROP TABLE message; --",
        ]
        let database = try open()
        for (index, text) in texts.enumerated() {
            let message = ChatMessage(
                author: text, uid: UID(rawValue: .max), name: text, key: "\(text)", .init(text: text), replyTo: index)
            let result = try await database.write([ChatChange(.write(message), in: "room\0\(text)", time: -1)])
            #expect(result == [.stored(1)], "text \(index)")
            let read = try await database.messages(in: "room\0\(text)", ChatPage(.before(nil), limit: 9))
            let copy = try #require(read.first)
            for part in [copy.author, copy.name, copy.key, copy.content?.text ?? "?"] {
                #expect(Array(part.utf8) == Array(text.utf8), "text \(index)")
            }
            #expect(copy.uid == UID(rawValue: .max) && copy.replyTo == index && copy.time == -1)
        }
        try await database.close()
    }

    @Test func `Pages of any number and limit are answered`() async throws {
        let database = try open()
        _ = try await database.write(Self.write(1...5) + Self.write(1...5, in: "other"))
        for number in [Int.min, -1, 0, 1, 3, 5, 6, 1 << 40, 1 << 41, Int.max] {
            for limit in [Int.min, -1, 0, 1, 2, 100, Int.max] {
                let before = try await database.messages(in: "lobby", ChatPage(.before(number), limit: limit))
                let after = try await database.messages(in: "lobby", ChatPage(.after(number), limit: limit))
                let count = max(limit, 0)
                #expect(before.map(\.number) == (1...5).filter { $0 < number }.suffix(count), "\(number) \(limit)")
                #expect(
                    after.map(\.number) == Array((1...5).filter { $0 > number }.prefix(count)), "\(number) \(limit)")
            }
        }
        try await database.close()
    }

    // MARK: Retention

    @Test func `What is too old or too much goes in small steps, and its ids stay for seven days`() async throws {
        let database = try open { settings in
            settings.messageAge = 1000
            settings.messageLimit = 300
        }
        for start in stride(from: 1, to: 1500, by: 500) {
            _ = try await database.write(Self.write(start...start + 499, at: Self.time + start))
        }
        // Those of the first write are too old at this time, and 900 of the rest too many.
        #expect(try await database.removeExpired(at: Self.time + 1002) == 1200)
        let left = try await database.messages(in: "lobby", ChatPage(.after(0), limit: 2000))
        #expect(left.map(\.number) == Array(1201...1500))
        #expect(try await database.removeExpired(at: Self.time + 1002) == 0)
        // The same key is the same message.
        #expect(try await database.write([Self.write("key 1")]) == [.known(1)])
        let week = 7 * 86_400_000
        _ = try await database.removeExpired(at: Self.time + 1002 + week)
        #expect(try await database.write([Self.write("key 1")]) == [.known(1)])
        // All messages are too old now, and no number comes again.
        _ = try await database.removeExpired(at: Self.time + 1003 + week)
        #expect(try await database.messages(in: "lobby", ChatPage(.after(0), limit: 1)).isEmpty)
        #expect(try await database.write([Self.write("key 1", at: Self.time + week)]) == [.stored(1501)])
        try await database.close()
    }

    @Test func `A step of retention removes a few rows only`() async throws {
        let settings = RoomDatabaseSettings()
        let database = try open()
        for room in 0..<120 { _ = try await database.write(Self.write(1...10, in: "room \(room)")) }
        _ = try await database.write(Self.write(1...900) + [ChatChange(.forget, in: "lobby", time: Self.time)])
        var retention = ChatRetention(settings, time: Self.time + settings.messageAge + 1)
        var steps: [Int] = []
        while !retention.isDone, steps.count < 1000 {
            let previous = retention
            let (next, count) = try await database.change { db in
                var next = previous
                let count = try next.step(db)
                return (next, count)
            }
            retention = next
            steps.append(count)
        }
        #expect(steps.reduce(0, +) == 2100)
        #expect(steps.allSatisfy { $0 <= ChatRetention.rowLimit })
        try await database.close()
    }

    @Test func `A room that is forgotten is empty at once, and goes on with its numbers`() async throws {
        let database = try open()
        _ = try await database.write(
            Self.write(1...5) + [
                ChatChange(.setEnabled(false), in: "lobby", time: Self.time),
                ChatChange(.setBlocked("bert", true), in: "lobby", time: Self.time),
                ChatChange(.read(5, by: "bert"), in: "lobby", time: Self.time),
                ChatChange(.report(ChatReport(of: 2, by: "bert", .other)), in: "lobby", time: Self.time),
            ])
        let results = try await database.write([
            ChatChange(.forget, in: "lobby", time: Self.time), Self.write("key 2"), Self.write("key 6"),
            ChatChange(.edit(2, text: "?", by: nil, since: 0), in: "lobby", time: Self.time),
            ChatChange(.report(ChatReport(of: 3, by: "bert", .other)), in: "lobby", time: Self.time),
        ])
        #expect(results == [.stored(0), .known(2), .stored(6), .notFound, .notFound])
        var record = ChatRecord()
        record.lastNumber = 6
        for _ in 0..<2 {
            #expect(try await database.record(of: "lobby") == record)
            #expect(try await database.messages(in: "lobby", ChatPage(.after(0), limit: 9)).map(\.number) == [6])
            #expect(try await database.reports(in: "lobby", limit: 9).isEmpty)
            _ = try await database.removeExpired(at: Self.time)
        }
        #expect(try await database.write([Self.write("key 2")]) == [.known(2)])
        try await database.close()
    }

    @Test func `No number comes again, whatever of the last messages is gone`() async throws {
        let database = try open()
        _ = try await database.write(Self.write(1...5))
        _ = try await database.write((3...5).map { ChatChange(.delete($0, by: nil, since: 0), in: "lobby", time: 1) })
        let week = 7 * 86_400_000
        #expect(try await database.removeExpired(at: week + 2) == 3)
        #expect(try await database.messages(in: "lobby", ChatPage(.after(0), limit: 9)).map(\.number) == [1, 2])
        #expect(try await database.record(of: "lobby").lastNumber == 5)
        try await database.close()
        // A program that starts then knows it, too.
        let again = try open()
        #expect(try await again.record(of: "lobby").lastNumber == 5)
        #expect(try await again.write([Self.write("key 6")]) == [.stored(6)])
        _ = try await again.write([ChatChange(.forget, in: "lobby", time: Self.time)])
        _ = try await again.removeExpired(at: Self.time)
        #expect(try await again.write([Self.write("key 7")]) == [.stored(7)])
        try await again.close()
    }

    @Test func `A write that fails leaves nothing behind, nor does one of another program`() async throws {
        var settings = RoomDatabaseSettings()
        settings.byteLimit = 200_000
        let database = try RoomDatabase(path: path, settings: settings)
        try await fillUp(database)
        let count = try await database.record(of: "lobby").lastNumber
        // Somebody else writes to the file, which nobody should.
        let other = try open()
        let numbers = (1...4).map { count + $0 }
        #expect(try await other.write([Self.write("a")]) == [.stored(numbers[0])])
        try await database.close()
        #expect(try await other.write([Self.write("b")]) == [.stored(numbers[1])])
        let third = try open()
        #expect(try await third.write([Self.write("c")]) == [.stored(numbers[2])])
        #expect(try await other.write([Self.write("d")]) == [.stored(numbers[3])])
        try await third.close()
        try await other.close()
    }

    @Test func `Of reports and marks the latest stay`() async throws {
        let database = try open { $0.entryLimit = 10 }
        _ = try await database.write(Self.write(1...100))
        for index in 1...25 {
            _ = try await database.write([
                ChatChange(.read(index, by: "member \(index)"), in: "lobby", time: Self.time + index),
                ChatChange(.report(ChatReport(of: index, by: "bert", .other)), in: "lobby", time: Self.time),
            ])
        }
        _ = try await database.removeExpired(at: Self.time + 25)
        let record = try await database.record(of: "lobby")
        #expect(record.read == Dictionary((16...25).map { ("member \($0)", $0) }) { $1 } && record.received.isEmpty)
        #expect(try await database.reports(in: "lobby", limit: 99).map(\.report.message) == (16...25).reversed())
        try await database.close()
    }

    // MARK: Plans

    @Test func `Every query that reads or retention runs uses an index, and sorts nothing`() async throws {
        let database = try open()
        let queries = [
            ChatReader.pageBefore, ChatReader.pageAfter, ChatReader.latestReports, ChatRetention.oldDeleted,
            ChatRetention.removeIDs, ChatRetention.oldestMessages, ChatRetention.surplusReports, ChatImages.old,
            ChatImages.oldOfRooms, ChatImages.use, ChatWriter.room, ChatReader.state, ChatRetention.rooms,
        ]
        let plans = try await database.read { db in
            try queries.map { query in
                let count = query.count { $0 == "?" }
                return try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN " + query,
                    arguments: StatementArguments(Array(repeating: 1, count: count))
                ).map { $0["detail"] as String }
            }
        }
        for (query, plan) in zip(queries, plans) {
            #expect(!plan.isEmpty)
            for line in plan {
                #expect(line.hasPrefix("SEARCH") || line.contains(" SUBQUERY "), "\(query): \(line)")
            }
        }
        try await database.close()
    }
}

private func threadName() -> String {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
}
#endif
