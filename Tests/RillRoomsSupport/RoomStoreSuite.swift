package import RillRooms

/// What every store of rooms' chats must do. Each check uses rooms of its own, so that one store serves them all.
///
/// ```swift
/// let problems = try await RoomStoreSuite(store) { try await store.add($0) }.run()
/// #expect(problems == [])
/// ```
package struct RoomStoreSuite {
    private let store: any RoomStore
    private let addImage: (ChatImage) async throws -> Void
    /// The time of the first change, in milliseconds since 1970. The store's messages must not expire within 8 days.
    private let start: Int

    /// - Parameters:
    ///   - store: an empty store.
    ///   - start: the time of the first change.
    ///   - addImage: puts an image into the store.
    package init(
        _ store: any RoomStore, start: Int = 1_767_225_600_000, addImage: @escaping (ChatImage) async throws -> Void
    ) {
        (self.store, self.start, self.addImage) = (store, start, addImage)
    }

    /// Runs all checks.
    ///
    /// - Returns: what is wrong.
    package func run() async throws -> [String] {
        var problems: [String] = []
        let checks: [(String, (inout Checks) async throws -> Void)] = [
            ("numbers", numbers), ("keys", keys), ("pages", pages), ("edits", edits), ("deletions", deletions),
            ("marks", marks), ("moderation", moderation), ("reports", reports), ("images", images), ("texts", texts),
            ("closing", closing), ("batches", batches), ("restored keys", restoredKeys),
        ]
        for (name, check) in checks {
            var found = Checks(room: "suite \(name)", store: store, start: start)
            try await check(&found)
            problems += found.problems.map { "\(name): \($0)" }
        }
        return problems
    }

    private func numbers(_ checks: inout Checks) async throws {
        checks.same(try await store.record(of: checks.room), ChatRecord(), "the record of a room that is not there")
        checks.same(try await store.messages(in: checks.room, ChatPage(.before(nil), limit: 5)), [], "its messages")
        let results = try await checks.write((1...5).map { checks.message("\($0)") })
        checks.same(results, (1...5).map { .stored($0) }, "numbers")
        let read = try await store.messages(in: checks.room, ChatPage(.before(nil), limit: 10))
        checks.same(read, (1...5).map { checks.stored("\($0)", $0) }, "what was stored")
        checks.same(try await store.record(of: checks.room).lastNumber, 5, "the last number")
        let other = ChatChange(.write(checks.new("1")), in: checks.room + " beside", time: start)
        checks.same(try await store.write([other]), [.stored(1)], "the numbers of another room")
    }

    private func keys(_ checks: inout Checks) async throws {
        _ = try await checks.write([checks.message("a"), checks.message("b"), checks.message("a", author: "ben")])
        checks.same(
            try await checks.write([checks.message("a", text: "other"), checks.message("c"), checks.message("c")]),
            [.known(1), .stored(4), .known(4)], "keys that come again")
        checks.same(try await checks.all().map(\.content?.text), ["a", "b", "a", "c"], "texts")
    }

    private func pages(_ checks: inout Checks) async throws {
        _ = try await checks.write((1...250).map { checks.message("\($0)") })
        let cases: [(ChatPage, [Int])] = [
            (ChatPage(.before(nil), limit: 3), [248, 249, 250]), (ChatPage(.before(100), limit: 2), [98, 99]),
            (ChatPage(.before(3), limit: 100), [1, 2]), (ChatPage(.before(1), limit: 5), []),
            (ChatPage(.before(.max), limit: 1), [250]), (ChatPage(.before(.min), limit: 1), []),
            (ChatPage(.after(0), limit: 2), [1, 2]), (ChatPage(.after(248), limit: 100), [249, 250]),
            (ChatPage(.after(250), limit: 5), []), (ChatPage(.after(.max), limit: 5), []),
            (ChatPage(.after(.min), limit: 1), [1]),
        ]
        for (page, numbers) in cases {
            checks.same(try await store.messages(in: checks.room, page).map(\.number), numbers, "\(page)")
        }
    }

    private func edits(_ checks: inout Checks) async throws {
        _ = try await checks.write([checks.message("1"), checks.message("2"), checks.message("3")])
        let since = start
        checks.same(
            try await checks.write(
                [
                    .edit(1, text: "one", by: "anna", since: since), .edit(2, text: "two", by: "ben", since: since),
                    .edit(2, text: "two", by: nil, since: 0), .edit(9, text: "x", by: "anna", since: since),
                    .edit(3, text: "x", by: "anna", since: since + 1),
                ], after: 100), [.stored(1), .notFound, .stored(2), .notFound, .tooOld], "edits")
        let read = try await checks.all()
        checks.same(read.map(\.content?.text), ["one", "two", "3"], "texts")
        checks.same(read.map(\.edited), [start + 100, start + 100, nil], "times of edits")
        checks.same(read.map(\.time), [start, start, start], "times of messages")
    }

    private func deletions(_ checks: inout Checks) async throws {
        _ = try await checks.write([checks.message("1"), checks.message("2"), checks.message("3")])
        checks.same(
            try await checks.write(
                [
                    .delete(1, by: "ben", since: 0), .delete(1, by: "anna", since: start),
                    .delete(2, by: nil, since: 0),
                    .delete(1, by: "anna", since: start), .delete(3, by: "anna", since: start + 1),
                    .edit(1, text: "x", by: "anna", since: 0), checks.message("1"),
                ], after: 10), [.notFound, .stored(1), .stored(2), .known(1), .tooOld, .notFound, .known(1)],
            "deletions")
        let read = try await checks.all()
        checks.same(read.map(\.content?.text), [nil, nil, "3"], "texts")
        checks.same(read.map(\.key), ["1", "2", "3"], "keys")
    }

    private func marks(_ checks: inout Checks) async throws {
        _ = try await checks.write((1...3).map { checks.message("\($0)") })
        _ = try await checks.write(
            [.read(2, by: "ben"), .received(3, by: "ben"), .read(1, by: "ben"), .received(1, by: "carl")])
        let record = try await store.record(of: checks.room)
        checks.same(record.read, ["ben": 2], "what was read")
        checks.same(record.received, ["ben": 3, "carl": 1], "what was received")
    }

    private func moderation(_ checks: inout Checks) async throws {
        _ = try await checks.write([.setEnabled(false), .setBlocked("ben", true), .setBlocked("carl", true)])
        var record = try await store.record(of: checks.room)
        checks.same(record.isEnabled, false, "off")
        checks.same(record.blocked, ["ben", "carl"], "blocked")
        _ = try await checks.write([.setEnabled(true), .setBlocked("ben", false), .setBlocked("dora", false)])
        record = try await store.record(of: checks.room)
        checks.same(record.isEnabled, true, "on again")
        checks.same(record.blocked, ["carl"], "blocked still")
    }

    private func reports(_ checks: inout Checks) async throws {
        _ = try await checks.write([checks.message("1"), checks.message("2")])
        let reports = ChatReport.Reason.allCases.map { reason in
            ChatReport(of: 1, by: "ben \(reason)", reason, text: "because")
        }
        let again = ChatReport(of: 1, by: "ben racism", .other)
        checks.same(
            try await checks.write(
                reports.map { .report($0) } + [
                    .report(again), .report(ChatReport(of: 7, by: "ben", .other)),
                    .report(ChatReport(of: 2, by: "ben racism", .other)),
                ]), reports.map { _ in .stored(1) } + [.known(1), .notFound, .stored(2)], "reports")
        let read = try await store.reports(in: checks.room, limit: 100)
        checks.same(read.map(\.report).reversed(), reports + [ChatReport(of: 2, by: "ben racism", .other)], "the list")
        checks.same(read.map { $0.message?.key }, ["2"] + reports.map { _ in "1" }, "the messages")
        checks.same(try await store.reports(in: checks.room, limit: 2).map(\.report.message), [2, 1], "the latest")
    }

    private func images(_ checks: inout Checks) async throws {
        let image = ChatImage(
            hash: String(repeating: "0a", count: 32), .webp, width: 30, height: 40, byteCount: 1_000)
        checks.same(
            try await checks.write([checks.message("1", image: image)]), [.notFound], "an image that is not there")
        try await addImage(image)
        var other = image
        other.width = 31
        checks.same(
            try await checks.write([checks.message("1", image: image), checks.message("2", text: "", image: image)]),
            [.stored(1), .stored(2)], "an image that is there")
        checks.same(try await checks.write([checks.message("3", image: other)]), [.notFound], "another size")
        checks.same(try await checks.all().map(\.content?.image), [image, image], "images")
        _ = try await checks.write([.edit(1, text: "caption", by: "anna", since: 0)])
        checks.same(try await checks.all().first?.content, .init(text: "caption", image: image), "a caption")
    }

    private func texts(_ checks: inout Checks) async throws {
        let texts = [
            "\u{202E}right to left", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", "e\u{301}",
            "\u{E9}",
            "<b>'; DROP TABLE messages; --", "a\nb\tc", "\u{FEFF}", "\u{10FFFF}", String(repeating: "x", count: 16_384),
        ]
        // Two of the authors look the same, and their keys too.
        checks.same(
            try await checks.write(texts.map { checks.message("\u{E9}", author: $0, text: $0) }),
            (1...texts.count).map { .stored($0) }, "numbers")
        let read = try await checks.all()
        // Byte by byte, as equal strings may differ in their code points.
        checks.same(read.map { Array(($0.content?.text ?? "").utf8) }, texts.map { Array($0.utf8) }, "texts")
        checks.same(read.map { Array($0.author.utf8) }, texts.map { Array($0.utf8) }, "authors")
    }

    private func closing(_ checks: inout Checks) async throws {
        _ = try await checks.write(
            [
                checks.message("1"), checks.message("2"), .setEnabled(false), .setBlocked("ben", true),
                .read(2, by: "ben"), .report(ChatReport(of: 1, by: "ben", .other)), .forget,
            ])
        var empty = ChatRecord()
        empty.lastNumber = 2
        checks.same(try await store.record(of: checks.room), empty, "the record")
        checks.same(try await checks.all(), [], "messages")
        checks.same(try await store.reports(in: checks.room, limit: 10), [], "reports")
        checks.same(
            try await checks.write([checks.message("1"), checks.message("3")]), [.known(1), .stored(3)],
            "numbers and keys afterwards")
    }

    private func batches(_ checks: inout Checks) async throws {
        checks.same(try await store.write([]), [], "no changes")
        let changes = (0..<1_000).map { index in
            ChatChange(.write(checks.new("\(index)")), in: "\(checks.room) \(index % 7)", time: start)
        }
        checks.same(
            try await store.write(changes), (0..<1_000).map { .stored($0 / 7 + 1) }, "1,000 changes of seven rooms")
    }

    private func restoredKeys(_ checks: inout Checks) async throws {
        let day = 86_400_000
        _ = try await checks.write([checks.message("1"), checks.message("2"), .delete(1, by: nil, since: 0)])
        checks.same(
            try await checks.write([checks.message("1")], after: 7 * day - 1), [.known(1)], "a key after 7 days")
    }
}

