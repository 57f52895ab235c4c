import RillCore
import RillRooms
import RillTestSupport
import Testing

/// Tokens that count no more.
@Suite struct RevocationTests {
    private let desk = Desk()

    /// What a token of an identity allows that was issued so many seconds after the start.
    private func grant(_ identity: String?, issued seconds: Int?) -> RoomGrant {
        RoomGrant(identity: identity, issued: seconds.map { 1_767_225_600 + $0 })
    }

    init() { desk.pass(.seconds(10)) }

    @Test func `Whoever is revoked is out of all rooms, and comes back with a newer token alone`() throws {
        desk.grants = [
            "old": grant("anna", issued: 5), "undated": grant("anna", issued: nil), "ben": grant("ben", issued: 5),
            "guest": grant(nil, issued: 5),
        ]
        let anna = try desk.join(token: "old")
        let elsewhere = try desk.join("other", token: "old")
        let ben = try desk.join(token: "ben")
        _ = try desk.join(token: "guest")
        _ = desk.events(ben.channel)
        #expect(desk.rooms.revoke("anna", at: desk.now) == 2)
        desk.pump()
        #expect(desk.events(ben.channel) == [.offline(anna.uid, .expired)])
        #expect(desk.rooms.state(of: "other")?[elsewhere.uid] == nil)
        // Neither her token, nor one without a date, nor her session.
        for token in ["old", "undated"] {
            let join = RoomCommand.join(JoinRequest(room: "lobby", token: token, name: "Anna"))
            #expect(desk.refusal(of: join, on: desk.open()) == .unauthorized, "\(token)")
        }
        let resume = RoomCommand.resume(session: anna.welcome.session, epoch: 0, number: 0, count: 0)
        #expect(desk.refusal(of: resume, on: desk.open()) == .unauthorized)
        // Others stay, and guests have no identity to revoke.
        #expect(desk.rooms.revoke("", at: desk.now) == 0)
        #expect(desk.rooms.state(of: "lobby")?.participants.count == 2)
        desk.pass(.seconds(2))
        desk.grants?["new"] = grant("anna", issued: 11)
        _ = try desk.join(token: "new")
        #expect(desk.rooms.state(of: "lobby")?.participants.count == 3)
    }

    @Test func `A token that is revoked is no renewal, and one that waits for its answer does not come in`() throws {
        desk.grants = ["old": grant("anna", issued: 5)]
        let channel = desk.open()
        desk.ask(.join(JoinRequest(room: "lobby", token: "old", name: "Anna", offer: "v=0")), on: channel)
        #expect(desk.rooms.revoke("anna", at: desk.now) == 1)
        desk.pump()
        #expect(desk.closed.contains(channel))
        desk.grants?["new"] = grant("anna", issued: 11)
        desk.pass(.seconds(2))
        let anna = try desk.join(token: "new")
        #expect(desk.refusal(of: .renew(token: "old"), on: anna.channel) == .unauthorized)
        #expect(desk.refusal(of: .renew(token: "new"), on: anna.channel) == nil)
    }
}
