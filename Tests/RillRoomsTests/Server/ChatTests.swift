import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("The chat of a room")
struct ChatTests {
    private let desk = Desk()
    private let anna: Guest
    private let ben: Guest

    init() throws {
        desk.grants = ["anna": RoomGrant(identity: "anna"), "ben": RoomGrant(identity: "ben")]
        anna = try desk.join(token: "anna", name: "Anna")
        ben = try desk.join(token: "ben", name: "Ben")
        _ = desk.take(anna.channel)
    }

    private func texts(_ channel: RoomChannelID) -> [String] {
        desk.events(channel).compactMap { if case .chat(let message) = $0 { message.content?.text } else { nil } }
    }

    @Test func `A message is in the log, and its sender answered, only once it is stored`() throws {
        desk.holdsStore = true
        let id = desk.ask(.chat(key: "k", text: "hello", replyTo: 1), on: anna.channel)
        #expect(desk.take(anna.channel) == [] && desk.take(ben.channel) == [])
        #expect(desk.tables.record(of: "lobby").lastNumber == 0)
        desk.now += .milliseconds(3)
        desk.answerStore()
        desk.pump()
        guard case .event(let event) = desk.take(ben.channel).first, case .chat(let message) = event.event else {
            throw TestFailure("no event")
        }
        #expect(message.number == 1 && message.author == "anna" && message.name == "Anna" && message.uid == anna.uid)
        #expect(message.key == "k" && message.content == .init(text: "hello") && message.replyTo == 1)
        #expect(message.time == 1_767_225_600_000 && event.time == message.time)
        #expect(desk.take(anna.channel) == [.event(event), .done(id, number: event.number, answer: nil, message: 1)])
        #expect(desk.tables.messages(in: "lobby", ChatPage(.before(nil), limit: 5)) == [message])
    }

    @Test func `The same key again gets the same answer, in flight, later, and of the next server`() throws {
        desk.holdsStore = true
        let ids = (0..<3).map { _ in desk.ask(.chat(key: "a", text: "hello"), on: anna.channel) }
        for _ in 0..<3 {
            desk.answerStore()
            desk.pass(.milliseconds(5))
        }
        let again = desk.ask(.chat(key: "a", text: "other"), on: anna.channel)
        let answers = desk.take(anna.channel)
        #expect(answers.contains(.done(ids[0], number: 3, answer: nil, message: 1)))
        for id in ids.dropFirst() + [again] {
            #expect(answers.contains(.done(id, number: nil, answer: nil, message: 1)))
        }
        #expect(texts(ben.channel) == ["hello"])
        let next = Desk(wallClockAtZero: 1_767_225_610_000)
        (next.tables, next.grants) = (desk.tables, desk.grants)
        let (back, rest) = try next.resume(anna)
        #expect(rest == [] && back.welcome.chat?.messages.map(\.number) == [1])
        let id = next.write("hello", key: "a", on: back.channel)
        #expect(next.take(back.channel) == [.done(id, number: nil, answer: nil, message: 1)])
        next.write("more", on: back.channel)
        #expect(next.tables.record(of: "lobby").lastNumber == 2)
    }

    @Test func `A store that fails is an error to each sender, nothing is half done, and it goes on`() throws {
        desk.storeError = .full
        let ids = ["1", "2"].map { desk.ask(.chat(key: $0, text: $0), on: anna.channel) }
        desk.pass(.milliseconds(5))
        #expect(desk.take(anna.channel) == ids.map { .error(.storeFailed, to: $0) })
        #expect(desk.take(ben.channel) == [])
        #expect(desk.rooms.statistics.storeFailures == 2 && RoomError.storeFailed.isTransient)
        desk.storeError = nil
        desk.write("2", on: anna.channel)
        desk.write("1", on: anna.channel)
        #expect(texts(ben.channel) == ["2", "1"])
        #expect(desk.tables.messages(in: "lobby", ChatPage(.before(nil), limit: 9)).map(\.number) == [1, 2])
    }

    @Test func `What gathers while the store writes is the next batch, and batches are 5 ms apart`() throws {
        desk.holdsStore = true
        for index in 0..<8 { desk.ask(.chat(key: "\(index)", text: "x"), on: anna.channel) }
        for index in 0..<8 { desk.ask(.chat(key: "\(index)", text: "x"), on: ben.channel) }
        #expect(desk.batches.map(\.changes.count) == [1])
        desk.answerStore()
        desk.pump()
        #expect(desk.batches.isEmpty)
        desk.pass(.milliseconds(4))
        #expect(desk.batches.isEmpty)
        desk.pass(.milliseconds(1))
        #expect(desk.batches.map(\.changes.count) == [15])
        desk.answerStore()
        desk.pass(.milliseconds(5))
        #expect(desk.rooms.statistics.chatMessages == 16)
    }