/// A check's room, and what is wrong with it.
struct Checks {
    let room: String
    let store: any RoomStore
    let start: Int
    private(set) var problems: [String] = []

    init(room: String, store: any RoomStore, start: Int) {
        (self.room, self.store, self.start) = (room, store, start)
    }

    mutating func same<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
        if found != expected { problems.append("\(what): " + "\(found), not \(expected)".prefix(400)) }
    }

    func new(_ key: String, author: String = "anna", text: String? = nil, image: ChatImage? = nil) -> ChatMessage {
        ChatMessage(author: author, uid: 7, name: "Anna", key: key, .init(text: text ?? key, image: image), replyTo: 1)
    }

    func message(
        _ key: String, author: String = "anna", text: String? = nil, image: ChatImage? = nil
    ) -> ChatChange.Kind {
        .write(new(key, author: author, text: text, image: image))
    }

    func stored(_ key: String, _ number: Int) -> ChatMessage {
        var message = new(key)
        (message.number, message.time) = (number, start)
        return message
    }

    func write(_ kinds: [ChatChange.Kind], after time: Int = 0) async throws -> [ChatResult] {
        try await store.write(kinds.map { ChatChange($0, in: room, time: start + time) })
    }

    func all() async throws -> [ChatMessage] {
        try await store.messages(in: room, ChatPage(.before(nil), limit: 100))
    }
}
