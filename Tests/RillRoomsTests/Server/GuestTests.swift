import RillCore
import RillTestSupport
import Testing

@testable import RillRooms

@Suite("Guests who join again")
struct GuestTests {
    private let desk = Desk()
    private let ben: Guest
    private let anna: Guest

    init() throws {
        desk.grants = ["ben": RoomGrant(identity: "ben", role: .host), "anna": RoomGrant(identity: "anna")]
        ben = try desk.join(token: "ben", name: "Ben")
        anna = try desk.join(name: "Anna")
        _ = desk.take(ben.channel)
    }

    /// Joins with a session of before.
    private func join(_ session: String?, token: String? = nil, _ room: String = "lobby") throws -> Guest {
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: room, token: token, session: session, name: "Anna")), on: channel)
        return try desk.guest(on: channel)
    }

    private func author(_ guest: Guest) -> String { guest.welcome.chat?.author ?? "" }

    @Test func `A guest who joins again is the same author, in the place of the session before`() throws {
        // Stored, and the answer is lost with the page.
        desk.write("one", key: "k", on: anna.channel)
        desk.rooms.closed(anna.channel, at: desk.now)
        _ = desk.take(ben.channel)
        let again = try join(anna.welcome.session)
        #expect(author(again) == author(anna) && again.uid == anna.uid)
        let events = desk.events(ben.channel)
        #expect(events.first == .offline(anna.uid, .replaced) && events.count == 2)
        guard case .joined(let participant) = events.last else { throw TestFailure("\(events)") }
        #expect(participant.author == author(anna) && participant.session > (participant.guest ?? .max))
        // What is repeated is not there twice, and is her own.
        let id = desk.write("one", key: "k", on: again.channel)
        #expect(desk.take(again.channel).contains(.done(id, number: nil, answer: nil, message: 1)))
        desk.ask(.alive(number: 0, count: 0, message: 1), on: again.channel)
        #expect(desk.refusal(of: .chat(.edit(1, text: "two")), on: again.channel) == nil)
        #expect(desk.tables.messages(in: "lobby", ChatPage(.before(nil), limit: 9)).map(\.content?.text) == ["two"])
        // She is nobody else who has received it.
        #expect(desk.tables.record(of: "lobby").received == [author(anna): 1])
        #expect(try join(again.welcome.session).welcome.chat?.marks == ChatMarks())
        // The first session does not come back.
        let resumption = RoomCommand.resume(
            session: anna.welcome.session, epoch: anna.welcome.epoch, number: 1, count: 0)
        #expect(desk.refusal(of: resumption, on: desk.open()) == .replaced)
    }

    @Test func `It is the same author after any number of times, a leave, a removal, and of the next server`() throws {
        var last = anna
        for _ in 0..<3 { last = try join(last.welcome.session) }
        #expect(author(last) == author(anna) && last.uid == anna.uid)
        #expect(desk.rooms.state(of: "lobby")?.participants.count == 2)
        // Blocked stays blocked.
        desk.ask(.chat(.block(author(anna), true)), on: ben.channel)
        desk.pass(.milliseconds(5))
        desk.ask(.leave, on: last.channel)
        last = try join(last.welcome.session)
        #expect(author(last) == author(anna) && last.welcome.chat?.isBlocked == true)
        desk.ask(.remove(last.uid), on: ben.channel)
        last = try join(last.welcome.session)
        #expect(author(last) == author(anna))
        let next = Desk(wallClockAtZero: 1_767_326_600_000)
        (next.tables, next.grants) = (desk.tables, desk.grants)
        let channel = next.open()
        next.ask(.join(JoinRequest(room: "lobby", session: last.welcome.session, name: "Anna")), on: channel)
        let there = try next.guest(on: channel)
        #expect(there.welcome.chat?.author == author(anna) && there.welcome.chat?.isBlocked == true)
        // And her session comes back there as it does elsewhere.
        next.rooms.closed(channel, at: next.now)
        #expect(try next.resume(there).guest.uid == there.uid)
    }

    @Test func `No token makes its bearer the author that a guest is`() throws {
        desk.grants?["false"] = RoomGrant(identity: author(anna))
        let channel = desk.open()
        let request = desk.ask(.join(JoinRequest(room: "lobby", token: "false", name: "Anna")), on: channel)
        #expect(desk.take(channel) == [.error(.unauthorized, to: request)])
        desk.grants?["true"] = RoomGrant(identity: "guest")
        #expect(author(try desk.join(token: "true")) == "guest")
    }

    @Test func `A session of another room, of an identity, or of nobody makes a new guest, and identities stay`() throws
    {
        let other = try join(nil, "other")
        for session in [other.welcome.session, ben.welcome.session, "", "00.1", anna.welcome.session + "0"] {
            let guest = try join(session)
            #expect(
                author(guest).hasPrefix("guest:") && author(guest) != author(anna) && author(guest) != author(other))
            desk.ask(.leave, on: guest.channel)
        }
        // A guest's session makes nobody with an identity a guest.
        #expect(author(try join(anna.welcome.session, token: "anna")) == "anna")
        #expect(desk.rooms.state(of: "lobby")?.participants.contains { $0.uid == anna.uid } == true)
        let long = String(repeating: "0", count: 8 * 8192 + 1)
        let command = RoomCommand.join(JoinRequest(room: "lobby", session: long, name: "A"))
        #expect(desk.refusal(of: command, on: desk.open()) == .tooLarge(field: "session", limit: 8 * 8192))
    }

    @Test func `A session token of the version before is read`() {
        var claims = SessionClaims(
            room: "lobby", epoch: 1, session: 2, uid: 3, identity: nil, guest: 1, name: "A", avatar: nil,
            role: .speaker,
            rights: .all, grantedRole: .host, attributes: ["k": "v"], expires: 9)
        #expect(SessionClaims(claims.bytes) == claims && claims.person == .guest(1))
        claims.guest = nil
        #expect(SessionClaims(claims.bytes) == claims && claims.person == .guest(2))
        // Version 1 had one number less: 8 bytes before the 26 of the attributes.
        var bytes = claims.bytes
        bytes[7] = 1
        bytes.removeSubrange(bytes.count - 34..<bytes.count - 26)
        #expect(SessionClaims(bytes) == claims)
    }
}