    @Test func `Row 37: Who joins gets the last 50, of a server that restarted too`() throws {
        for index in 1...60 {
            desk.pass(.milliseconds(50))
            desk.write("\(index)", on: anna.channel)
        }
        let state = try #require(try desk.join(name: "Carl").welcome.chat)
        #expect(state.messages.map(\.number) == Array(11...60) && state.lastNumber == 60)
        #expect(state.author.hasPrefix("guest:") && state.isEnabled && !state.isBlocked && state.blockedAuthors == nil)
        let next = Desk(wallClockAtZero: 1_767_225_700_000)
        next.tables = desk.tables
        #expect(try next.join(name: "Dora").welcome.chat?.messages == state.messages)
    }

    @Test func `A store that does not answer keeps nobody out for more than a second, and the chat follows`() throws {
        let desk = Desk()
        desk.holdsStore = true
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Anna")), on: channel)
        desk.pass(.milliseconds(999))
        #expect(desk.take(channel) == [])
        desk.pass(.milliseconds(1))
        let guest = try desk.guest(on: channel)
        #expect(guest.welcome.chat == nil && guest.welcome.snapshot?.participants.count == 1)
        #expect(desk.refusal(of: .chat(key: "1", text: "hello"), on: channel) == .storeFailed)
        desk.answerStore()
        desk.pump()
        guard case .chatState(let state) = desk.take(channel).first else { throw TestFailure("no chat") }
        #expect(state.lastNumber == 0)
        // One who was cut off meanwhile has it when it is back.
        #expect(try desk.resume(guest).rest.first == .chatState(state))
    }

