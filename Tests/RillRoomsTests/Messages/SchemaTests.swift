import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillRooms

@Suite("The schema of messages is what the documentation says")
struct SchemaTests {
    /// The rows of a table of the page: the first column, and the fields of the second.
    private static func table(_ title: String) throws -> [String: [String]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = String(decoding: try read(folder.path + "/Documentation/Rill.docc/Rooms.md"), as: UTF8.self)
        let section = text.split(separator: "\n### ").first { $0.hasPrefix(title + "\n") }
        var rows: [String: [String]] = [:]
        for line in (section ?? "").split(separator: "\n") where line.hasPrefix("|") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.split(separator: " ").map { $0.filter { $0 != "`" && $0 != "," } }
            }
            rows[cells[1].joined(separator: " ")] = cells[2]
        }
        return rows.filter { !["type", "---", "code", "reason"].contains($0.key) }
    }

    /// Compares the rows with the JSON of examples: fields without `?` are in each, others in some.
    private func compare(
        _ examples: [String: [[String: Any]]], with title: String, names: [String], common: Set<String>
    ) throws {
        let rows = try Self.table(title)
        #expect(Set(rows.keys) == Set(names), "\(title)")
        for name in names {
            let found = (examples[name] ?? []).map { Set($0.keys).subtracting(common) }
            let documented = rows[name] ?? []
            let (needed, optional) = (documented.filter { !$0.hasSuffix("?") }, documented.filter { $0.hasSuffix("?") })
            let all = Set(needed + optional.map { String($0.dropLast()) })
            let (ever, always) = (
                found.reduce(Set()) { $0.union($1) },
                found.dropFirst().reduce(found.first ?? []) { $0.intersection($1) }
            )
            #expect(ever == all, "fields of \(name)")
            #expect(always == Set(needed), "fields of \(name) that are always there")
        }
    }

    private func json(_ value: some Encodable) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
    }

    /// The JSON of examples by type; each example is read back as it was.
    private func examples<Message: Codable & Equatable>(_ messages: [Message]) throws -> [String: [[String: Any]]] {
        var found: [String: [[String: Any]]] = [:]
        for message in messages {
            #expect(try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(message)) == message)
            let object = try json(message)
            found[try #require(object["type"] as? String), default: []].append(object)
        }
        return found
    }

    @Test func `Each request is documented with its fields, and no other one is`() throws {
        let commands: [RoomCommand] = [
            .join(JoinRequest(room: "a", name: "b")),
            .join(
                JoinRequest(
                    room: "a", token: "t", session: "s", name: "b", avatar: "u", uid: 3, attributes: ["k": "v"],
                    role: .viewer,
                    offer: "o")),
            .resume(session: "s", epoch: 1, number: 2, count: 3), .negotiate(offer: "o"),
            .publish(.video, mid: nil, isMuted: false), .publish(.video, mid: "1", isMuted: true),
            .unpublish(.screen, of: nil), .unpublish(.screen, of: 3), .mute(.sound, of: nil), .mute(.sound, of: 3),
            .unmute(.sound), .want(Want(.none, of: 3)), .want(Want(.low, of: 3)),
            .want(Want(.high, of: 3, priority: 2)),
            .want(Want(.shown(width: 320, height: 180), of: 3)), .data(count: 1, to: nil, text: "x"),
            .data(count: 1, to: 3, text: "x"), .chat(key: "k", text: "t"),
            .chat(key: "k", text: "", replyTo: 2, image: Self.image), .chat(.edit(2, text: "t")), .chat(.delete(2)),
            .chat(.typing), .chat(.read(2)), .chat(.history(ChatPage(.before(nil), limit: 5))),
            .chat(.history(ChatPage(.before(9), limit: 5))), .chat(.history(ChatPage(.after(9), limit: 5))),
            .chat(.setEnabled(false)), .chat(.block("i", true)), .chat(.report(2, .other, text: "")),
            .chat(.report(2, .racism, text: "t")), .chat(.reports),
            .profile(name: nil, avatar: nil, attributes: nil), .profile(name: "n", avatar: "a", attributes: [:]),
            .role(3, .host), .rights(3, .all), .remove(3), .lock(true), .lock(false), .close, .renew(token: "t"),
            .leave,
        ]
        let requests =
            commands.map { RoomRequest($0, id: 7) } + [
                RoomRequest(.alive(number: 1, count: 2), id: 0),
                RoomRequest(.alive(number: 1, count: 2, message: 3), id: 0),
            ]
        try compare(
            examples(requests), with: "Requests", names: RoomCommand.Name.allCases.map(\.rawValue), common: ["type"])
    }

    private static let image = ChatImage(hash: "h", .png, width: 1, height: 2, byteCount: 3)

    private static let message: ChatMessage = {
        var message = ChatMessage(
            author: "i", uid: 3, name: "n", key: "k", .init(text: "t", image: image), replyTo: 1)
        (message.number, message.time, message.edited) = (2, 2, 5)
        return message
    }()

    /// One that is deleted.
    private static let emptyMessage: ChatMessage = {
        var message = ChatMessage(author: "i", uid: 3, name: "n", key: "k", .init(text: ""))
        (message.number, message.time, message.content) = (2, 2, nil)
        return message
    }()

    private static let person = Participant(
        uid: 3, identity: "i", session: 9, name: "n", avatar: "a", attributes: ["k": "v"])

    @Test func `Each event is documented with its fields, and no other one is`() throws {
        let events: [RoomEvent] =
            [
                .joined(Participant(uid: 3, guest: 8, name: "n")), .joined(Self.person), .interrupted(3), .lost(3),
                .back(3),
                .published(3, .video, isMuted: false), .published(3, .video, isMuted: true), .unpublished(3, .sound),
                .muted(3, .screen, by: 4), .unmuted(3, .sound), .firstPicture(3, .video, width: 640, height: 360),
                .firstPicture(3, .video, width: nil, height: nil), .speakerChanged(nil), .speakerChanged(3),
                .roleChanged(3, .host, .all),
                .profileChanged(3, name: "n", avatar: nil, attributes: [:]),
                .profileChanged(3, name: "n", avatar: "a", attributes: ["k": "v"]), .lockChanged(isLocked: true),
                .chat(Self.message), .chat(Self.emptyMessage), .chatEdited(2, text: "t", edited: 5), .chatDeleted(2),
                .chatChanged(isEnabled: false), .closed,
            ] + OfflineReason.allCases.map { .offline(3, $0) }
        let messages = events.map { RoomMessage.event(NumberedEvent($0, number: 1, time: 2)) }
        try compare(
            examples(messages), with: "Events", names: RoomEvent.Name.allCases.map(\.rawValue),
            common: ["type", "number", "time"])
        // Both kinds of messages come on one channel.
        #expect(
            Set(RoomEvent.Name.allCases.map(\.rawValue)).isDisjoint(with: RoomMessage.Name.allCases.map(\.rawValue)))
    }

    private static let errors: [RoomError] = RoomError.Code.allCases.map { code in
        switch code {
        case .malformed: .malformed("w")
        case .unauthorized: .unauthorized
        case .notAllowed: .notAllowed(.chat)
        case .unknownParticipant: .unknownParticipant(3)
        case .descriptionRefused: .descriptionRefused("w")
        case .timedOut: .timedOut
        case .uidTaken: .uidTaken(3)
        case .sessionEnded: .sessionEnded
        case .notPublished: .notPublished(.video)
        case .tooLarge: .tooLarge(field: "name", limit: 5)
        case .alreadyJoined: .alreadyJoined
        case .locked: .locked
        case .notJoined: .notJoined
        case .tooFast: .tooFast(limit: 60, retryAfter: .milliseconds(17), missed: 3)
        case .replaced: .replaced
        case .removed: .removed
        case .queueFull: .queueFull(missed: 3, cached: 4)
        case .roomFull: .roomFull(limit: 5)
        case .tooManySessions: .tooManySessions(limit: 5)
        case .draining: .draining
        case .tooManyRooms: .tooManyRooms(limit: 5)
        case .recipientFull: .recipientFull(3, missed: 4)
        case .blocked: .blocked
        case .chatDisabled: .chatDisabled
        case .unknownMessage: .unknownMessage(2)
        case .tooOld: .tooOld(limit: 900)
        case .imageRefused: .imageRefused("w")
        case .storeFailed: .storeFailed
        }
    }

    @Test func `Each message is documented with its fields, and no other one is`() throws {
        let room: RoomState = {
            var room = RoomState(room: "a")
            room.apply(.joined(Self.person))
            room.apply(.published(3, .video, isMuted: false))
            room.apply(.firstPicture(3, .video, width: 640, height: 360))
            room.apply(.speakerChanged(3))
            return room
        }()
        let chat = ChatState(
            author: "i", lastNumber: 2, isEnabled: false, isBlocked: true, mark: 1,
            marks: ChatMarks(received: 2, read: 1), messages: [Self.message], isWhole: true, blockedAuthors: ["b"])
        let report = ChatReport(of: 2, by: "r", .bullying, text: "t")
        let plain = Welcome(
            session: "s", uid: 3, epoch: 1, number: 2, snapshot: nil, count: 0, isFresh: false, hasMedia: false,
            answer: nil, slots: [])
        let full = Welcome(
            session: "s", uid: 3, epoch: 1, number: 2, snapshot: room, count: 0, isFresh: true, hasMedia: true,
            answer: "a", slots: [SlotState(mid: "1", uid: 3, kind: .video, layer: "low", isPaused: true)], chat: chat)
        let messages: [RoomMessage] =
            [
                .welcome(plain, to: 7), .welcome(full, to: 7), .done(7, number: nil, answer: nil),
                .done(7, number: 3, answer: "a", message: 2), .chatState(ChatState(author: "i")), .chatState(chat),
                .history([Self.message], to: 7), .marks(ChatMarks(received: 2, read: 1)), .typing(3),
                .blocked("i", true), .report(ReportedMessage(report, Self.message)),
                .report(ReportedMessage(report, nil)), .reports([ReportedMessage(report, Self.message)], to: 7),
                .error(.malformed("w"), to: 0),
                .data(count: 1, from: 3, sequence: 2, text: "x", missed: 0),
                .data(count: 1, from: 3, sequence: 2, text: "x", missed: 4), .levels([SoundLevel(3, level: 127)]),
                .slot(SlotState(mid: "1")), .slot(full.slots[0]),
                .layer(LayerInterest(.video, layer: "high", isWanted: false)), .alive,
            ] + EndReason.allCases.map(RoomMessage.bye) + Self.errors.map { .error($0, to: 7) }
        try compare(
            examples(messages), with: "Answers and messages", names: RoomMessage.Name.allCases.map(\.rawValue),
            common: ["type"])
    }

    @Test func `Each code and each reason is documented, and each error says what is wrong`() throws {
        let codes = try Self.table("Errors")
        #expect(Set(codes.keys) == Set(RoomError.Code.allCases.map { "\($0.rawValue)" }))
        for error in Self.errors {
            #expect(codes["\(error.code.rawValue)"] == ["\(error.code)"])
            #expect(!"\(error)".isEmpty)
        }
        let reasons = try Self.table("Reasons")
        let offline = Set(OfflineReason.allCases.map(\.rawValue))
        let bye = Set(EndReason.allCases.map(\.rawValue))
        #expect(Set(reasons.keys) == offline.union(bye))
        for (reason, uses) in reasons {
            #expect(
                uses == (offline.contains(reason) ? ["offline"] : []) + (bye.contains(reason) ? ["bye"] : []),
                "\(reason)")
        }
    }

    @Test func `All fields are used`() throws {
        let pages = ["Requests", "Answers and messages", "Events"]
        let documented = try pages.reduce(into: Set<String>(["type", "number", "time"])) { set, page in
            for fields in try Self.table(page).values { set.formUnion(fields.map { $0.filter { $0 != "?" } }) }
        }
        #expect(Set(Field.allCases.map(\.rawValue)).isSubset(of: documented))
    }

    @Test func `Mutated requests are read or refused, and what is read does no harm`() throws {
        // In an order of their own the fields would make other inputs in each process.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let seeds = try [
            RoomRequest(.join(JoinRequest(room: "a", name: "b", uid: 3, attributes: ["k": "v"])), id: 1),
            RoomRequest(.resume(session: "00.1", epoch: 1, number: 2, count: 3), id: 2),
            RoomRequest(.want(Want(.shown(width: 320, height: 180), of: 3)), id: 3),
            RoomRequest(.data(count: 1, to: 3, text: "x"), id: 4), RoomRequest(.rights(3, .all), id: 5),
            RoomRequest(.alive(number: 1, count: 2), id: 6),
            RoomRequest(.publish(.video, mid: "1", isMuted: true), id: 7),
            RoomRequest(.chat(key: "k", text: "t", replyTo: 1, image: Self.image), id: 8),
            RoomRequest(.chat(.history(ChatPage(.before(9), limit: 5))), id: 9),
            RoomRequest(.chat(.report(1, .other, text: "t")), id: 10), RoomRequest(.chat(.edit(1, text: "u")), id: 11),
        ].map { Array(try encoder.encode($0)) }
        var settings = RoomSettings()
        (settings.requestRate, settings.joinRate) = (1_000_000, 1_000_000)
        let desk = Desk(settings)
        let decoder = JSONDecoder()
        var (anna, readCount) = (try desk.join(), 0)
        for input in MutatedInputs(of: seeds, count: isLongRun ? 100_000 : 5_000, using: SeededGenerator(seed: 5)) {
            if desk.closed.contains(anna.channel) { anna = try desk.join() }
            do {
                let request = try decoder.decode(RoomRequest.self, from: Data(input))
                readCount += 1
                desk.rooms.handle(request, from: anna.channel, at: desk.now)
            } catch {
                desk.rooms.handleMalformed("\(type(of: error))", from: anna.channel, at: desk.now)
            }
            desk.pump()
            desk.forgetMessages()
        }
        #expect(readCount > 100)
        #expect(desk.rooms.statistics.entryCount < 1_500)
    }
}
