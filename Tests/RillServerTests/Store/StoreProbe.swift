#if Server
import Foundation
import Glibc
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

/// What a process of its own does with a database: a test of this program, which runs only if another one starts it.
enum StoreProbe: String {
    /// Writes until it is killed.
    case write
    /// Fills a file system, and goes on when there is room.
    case fill
    /// Opens a database that it may not write to.
    case readOnly

    private static let variables = ("RILL_STORE_PROBE", "RILL_STORE_FOLDER")

    /// What this process is to do, and where.
    static let given: (probe: StoreProbe, folder: String)? = {
        let environment = ProcessInfo.processInfo.environment
        guard let probe = environment[variables.0].flatMap(StoreProbe.init), let folder = environment[variables.1]
        else { return nil }
        return (probe, folder)
    }()

    /// Starts a process that does it.
    ///
    /// - Parameter file system: a file system of its own of that size is on the folder, and may be read-only.
    func start(in folder: String, mounting commands: String? = nil) throws -> RunningProgram {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let words = ["--testing-library", "swift-testing", "--filter", "StoreProbeTests"]
        let environment = [Self.variables.0: rawValue, Self.variables.1: folder, "SWIFT_BACKTRACE": "enable=no"]
        guard let commands else {
            var program = try existing(Program(path: tests))
            program.environment = environment
            return try program.start(words)
        }
        var program = try existing(Program(named: "unshare"))
        program.environment = environment
        return try program.start(
            ["--mount", "--propagation", "private", "sh", "-ec", "\(commands)\nexec \"$@\"", "sh", tests] + words)
    }
}

/// A log of what a probe sent, and what it was answered, which a kill leaves whole up to its last line.
struct ProbeLog {
    let path: String
    private(set) var answers: [String: Int] = [:]
    private(set) var sent: Set<String> = []

    /// Reads one, or begins one.
    init(_ path: String) throws {
        self.path = path
        // Before the first run there is no log.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 1 { sent.insert(String(words[0])) }
            if words.count == 2, let number = Int(words[1]) { answers[String(words[0])] = number }
        }
    }

    /// Adds lines, in one call of the system.
    func append(_ lines: [String]) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestFailure("no log") }
        defer { close(file) }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else { throw TestFailure("no log") }
    }
}

@Suite struct StoreProbeTests {
    static let senders = 10

    @Test(.enabled(if: StoreProbe.given?.probe == .write, "another test starts it"))
    func `Ten senders write one message after the other, and try again what was not answered`() async throws {
        guard let folder = StoreProbe.given?.folder else { return }
        let log = try ProbeLog("\(folder)/log")
        let database = try RoomDatabase(path: "\(folder)/rooms.sqlite")
        var next = (0..<Self.senders).map { sender in
            (0...).first { log.answers["\(sender)-\($0)"] == nil } ?? 0
        }
        while true {
            let keys = next.enumerated().map { "\($0)-\($1)" }
            try log.append(keys)
            let results = try await database.write(
                keys.enumerated().map { sender, key in
                    ChatChange(
                        .write(
                            ChatMessage(
                                author: "sender \(sender)", uid: UID(rawValue: UInt32(sender)), name: "S", key: key,
                                .init(text: "text of \(key)"))), in: "lobby", time: 1)
                })
            try log.append(
                zip(keys, results).map { key, result in
                    switch result {
                    case .stored(let number), .known(let number): "\(key) \(number)"
                    default: throw TestFailure("\(result)")
                    }
                })
            for sender in next.indices { next[sender] += 1 }
        }
    }

    @Test(.enabled(if: StoreProbe.given?.probe == .fill, "another test starts it"))
    func `A full disk is an error, nothing half stored, and it goes on when there is room`() async throws {
        guard let folder = StoreProbe.given?.folder else { return }
        let database = try RoomDatabase(path: "\(folder)/rooms.sqlite")
        try write(Array(repeating: 1, count: 1 << 20), to: "\(folder)/ballast")
        try await fillUp(database)
        let count = try await database.record(of: "lobby").lastNumber
        try FileManager.default.removeItem(atPath: "\(folder)/ballast")
        // The same changes again.
        let results = try await database.write(Batch.changes(count / Batch.size))
        #expect(results == (1...Batch.size).map { .stored(count + $0) })
        // Images too: full, without a file left, and then not.
        let images = try ImageStore(folder: "\(folder)/images", database: database)
        try await fillUp(database, from: count / Batch.size + 1)
        let rest = try await database.record(of: "lobby").lastNumber
        #expect(rest > count)
        var refusals: [ImageRefusal] = []
        do throws(ImageRefusal) { _ = try await images.add(ImageSample.jpeg.bytes, to: "lobby", at: 1) } catch {
            refusals.append(error)
        }
        #expect(refusals == [.full])
        // The log cannot be moved to the main file, and stays.
        await #expect(throws: RoomStoreError.full) { try await database.close() }
        let again = try RoomDatabase(path: "\(folder)/rooms.sqlite")
        #expect(try await again.record(of: "lobby").lastNumber == rest)
    }

    @Test(.enabled(if: StoreProbe.given?.probe == .readOnly, "another test starts it"))
    func `A database that cannot be written to is an error`() throws {
        guard let folder = StoreProbe.given?.folder else { return }
        let path = "\(folder)/rooms.sqlite"
        #expect(throws: ServerError.storeReadOnly(path: path)) { try RoomDatabase(path: path) }
        #expect(throws: ServerError.self) { try RoomStorage(folder: folder) }
    }
}

/// Batches of messages, each as large as the last.
enum Batch {
    static let size = 20

    static func changes(_ index: Int) -> [ChatChange] {
        (0..<size).map { position in
            ChatChange(
                .write(
                    ChatMessage(
                        author: "anna", uid: UID(rawValue: 1), name: "Anna", key: "\(index)-\(position)",
                        .init(text: String(repeating: "x", count: 500)))), in: "lobby", time: 1)
        }
    }
}

/// Writes batches until one fails as `full`, and checks that nothing of that one is there.
func fillUp(_ database: RoomDatabase, from first: Int = 0) async throws {
    var stored = try await database.record(of: "lobby").lastNumber
    for index in first..<100_000 {
        do throws(RoomStoreError) {
            _ = try await database.write(Batch.changes(index))
            stored += Batch.size
        } catch {
            #expect(error == .full)
            #expect(try await database.record(of: "lobby").lastNumber == stored)
            let last = try await database.messages(in: "lobby", ChatPage(.before(nil), limit: 1))
            #expect(last.map(\.number) == (stored > 0 ? [stored] : []))
            // It fails again, and still reads.
            await #expect(throws: RoomStoreError.full) { try await database.write(Batch.changes(index)) }
            return
        }
    }
    Issue.record("it never was full")
}
#endif