    @Test func `A store that fails at first is asked again, and media wait for none`() throws {
        let desk = Desk()
        desk.storeError = .failed("disk")
        let first = try desk.join()
        #expect(first.welcome.chat == nil)
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "other", name: "Ben", offer: "v=0")), on: channel)
        desk.storeError = nil
        desk.holdsStore = true
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.first).1, at: desk.now)
        desk.pump()
        #expect(try desk.guest(on: channel).welcome.answer == "v=1")
        desk.holdsStore = false
        desk.answerStore()
        desk.pass(.seconds(2))
        guard case .chatState = desk.take(first.channel).first else { throw TestFailure("no chat") }
        #expect(desk.refusal(of: .chat(key: "1", text: "hello"), on: first.channel) == nil)
    }

    @Test func `What is asked for before the chat is there waits for it`() throws {
        let desk = Desk()
        desk.holdsStore = true
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Ben", offer: "v=0")), on: channel)
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.first).1, at: desk.now)
        desk.pump()
        _ = try desk.guest(on: channel)
        let id = desk.ask(.chat(key: "1", text: "hello"), on: channel)
        #expect(desk.take(channel) == [])
        desk.holdsStore = false
        desk.answerStore()
        desk.pump()
        #expect(desk.take(channel).last == .done(id, number: 2, answer: nil, message: 1))
    }

    @Test func `History is paged by number both ways, at most 100 at a time`() throws {
        var settings = RoomSettings()
        (settings.chatRate, settings.requestRate) = (1_000, 1_000)
        let desk = Desk(settings)
        let anna = try desk.join()
        for index in 1...250 { desk.ask(.chat(key: "\(index)", text: "\(index)"), on: anna.channel) }
        desk.pass(.milliseconds(5))
        func page(_ page: ChatPage) -> [Int]? {
            _ = desk.take(anna.channel)
            let id = desk.ask(.chat(.history(page)), on: anna.channel)
            for case .history(let messages, to: id) in desk.take(anna.channel) { return messages.map(\.number) }
            return nil
        }
        #expect(page(ChatPage(.before(nil), limit: 100)) == Array(151...250))
        #expect(page(ChatPage(.before(151), limit: 100)) == Array(51...150))
        #expect(page(ChatPage(.after(248), limit: 10)) == [249, 250])
        #expect(page(ChatPage(.after(.max), limit: 1)) == [] && page(ChatPage(.before(.min), limit: 1)) == [])
        for limit in [0, 101, -1, .max] {
            let refusal = desk.refusal(of: .chat(.history(ChatPage(.before(nil), limit: limit))), on: anna.channel)
            #expect(refusal == .tooLarge(field: "limit", limit: 100))
        }
        desk.pass(.seconds(1))
        for _ in 0..<20 { #expect(page(ChatPage(.before(nil), limit: 1)) == [250]) }
        let many = desk.refusal(of: .chat(.history(ChatPage(.before(nil), limit: 1))), on: anna.channel)
        #expect(many?.code == .tooFast)
    }

    @Test func `A page that is read while a message is edited has the edit`() throws {
        desk.write("one", on: anna.channel)
        desk.write("two", on: anna.channel)
        _ = desk.take(ben.channel)
        desk.holdsStore = true
        let id = desk.ask(.chat(.history(ChatPage(.before(nil), limit: 5))), on: ben.channel)
        let read = try #require(desk.reads.first)
        let former = desk.tables.perform(read.read)
        desk.ask(.chat(.edit(1, text: "won")), on: anna.channel)
        desk.ask(.chat(.delete(2)), on: anna.channel)
        let work = desk.batches[0].work
        desk.rooms.stored(try desk.tables.write(desk.batches[0].changes), for: work, at: desk.now)
        desk.pass(.milliseconds(5))
        desk.rooms.stored(try desk.tables.write(desk.batches[1].changes), for: desk.batches[1].work, at: desk.now)
        desk.rooms.read(former, for: read.work, at: desk.now)
        desk.pump()
        let messages = desk.take(ben.channel)
        #expect(messages.count == 3)
        guard case .history(let page, to: id) = messages.last else { throw TestFailure("\(messages)") }
        #expect(page == desk.tables.messages(in: "lobby", ChatPage(.before(nil), limit: 5)))
        #expect(page.map(\.content?.text) == ["won", nil])
    }

    @Test func `Row 42: Two rooms have nothing of each other`() throws {
        let other = try desk.join("other", name: "Otto")
        desk.write("here", on: anna.channel)
        desk.write("there", on: other.channel)
        #expect(texts(other.channel) == ["there"] && texts(ben.channel) == ["here"])
        #expect(desk.refusal(of: .chat(.edit(2, text: "x")), on: other.channel) == .unknownMessage(2))
        #expect(try desk.join("other").welcome.chat?.messages.map(\.number) == [1])
    }

    @Test func `A closed room leaves nothing but its numbers to the next one of its name`() throws {
        desk.grants?["host"] = RoomGrant(identity: "host", role: .host)
        let host = try desk.join(token: "host")
        desk.write("secret", on: anna.channel)
        desk.holdsStore = true
        desk.ask(.close, on: host.channel)
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Carl")), on: channel)
        // It is not read before the store has forgotten the former one.
        #expect(desk.reads.isEmpty)
        desk.pass(.milliseconds(5))
        #expect(desk.batches.map(\.changes.count) == [1] && desk.reads.isEmpty)
        desk.holdsStore = false
        desk.answerStore()
        desk.pass(.milliseconds(5))
        let carl = try desk.guest(on: channel)
        #expect(carl.welcome.chat?.messages == [] && carl.welcome.chat?.lastNumber == 1)
        desk.write("new", on: carl.channel)
        #expect(desk.tables.record(of: "lobby").lastNumber == 2)
    }

    @Test func `Who floods is limited and told, and others are not harmed`() throws {
        var (told, stored) = (0, 0)
        for step in 0..<2_000 {
            for index in 0..<5 { desk.ask(.chat(key: "\(step) \(index)", text: "flood"), on: anna.channel) }
            if step % 100 == 0 { desk.ask(.chat(key: "\(step)", text: "calm"), on: ben.channel) }
            desk.pass(.microseconds(500))
            for message in desk.take(anna.channel) {
                if case .error(let error, to: _) = message, error.code == .tooFast { told += 1 }
                if case .done = message { stored += 1 }
            }
        }
        desk.pass(.milliseconds(5))
        // A second's worth that was saved up, and a second's worth.
        #expect((38...42).contains(stored), "\(stored)")
        #expect(told + stored == 10_000)
        var latest = 0
        for case .done(_, number: _, answer: _, let message) in desk.take(ben.channel) {
            latest += 1
            #expect(message != nil)
        }
        #expect(latest == 20)
        #expect(desk.rooms.statistics.storeBatches <= 201)
    }
}
