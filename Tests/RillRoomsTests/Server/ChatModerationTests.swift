import RillCore
import RillRooms
import RillTestSupport
import Testing

/// Rows of the list of apps are named where a test stands for them.
@Suite("The chat's rules, marks and moderation")
struct ChatModerationTests {
    private let desk = Desk()
    private let host: Guest
    private let anna: Guest
    private let ben: Guest

    init() throws {
        desk.grants = [
            "host": RoomGrant(identity: "host", role: .host), "anna": RoomGrant(identity: "anna"),
            "ben": RoomGrant(identity: "ben"),
        ]
        host = try desk.join(token: "host", name: "Hanna")
        anna = try desk.join(token: "anna", name: "Anna")
        ben = try desk.join(token: "ben", name: "Ben")
        forget()
    }

    private func forget() { for guest in [host, anna, ben] { _ = desk.take(guest.channel) } }

    private func refusal(_ command: ChatCommand, _ guest: Guest) -> RoomError? {
        desk.refusal(of: .chat(command), on: guest.channel)
    }

    @Test func `Row 39: a host turns the chat off and on, all see it at once, and nobody writes meanwhile`() throws {
        #expect(refusal(.setEnabled(false), anna) == .notAllowed(.moderate))
        desk.write("before", on: anna.channel)
        forget()
        // In the same batch: what comes after it is refused though nothing is stored yet.
        desk.holdsStore = true
        desk.ask(.chat(.setEnabled(false)), on: host.channel)
        #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), ben) == .chatDisabled)
        desk.holdsStore = false
        desk.answerStore()
        desk.pump()
        #expect(desk.events(anna.channel) == [.chatChanged(isEnabled: false)])
        for command: ChatCommand in [.edit(1, text: "x"), .typing] { #expect(refusal(command, anna) == .chatDisabled) }
        #expect(try desk.join(name: "Carl").welcome.chat?.isEnabled == false)
        #expect(desk.tables.record(of: "lobby").isEnabled == false)
        desk.ask(.chat(.setEnabled(true)), on: host.channel)
        desk.pass(.milliseconds(5))
        #expect(desk.events(anna.channel).last == .chatChanged(isEnabled: true))
        #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), ben) == nil)
        // A change that could not be stored is none.
        desk.storeError = .full
        #expect(refusal(.setEnabled(false), host) == .storeFailed)
        desk.storeError = nil
        #expect(refusal(.write(key: "2", text: "x", replyTo: nil, image: nil), ben) == nil)
    }

    @Test func `Row 41: a blocked author is told so, others see nothing, and later it may write again`() throws {
        #expect(refusal(.block("ben", true), anna) == .notAllowed(.moderate))
        desk.write("first", on: ben.channel)
        forget()
        desk.ask(.chat(.block("ben", true)), on: host.channel)
        desk.pass(.milliseconds(5))
        #expect(desk.take(ben.channel) == [.blocked("ben", true)])
        #expect(desk.take(host.channel).first == .blocked("ben", true))
        #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), ben) == .blocked)
        #expect(refusal(.edit(1, text: "x"), ben) == .blocked)
        // What was stored before is still stored.
        #expect(refusal(.write(key: "first", text: "first", replyTo: nil, image: nil), ben) == nil)
        #expect(desk.take(anna.channel) == [])
        let again = try desk.join(token: "ben")
        #expect(again.welcome.chat?.isBlocked == true)
        #expect(try desk.join(token: "host").welcome.chat?.blockedAuthors == ["ben"])
        let hosts = try desk.join(token: "host")
        desk.ask(.chat(.block("ben", false)), on: hosts.channel)
        desk.pass(.milliseconds(5))
        #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), again) == nil)
    }

    @Test(arguments: ChatReport.Reason.allCases)
    func `Rows 45 and 46: a report reaches the hosts with its message, once`(_ reason: ChatReport.Reason) throws {
        desk.write("bad", on: ben.channel)
        forget()
        for _ in 0..<2 { #expect(refusal(.report(1, reason, text: "why"), anna) == nil) }
        let reports = desk.take(host.channel)
        guard reports.count == 1, case .report(let reported) = reports[0] else { throw TestFailure("\(reports)") }
        #expect(reported.report == ChatReport(of: 1, by: "anna", reason, text: "why"))
        #expect(reported.message?.content?.text == "bad")
        #expect(desk.take(ben.channel) == [])
        let id = desk.ask(.chat(.reports), on: host.channel)
        #expect(desk.take(host.channel) == [.reports([reported], to: id)])
        #expect(refusal(.reports, anna) == .notAllowed(.moderate))
        #expect(refusal(.report(9, reason, text: ""), anna) == .unknownMessage(9))
        #expect(refusal(.report(1, reason, text: ""), ben)?.code == .malformed)
        let long = String(repeating: "x", count: 256)
        #expect(refusal(.report(1, reason, text: long), host) == .tooLarge(field: "text", limit: 255))
        #expect(refusal(.report(1, reason, text: String(long.dropLast())), host) == nil)
    }

    @Test func `A report of a message that is no more among the last comes with it, as it is by then`() throws {
        for index in 1...60 {
            desk.pass(.milliseconds(50))
            desk.write("\(index)", on: ben.channel)
        }
        forget()
        func reported() throws -> ReportedMessage {
            let messages = desk.take(host.channel)
            guard case .report(let reported) = messages.last else { throw TestFailure("\(messages)") }
            return reported
        }
        #expect(refusal(.report(3, .bullying, text: "why"), anna) == nil)
        #expect(try reported().message?.content?.text == "3")
        // It is deleted while its report is on the way: the hosts see that there was one.
        #expect(refusal(.delete(4), ben) == nil && refusal(.report(4, .other, text: ""), anna) == .unknownMessage(4))
        #expect(refusal(.report(5, .other, text: ""), anna) == nil)
        #expect(try reported().message?.content?.text == "5")
        #expect(refusal(.delete(5), ben) == nil)
        _ = desk.take(host.channel)
        let id = desk.ask(.chat(.reports), on: host.channel)
        guard case .reports(let list, to: id) = desk.take(host.channel).last else { throw TestFailure("no list") }
        #expect(list.map(\.report.message) == [5, 3] && list.map { $0.message?.content?.text } == [nil, "3"])
    }

    @Test func `A block that waits for the store outlives changes before it that the store refuses`() throws {
        desk.holdsStore = true
        desk.write("first", on: anna.channel)
        desk.pass(.milliseconds(5))
        // The first batch is with the store.
        desk.ask(.chat(.block("ben", true)), on: host.channel)
        desk.ask(.chat(.setEnabled(false)), on: host.channel)
        desk.rooms.storeFailed(.full, for: desk.batches[0].work, at: desk.now)
        desk.pump()
        for _ in 0..<2 {
            #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), ben) == .blocked)
            #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), anna) == .chatDisabled)
            desk.holdsStore = false
            desk.answerStore()
            desk.pass(.milliseconds(5))
        }
    }

    @Test func `Authors edit and delete for 15 minutes, hosts at any time, others never`() throws {
        for text in ["1", "2", "3"] { desk.write(text, on: anna.channel) }
        forget()
        #expect(refusal(.edit(1, text: "x"), ben) == .unknownMessage(1))
        #expect(refusal(.delete(1), ben) == .unknownMessage(1))
        #expect(refusal(.edit(1, text: " "), anna)?.code == .malformed)
        #expect(refusal(.edit(1, text: "one"), anna) == nil && refusal(.delete(2), anna) == nil)
        #expect(refusal(.delete(2), anna) == nil)
        #expect(refusal(.edit(2, text: "x"), anna) == .unknownMessage(2))
        let events = desk.events(ben.channel)
        let edited = try #require(desk.tables.messages(in: "lobby", ChatPage(.before(2), limit: 1)).first)
        #expect(events == [.chatEdited(1, text: "one", edited: edited.edited ?? 0), .chatDeleted(2)])
        #expect(edited.content?.text == "one")
        #expect(try desk.join(name: "Carl").welcome.chat?.messages.map(\.content?.text) == ["one", nil, "3"])
        desk.pass(.seconds(901), alive: [host.channel, anna.channel, ben.channel])
        #expect(refusal(.edit(3, text: "x"), anna) == .tooOld(limit: 900))
        #expect(refusal(.delete(3), anna) == .tooOld(limit: 900))
        #expect(refusal(.edit(3, text: "by the host"), host) == nil && refusal(.delete(1), host) == nil)
        #expect(
            desk.tables.messages(in: "lobby", ChatPage(.after(0), limit: 9)).map(\.content?.text) == [
                nil, nil, "by the host",
            ])
    }

    @Test func `Row 66: delivered and read are what others say, and survive the server`() throws {
        for text in ["1", "2"] { desk.write(text, on: anna.channel) }
        forget()
        func say(_ number: Int, _ guest: Guest) {
            desk.ask(.alive(number: 0, count: 0, message: number), on: guest.channel)
            desk.pass(.milliseconds(5))
        }
        say(2, anna)
        #expect(desk.take(anna.channel) == [])
        say(1, ben)
        #expect(desk.take(anna.channel) == [.marks(ChatMarks(received: 1))])
        say(1, host)
        say(99, ben)
        #expect(desk.take(anna.channel) == [.marks(ChatMarks(received: 2))])
        #expect(refusal(.read(1), ben) == nil)
        #expect(desk.take(anna.channel) == [.marks(ChatMarks(received: 2, read: 1))])
        #expect(refusal(.read(2), anna) == nil && desk.take(anna.channel) == [])
        // Ben wrote nothing, and is told nothing.
        #expect(desk.take(ben.channel) == [])
        let next = Desk(wallClockAtZero: 1_767_226_600_000)
        (next.tables, next.grants) = (desk.tables, desk.grants)
        let state = try #require(try next.join(token: "anna").welcome.chat)
        #expect(state.marks == ChatMarks(received: 2, read: 1) && state.mark == 2)
        #expect(try next.join(token: "ben").welcome.chat?.mark == 1)
    }

    @Test func `Who comes back is told what became of its messages meanwhile`() throws {
        desk.write("1", on: anna.channel)
        forget()
        desk.rooms.closed(anna.channel, at: desk.now)
        desk.ask(.alive(number: 0, count: 0, message: 1), on: ben.channel)
        let (_, rest) = try desk.resume(anna)
        #expect(rest.last == .marks(ChatMarks(received: 1)))
    }

    @Test func `Typing is seen by others, is not kept, and is limited`() throws {
        for _ in 0..<2 { #expect(refusal(.typing, anna) == nil) }
        #expect(refusal(.typing, anna)?.code == .tooFast)
        #expect(desk.take(ben.channel) == [.typing(anna.uid), .typing(anna.uid)])
        #expect(desk.take(anna.channel) == [])
        #expect(try desk.resume(ben).rest == [])
    }

    @Test func `Rows 28, 29 and 40: texts of any script, whole characters, and nothing that cannot be seen`() throws {
        let family = "\u{1F468}\u{1F3FD}\u{200D}\u{1F469}\u{1F3FF}\u{200D}\u{1F467}\u{200D}\u{1F466}"
        let good = [
            "x", "\u{202E}abc", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}\u{200F}", "a\u{200D}b", "line\nline\ttab", "<b>bold</b>",
            "&amp;",
            String(repeating: family, count: 255), String(repeating: "e\u{301}", count: 255), "\u{1F1E9}\u{1F1EA}",
            String(repeating: "\u{FDFA}", count: 255),
        ]
        for (index, text) in good.enumerated() {
            desk.pass(.milliseconds(100))
            desk.write(text, key: "\(index)", on: anna.channel)
            guard case .chat(let message) = desk.events(ben.channel).first else {
                throw TestFailure("\(text.prefix(9))")
            }
            // Not a code point is lost.
            #expect(Array((message.content?.text ?? "").unicodeScalars) == Array(text.unicodeScalars))
        }
        func refused(_ text: String) -> RoomError? {
            desk.pass(.milliseconds(100))
            return refusal(.write(key: "refused", text: text, replyTo: nil, image: nil), anna)
        }
        for text in [
            "", " ", "\n\t ", "\u{3000}", "\u{200B}", "\u{202E} \u{200D}", "\u{3164}", "\u{FEFF}", "a\u{0}b",
            "a\u{1B}[31m", "a\rb", "a\u{85}b", "a\u{7F}",
        ] {
            #expect(refused(text)?.code == .malformed, "\(text.debugDescription)")
        }
        #expect(refused(String(repeating: family, count: 256)) == .tooLarge(field: "text", limit: 255))
        #expect(refused(String(repeating: "x", count: 256)) == .tooLarge(field: "text", limit: 255))
        #expect(refused("x" + String(repeating: "\u{301}", count: 32))?.code == .malformed)
        let tower = "x" + String(repeating: "\u{301}", count: 500_000)
        #expect(refused(tower) == .tooLarge(field: "text", limit: 16_384))
        #expect(desk.take(ben.channel) == [])
        // What a client makes of such texts passes.
        #expect(ChatText.clean("a\r\nb\rc\u{0}\n") == "a\nb\nc\n")
        #expect(ChatText.clean(String(repeating: family, count: 300)) == String(repeating: family, count: 255))
        #expect(ChatText.clean(tower + "yz") == "yz")
        #expect(ChatText.clean(String(repeating: "x", count: 300)).count == 255)
    }

    @Test func `Row 70: an image goes by its hash, if the server has it`() throws {
        let image = ChatImage(
            hash: String(repeating: "ab", count: 32), .jpeg, width: 400, height: 300, byteCount: 20_000)
        let write = ChatCommand.write(key: "1", text: "", replyTo: nil, image: image)
        #expect(refusal(write, anna)?.code == .imageRefused)
        try desk.tables.add(image)
        #expect(refusal(write, anna) == nil)
        guard case .chat(let message) = desk.events(ben.channel).first else { throw TestFailure("no message") }
        #expect(message.content == .init(text: "", image: image))
        var other = image
        other.hash = "short"
        #expect(refusal(.write(key: "2", text: "", replyTo: nil, image: other), anna)?.code == .malformed)
    }

    @Test func `Who may not chat writes nothing, and reads all`() throws {
        desk.ask(.rights(ben.uid, [.subscribe]), on: host.channel)
        desk.write("hello", on: anna.channel)
        #expect(desk.events(ben.channel).count == 2)
        #expect(refusal(.write(key: "1", text: "x", replyTo: nil, image: nil), ben) == .notAllowed(.chat))
        #expect(refusal(.delete(1), ben) == .notAllowed(.chat) && refusal(.typing, ben) == .notAllowed(.chat))
        #expect(refusal(.history(ChatPage(.before(nil), limit: 5)), ben) == nil)
        #expect(refusal(.write(key: "", text: "x", replyTo: nil, image: nil), anna)?.code == .malformed)
        #expect(refusal(.write(key: "1", text: "x", replyTo: 9, image: nil), anna) == .unknownMessage(9))
    }

    @Test func `Row 47: who leaves, and all when the room is closed, are told nothing more`() throws {
        desk.ask(.leave, on: ben.channel)
        #expect(desk.take(ben.channel) == [.bye(.left)] && desk.closed.contains(ben.channel))
        desk.write("after", on: anna.channel)
        #expect(desk.take(ben.channel) == [] && desk.events(anna.channel).count == 2)
        desk.ask(.close, on: host.channel)
        #expect(desk.take(anna.channel).last == .bye(.closed))
        #expect(desk.closed.isSuperset(of: [anna.channel, host.channel]))
        desk.write("later", on: anna.channel)
        #expect(desk.take(anna.channel) == [])
    }
}
