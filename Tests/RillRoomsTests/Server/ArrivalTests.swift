import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("Who comes in")
struct ArrivalTests {
    private let desk = Desk()

    @Test func `An offer is answered before others see its member, and the answer comes with the snapshot`() throws {
        let anna = try desk.join(name: "Anna")
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Ben", offer: "v=0")), on: channel)
        #expect(desk.take(channel) == [] && desk.events(anna.channel) == [])
        let (offer, negotiation) = try #require(desk.negotiations.first)
        #expect(offer == "v=0" && !negotiation.hasMedia)
        desk.rooms.answer("v=1", to: negotiation, at: desk.now)
        desk.pump()
        let ben = try desk.guest(on: channel)
        #expect(ben.welcome.answer == "v=1" && ben.welcome.hasMedia)
        #expect(ben.welcome.snapshot?.participants.map(\.name) == ["Anna", "Ben"])
        #expect(desk.events(anna.channel).count == 1)
    }

    @Test func `Media that were made for somebody who is gone end`() throws {
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Ben", offer: "v=0")), on: channel)
        desk.rooms.closed(channel, at: desk.now)
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.first).1, at: desk.now)
        desk.pump()
        #expect(desk.takeMedia() == [.end])
        #expect(desk.rooms.names == [])
        #expect(desk.rooms.statistics.entryCount == 1)  // what was a pending channel, until the next is opened
    }

    @Test func `An offer that is refused, or not answered in time, lets nobody in, and it may try again`() throws {
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", name: "Ben", offer: "bad")), on: channel)
        desk.rooms.refuse(.descriptionRefused("no video"), for: try #require(desk.negotiations.first).1, at: desk.now)
        desk.pump()
        #expect(desk.take(channel) == [.error(.descriptionRefused("no video"), to: 1)])
        desk.pass(.seconds(1))
        desk.ask(.join(JoinRequest(room: "lobby", name: "Ben", offer: "v=0")), on: channel)
        desk.pass(.seconds(9))
        #expect(desk.take(channel) == [.bye(.idle)])
        #expect(desk.rooms.names == [])
    }

    @Test func `ICE restarts and later offers are answered in place`() throws {
        let anna = try desk.join()
        let id = desk.ask(.negotiate(offer: "v=0"), on: anna.channel)
        #expect(desk.refusal(of: .negotiate(offer: "v=0"), on: anna.channel)?.code == .tooFast)
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.last).1, at: desk.now)
        desk.pump()
        #expect(desk.take(anna.channel) == [.done(id, number: nil, answer: "v=1")])
        desk.ask(.negotiate(offer: "v=2"), on: anna.channel)
        #expect(desk.negotiations.last?.1.hasMedia == true)
        #expect(desk.events(anna.channel) == [])
    }

    @Test func `What was published and wanted before there were media counts once they are there`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.ask(.publish(.video, mid: "3", isMuted: true), on: ben.channel)
        desk.ask(.publish(.sound, mid: "4", isMuted: false), on: anna.channel)
        for want in [Want(.low, of: ben.uid), Want(.high, of: ben.uid, .sound), Want(.low, of: 99)] {
            desk.ask(.want(want), on: anna.channel)
        }
        desk.ask(.negotiate(offer: "v=0"), on: anna.channel)
        _ = desk.takeMedia()
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.last).1, at: desk.now)
        desk.pump()
        #expect(desk.media.map(\.member.uid) == [anna.uid, anna.uid])
        #expect(
            desk.takeMedia() == [.publish(.sound, mid: "4", isMuted: false), .want(Want(.low, of: ben.uid))])
        desk.ask(.negotiate(offer: "v=0"), on: ben.channel)
        desk.rooms.answer("v=1", to: try #require(desk.negotiations.last).1, at: desk.now)
        desk.pump()
        #expect(desk.takeMedia() == [.publish(.video, mid: "3", isMuted: true)])
    }

    @Test func `Tokens decide who it is, and the most that it may`() throws {
        desk.grants = [
            "viewer": RoomGrant(identity: "v", name: "Vera", role: .viewer),
            "mute": RoomGrant(identity: "m", role: .speaker, rights: [.subscribe, .video]),
            "over": RoomGrant(expires: 1_767_225_600),
        ]
        let channel = desk.open()
        let wish = JoinRequest(room: "lobby", token: "viewer", name: "Other", role: .host)
        desk.ask(.join(wish), on: channel)
        let vera = try #require(try desk.guest(on: channel).welcome.snapshot?.participants.first)
        #expect(vera.name == "Vera" && vera.identity == "v")
        #expect(vera.role == .viewer && vera.rights == [.subscribe, .chat])
        let mute = try desk.join(token: "mute")
        #expect(mute.welcome.snapshot?[mute.uid]?.rights == [.subscribe, .video])
        #expect(desk.refusal(of: .publish(.sound, mid: nil, isMuted: false), on: mute.channel) == .notAllowed(.sound))
        let join = { (token: String) in RoomCommand.join(JoinRequest(room: "lobby", token: token, name: "X")) }
        #expect(desk.refusal(of: join("wrong"), on: desk.open()) == .unauthorized)
        #expect(desk.refusal(of: join("over"), on: desk.open()) == .unauthorized)
    }

    @Test func `A token is renewed for the same identity only, and then counts`() throws {
        desk.grants = ["a": RoomGrant(identity: "a", expires: 1_767_225_605), "b": RoomGrant(identity: "b")]
        let anna = try desk.join(token: "a")
        #expect(desk.refusal(of: .renew(token: "b"), on: anna.channel) == .unauthorized)
        #expect(desk.refusal(of: .renew(token: "c"), on: anna.channel) == .unauthorized)
        desk.grants = ["a": RoomGrant(identity: "a", expires: 1_767_225_620)]
        #expect(desk.refusal(of: .renew(token: "a"), on: anna.channel) == nil)
        desk.pass(.milliseconds(19_999), alive: [anna.channel])
        #expect(desk.take(anna.channel) == [])
        desk.pass(.milliseconds(1))
        #expect(desk.take(anna.channel) == [.bye(.expired)])
    }

    @Test func `A number can be asked for, unless somebody has it`() throws {
        let anna = try desk.join(uid: 7)
        #expect(anna.uid == 7)
        let other = RoomCommand.join(JoinRequest(room: "lobby", name: "Ben", uid: 7))
        #expect(desk.refusal(of: other, on: desk.open()) == .uidTaken(7))
        // Nor is it free while its owner may come back.
        desk.pass(.seconds(20))
        #expect(desk.refusal(of: other, on: desk.open()) == .uidTaken(7))
        #expect(try desk.join(uid: 0).uid != 0)
    }

    @Test func `Nothing but join and resume comes first, and neither comes twice`() throws {
        let channel = desk.open()
        #expect(desk.refusal(of: .chat(key: "1", text: "hello"), on: channel) == .notJoined)
        let anna = try desk.join()
        let join = RoomCommand.join(JoinRequest(room: "lobby", name: "Anna"))
        #expect(desk.refusal(of: join, on: anna.channel) == .alreadyJoined)
    }

    @Test func `Limits of rooms, members, channels, joins and sizes`() throws {
        var settings = RoomSettings()
        (settings.roomLimit, settings.memberLimit, settings.pendingLimit, settings.joinRate) = (2, 2, 3, 12)
        let desk = Desk(settings)
        let join = { (room: String) in RoomCommand.join(JoinRequest(room: room, name: "X")) }
        let anna = try desk.join("a")
        _ = try desk.join("a")
        #expect(desk.refusal(of: join("a"), on: desk.open()) == .roomFull(limit: 2))
        _ = try desk.join("b")
        #expect(desk.refusal(of: join("c"), on: desk.open()) == .tooManyRooms(limit: 2))
        // A place is free again, also while who had it may come back: who is there counts.
        desk.ask(.leave, on: anna.channel)
        _ = try desk.join("a")
        let long = String(repeating: "x", count: 300)
        #expect(desk.refusal(of: join(long), on: desk.open()) == .tooLarge(field: "room", limit: 128))
        let named = RoomCommand.join(JoinRequest(room: "a", name: long))
        #expect(desk.refusal(of: named, on: desk.open()) == .tooLarge(field: "name", limit: 256))
        // Of those that have not joined the oldest goes.
        let channels = (0..<5).map { _ in desk.open() }
        desk.pump()
        #expect(channels.map(desk.closed.contains) == [true, true, false, false, false])
        desk.pass(.milliseconds(0))
        for _ in 0..<6 { _ = desk.refusal(of: join("a"), on: channels[4]) }
        #expect(desk.refusal(of: join("a"), on: channels[4])?.code == .tooFast)
        #expect(desk.rooms.statistics.refusals[.tooFast] == 1)
        desk.pass(.seconds(10))
        #expect(desk.closed.contains(channels[4]))
    }

    @Test func `A token, an identity and an address have so many sessions in all rooms, and others come in`() throws {
        var settings = RoomSettings()
        (settings.sessionsPerToken, settings.sessionsPerAddress) = (2, 3)
        let desk = Desk(settings)
        desk.grants = ["anna": RoomGrant(identity: "anna"), "guest": RoomGrant()]
        desk.grants?["guest"]?.token = "guest"
        let refused = RoomError.tooManySessions(limit: 2)
        func join(_ room: String, _ token: String?, from address: String? = nil) -> RoomCommand {
            .join(JoinRequest(room: room, token: token, name: "X"))
        }
        // The same identity, in three rooms; in one of them a newer session takes the place of the older.
        for room in ["a", "b"] { _ = try desk.join(room, token: "anna") }
        #expect(desk.refusal(of: join("c", "anna"), on: desk.open()) == refused)
        let again = try desk.join("b", token: "anna")
        desk.ask(.leave, on: again.channel)
        _ = try desk.join("c", token: "anna")
        // Guests with one token.
        let guests = try (0..<2).map { _ in try desk.join("a", token: "guest") }
        #expect(desk.refusal(of: join("a", "guest"), on: desk.open()) == refused)
        _ = try desk.join("a")
        // Who is dropped has no place any more, and counts again when it comes back.
        desk.pass(.seconds(16))
        let later = try (0..<2).map { _ in try desk.join("a", token: "guest") }
        #expect(desk.refusal(of: resumption(of: guests[0]), on: desk.open()) == refused)
        desk.ask(.leave, on: later[0].channel)
        #expect(try desk.resume(guests[0]).guest.uid == guests[0].uid)
        // An address.
        let places = (0..<4).map { _ in desk.rooms.open(from: "192.0.2.1", at: desk.now) }
        #expect(places.map { desk.refusal(of: join("d", nil), on: $0) } == [nil, nil, nil, .tooManySessions(limit: 3)])
        let other = desk.rooms.open(from: "192.0.2.2", at: desk.now)
        #expect(desk.refusal(of: join("d", nil), on: other) == nil)
        #expect(desk.rooms.statistics.refusals == [.tooManySessions: 4])
        // Nothing is left of those who are gone.
        for channel in places + [other] { desk.ask(.leave, on: channel) }
        desk.pass(.seconds(80))
        desk.rooms.closed(desk.open(), at: desk.now)
        desk.pump()
        #expect(desk.rooms.names == [] && desk.rooms.statistics.entryCount <= 1)
    }

    private func resumption(of guest: Guest) -> RoomCommand {
        .resume(session: guest.welcome.session, epoch: guest.welcome.epoch, number: guest.welcome.number, count: 0)
    }

    @Test func `A server that stops tells everybody to come back, and lets nobody in`() throws {
        let anna = try desk.join()
        let channel = desk.open()
        desk.rooms.drain(at: desk.now)
        desk.pump()
        #expect(desk.take(anna.channel) == [.bye(.draining)] && desk.take(channel) == [.bye(.draining)])
        #expect(desk.refusal(of: .join(JoinRequest(room: "x", name: "X")), on: desk.open()) == .draining)
    }
}
