#if Server
import Foundation
import GRDB
import Glibc
import RillCore
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

@Suite struct RoomDatabaseFailureTests {
    let folder = TemporaryFolder()
    private var path: String { folder.path("rooms.sqlite") }

    // MARK: Ends at any moment

    @Test func `Killed at any moment, what was answered is there once and in order, the rest once or not at all`()
        async throws
    {
        var generator = SeededGenerator(seed: 52)
        let kills = isLongRun ? 100 : 10
        var unanswered = 0
        for _ in 0..<kills {
            let before = try ProbeLog(folder.path("log"))
            let probe = try StoreProbe.write.start(in: folder.root)
            // It writes first, and is killed some milliseconds later.
            var log = before
            while log.answers.count <= before.answers.count, !probe.hasEnded {
                usleep(2000)
                log = try ProbeLog(folder.path("log"))
            }
            usleep(UInt32(generator.next() % 100_000))
            try probe.kill()
            let outcome = try probe.wait()
            log = try ProbeLog(folder.path("log"))
            guard log.answers.count > before.answers.count else {
                throw TestFailure("the probe did not write: \(outcome.text)\(outcome.errors)")
            }
            if log.sent.count > log.answers.count { unanswered += 1 }
            try await check(log)
        }
        note("\(kills) kills, \(unanswered) with unanswered messages")
        #expect(unanswered >= kills * 3 / 10)
    }

    private func check(_ log: ProbeLog) async throws {
        let database = try RoomDatabase(path: path)
        var messages: [ChatMessage] = []
        while true {
            let page = try await database.messages(
                in: "lobby", ChatPage(.after(messages.last?.number ?? 0), limit: 1000))
            guard !page.isEmpty else { break }
            messages += page
        }
        // Numbers are dense, and each key is there once.
        #expect(messages.map(\.number) == Array(1...messages.count))
        let numbers = Dictionary(messages.map { ($0.key, $0.number) }) { first, _ in first }
        #expect(numbers.count == messages.count)
        for (key, number) in log.answers { #expect(numbers[key] == number, "\(key)") }
        for message in messages {
            #expect(log.sent.contains(message.key) && message.content?.text == "text of \(message.key)")
        }
        // Each sender's messages are there without a gap, and in order.
        for sender in 0..<StoreProbeTests.senders {
            let own = messages.filter { $0.author == "sender \(sender)" }.map(\.key)
            #expect(own == own.indices.map { "\(sender)-\($0)" })
        }
        try await database.close()
    }

    // MARK: No place

    @Test func `At its limit of bytes a database is full, and goes on with a larger one`() async throws {
        var settings = RoomDatabaseSettings()
        settings.byteLimit = 400_000
        let database = try RoomDatabase(path: path, settings: settings)
        try await fillUp(database)
        let count = try await database.record(of: "lobby").lastNumber
        #expect(count > 200)
        try await database.close()
        settings.byteLimit = 800_000
        let larger = try RoomDatabase(path: path, settings: settings)
        let results = try await larger.write(Batch.changes(count / Batch.size))
        #expect(results == (1...Batch.size).map { .stored(count + $0) })
        try await larger.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func `On a full disk nothing is half stored, and it goes on when there is room`() throws {
        let mount = "mount -t tmpfs -o size=3m none \(folder.root)"
        let outcome = try StoreProbe.fill.start(in: folder.root, mounting: mount).wait()
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        // The runner writes to either.
        #expect((outcome.text + outcome.errors).contains("Test run with 3 tests in 1 suite passed"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func `A database on a read-only disk is an error, whether its log is there or not`() async throws {
        let database = try RoomDatabase(path: path)
        _ = try await database.write(Batch.changes(0))
        try await database.close()
        let mount = "mount --bind \(folder.root) \(folder.root)\nmount -o remount,bind,ro \(folder.root)"
        let outcome = try StoreProbe.readOnly.start(in: folder.root, mounting: mount).wait()
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        // The runner writes to either.
        #expect((outcome.text + outcome.errors).contains("Test run with 3 tests in 1 suite passed"))
    }

    // MARK: Other files

    @Test func `A file that is no database, or is damaged, is an error`() async throws {
        try write(Array(repeating: 0x41, count: 8192), to: path)
        #expect(throws: ServerError.storeDamaged(path: path, reason: "file is not a database")) {
            try RoomDatabase(path: path)
        }
        try FileManager.default.removeItem(atPath: path)
        let database = try RoomDatabase(path: path)
        for index in 0..<20 { _ = try await database.write(Batch.changes(index)) }
        try await database.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<40 {
            var bytes = Array(whole)
            // A few pages of noise, or bytes anywhere.
            for _ in 0..<4 {
                let start = Int(generator.next() % UInt64(bytes.count / 512)) * 512
                for index in start..<min(start + 512, bytes.count) {
                    bytes[index] = UInt8(truncatingIfNeeded: generator.next())
                }
            }
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try write(bytes, to: path)
            // An error, or what is not damaged; never a trap.
            guard let damaged = try? RoomDatabase(path: path) else { continue }
            _ = try? await damaged.messages(in: "lobby", ChatPage(.before(nil), limit: 1000))
            _ = try? await damaged.write(Batch.changes(30))
            _ = try? await damaged.removeExpired(at: .max / 2)
            try? await damaged.close()
        }
    }

    @Test func `A database of a later version is an error`() async throws {
        let database = try RoomDatabase(path: path)
        _ = try await database.change { db in
            try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('chat 2000')")
        }
        try await database.close()
        #expect(throws: ServerError.storeNewer(path: path)) { try RoomDatabase(path: path) }
    }

    @Test func `A folder serves one server at a time`() async throws {
        let storage = try RoomStorage(folder: folder.path("data"))
        #expect(throws: ServerError.storeInUse(path: folder.path("data/lock"))) {
            try RoomStorage(folder: folder.path("data"))
        }
        #expect(try await storage.database.record(of: "lobby") == ChatRecord())
        #expect(throws: ServerError.self) { try RoomStorage(folder: "/proc/nowhere") }
    }
}
#endif
