import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("Who comes back reads on")
struct ReturnTests {
    private let desk = Desk()

    @Test(arguments: [1, 5, 12])
    func `A cut of some seconds sends no snapshot, but the log's own events`(_ seconds: Int) throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.pass(.seconds(1), alive: [anna.channel, ben.channel])
        _ = desk.events(anna.channel)
        desk.rooms.closed(ben.channel, at: desk.now)
        desk.pass(.milliseconds(500), alive: [anna.channel])
        desk.ask(.publish(.video, mid: "1", isMuted: false), on: anna.channel)
        desk.pass(.milliseconds(1000 * seconds - 500), alive: [anna.channel])
        let seen = desk.events(anna.channel)
        let (back, rest) = try desk.resume(ben)
        #expect(back.welcome.snapshot == nil)
        #expect(back.uid == ben.uid)
        #expect(!back.welcome.isFresh)
        let events = rest.compactMap { message in if case .event(let event) = message { event } else { nil } }
        #expect(events.map(\.number) == Array(ben.welcome.number + 1...ben.welcome.number + events.count))
        #expect(events.map(\.event) == seen + desk.events(anna.channel))
        let presence: [RoomEvent] = [.interrupted(ben.uid), .lost(ben.uid), .back(ben.uid)]
        let count = [1: 0, 5: 1, 12: 2][seconds] ?? 0
        #expect(events.map(\.event).dropFirst() == (presence.prefix(count) + (count > 0 ? [presence[2]] : []))[...])
    }

    @Test func `Gone for 15 s is out, and within 60 s the token comes back as the same number`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.pass(.milliseconds(14_999), alive: [anna.channel])
        #expect(desk.rooms.state(of: "lobby")?[ben.uid]?.presence == .lost)
        desk.pass(.milliseconds(1), alive: [anna.channel])
        #expect(desk.rooms.state(of: "lobby")?[ben.uid] == nil)
        #expect(desk.events(anna.channel).last == .offline(ben.uid, .dropped))
        #expect(desk.take(ben.channel).last == .bye(.dropped))
        desk.pass(.seconds(40), alive: [anna.channel])
        let (back, rest) = try desk.resume(ben)
        #expect(back.uid == ben.uid)
        #expect(back.welcome.isFresh && back.welcome.snapshot == nil)
        #expect(rest.count == 4)
        #expect(desk.events(anna.channel).count == 1)
    }

    @Test func `A server that stood still takes nobody for silent`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.pass(.seconds(3), alive: [anna.channel])
        // Ben was silent for 3 s of his 4.
        desk.now += .seconds(100)
        desk.pump()
        // What he sent meanwhile is read a moment later.
        desk.pass(.milliseconds(500))
        desk.ask(.alive(number: 0, count: 0), on: ben.channel)
        #expect(desk.events(anna.channel).map(\.name) == [.joined])
        desk.pass(.milliseconds(14_500), alive: [anna.channel])
        #expect(desk.events(anna.channel) == [.interrupted(ben.uid), .lost(ben.uid)])
        desk.pass(.milliseconds(500), alive: [anna.channel])
        #expect(desk.events(anna.channel) == [.offline(ben.uid, .dropped)])
    }

    @Test func `After 60 s the session is over`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.pass(.seconds(60), alive: [anna.channel])
        #expect(desk.refusal(of: resumption(of: ben), on: desk.open()) == .sessionEnded)
        #expect(desk.rooms.statistics.awayCount == 0)
    }

    private func resumption(of guest: Guest) -> RoomCommand {
        .resume(session: guest.welcome.session, epoch: guest.welcome.epoch, number: guest.welcome.number, count: 0)
    }

    @Test func `More than 1000 events later there is a snapshot, and at 1000 there is none`() throws {
        var settings = RoomSettings()
        (settings.requestRate, settings.chatRate) = (10_000, 10_000)
        let desk = Desk(settings)
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        for index in 0..<1000 { desk.ask(.lock(index % 2 == 0), on: anna.channel) }
        #expect(desk.rooms.statistics.refusals == [.notAllowed: 1000])
        for index in 0..<1000 { desk.ask(.chat(key: "\(index)", text: "hello"), on: anna.channel) }
        desk.pass(.milliseconds(5))
        #expect(try desk.resume(ben).rest.count == 1000)
        desk.write("hello", key: "last", on: anna.channel)
        let (back, rest) = try desk.resume(ben)
        #expect(back.welcome.snapshot == desk.rooms.state(of: "lobby"))
        #expect(rest == [])
        #expect(desk.rooms.statistics.snapshots == 1)
    }

    @Test func `Events of more than 60 s ago are not kept`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.ask(.chat(key: "1", text: "hello"), on: anna.channel)
        desk.pass(.seconds(60), alive: [anna.channel, ben.channel])
        #expect(try desk.resume(ben).guest.welcome.snapshot == nil)
        desk.pass(.milliseconds(1), alive: [anna.channel])
        #expect(try desk.resume(ben).guest.welcome.snapshot != nil)
    }

    @Test func `A newer session of an identity replaces the older one, which cannot come back`() throws {
        desk.grants = ["anna": RoomGrant(identity: "anna")]
        let (ben, old) = (try desk.join(name: "Ben"), try desk.join(token: "anna"))
        let new = try desk.join(token: "anna")
        #expect(new.uid == old.uid)
        #expect(desk.take(old.channel).last == .bye(.replaced))
        #expect(desk.closed.contains(old.channel))
        #expect(new.welcome.snapshot?.participants.count == 2)
        #expect(desk.events(ben.channel).suffix(2).first == .offline(old.uid, .replaced))
        #expect(desk.refusal(of: resumption(of: old), on: desk.open()) == .replaced)
    }

    @Test func `A second channel of a session takes the place of the first`() throws {
        let anna = try desk.join()
        let (back, rest) = try desk.resume(anna)
        #expect(desk.take(anna.channel) == [.bye(.moved)])
        #expect(back.uid == anna.uid && rest == [])
        // That the first one is closed says nothing about the member.
        desk.rooms.closed(anna.channel, at: desk.now)
        desk.ask(.publish(.sound, mid: nil, isMuted: false), on: back.channel)
        #expect(desk.events(back.channel) == [.published(anna.uid, .sound, isMuted: false)])
    }

    @Test func `Another server takes sessions of the one before over, soon after its start and not later`() throws {
        desk.grants = ["anna": RoomGrant(identity: "anna", role: .host)]
        let anna = try desk.join(token: "anna")
        let next = Desk(wallClockAtZero: 1_767_225_610_000)
        let (back, rest) = try next.resume(anna)
        #expect(back.uid == anna.uid && back.welcome.isFresh && rest == [])
        #expect(back.welcome.snapshot?[anna.uid]?.role == .host)
        #expect(back.welcome.epoch > anna.welcome.epoch)
        let late = Desk(wallClockAtZero: 1_767_225_610_000)
        late.pump()
        late.pass(.milliseconds(60_001))
        #expect(late.refusal(of: resumption(of: anna), on: late.open()) == .sessionEnded)
        #expect(
            late.refusal(of: .resume(session: "1234", epoch: 0, number: 0, count: 0), on: late.open()) == .unauthorized)
    }

    @Test func `Who was removed, left, or whose token ended does not come back with the session`() throws {
        desk.grants = [
            "host": RoomGrant(identity: "host", role: .host),
            "brief": RoomGrant(identity: "brief", expires: 1_767_225_610),
        ]
        let host = try desk.join(token: "host")
        let (ben, carl, dora) = (try desk.join(name: "Ben"), try desk.join(name: "Carl"), try desk.join(token: "brief"))
        desk.ask(.remove(ben.uid), on: host.channel)
        desk.ask(.leave, on: carl.channel)
        #expect(desk.take(ben.channel).last == .bye(.removed))
        #expect(desk.take(carl.channel).last == .bye(.left))
        desk.pass(.seconds(10), alive: [host.channel, dora.channel])
        #expect(desk.take(dora.channel).last == .bye(.expired))
        #expect(
            desk.events(host.channel).suffix(3) == [
                .offline(ben.uid, .removed), .offline(carl.uid, .quit), .offline(dora.uid, .expired),
            ])
        #expect(desk.refusal(of: resumption(of: ben), on: desk.open()) == .removed)
        #expect(desk.refusal(of: resumption(of: carl), on: desk.open()) == .sessionEnded)
        #expect(desk.refusal(of: resumption(of: dora), on: desk.open()) == .unauthorized)
    }

    @Test func `A reader that is 256 kB behind is closed as slow, and reads on`() throws {
        var settings = RoomSettings()
        (settings.requestRate, settings.chatRate, settings.chatTextLimit) = (10_000, 10_000, 1_000)
        let desk = Desk(settings)
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.rooms.setWritable(false, ben.channel, at: desk.now)
        var count = 0
        while !desk.closed.contains(ben.channel), count < 1000 {
            desk.write(String(repeating: "x", count: 1000), key: "\(count)", on: anna.channel)
            count += 1
        }
        #expect((195...210).contains(count))
        #expect(desk.take(ben.channel) == [.bye(.slow)])
        #expect(desk.rooms.statistics.endings == [.slow: 1])
        let (_, rest) = try desk.resume(ben)
        #expect(rest.count == count)
    }

    @Test func `What waits for a channel comes once it is writable, in order`() throws {
        let (anna, ben) = (try desk.join(name: "Anna"), try desk.join(name: "Ben"))
        desk.rooms.setWritable(false, ben.channel, at: desk.now)
        for index in 0..<5 { desk.write("\(index)", on: anna.channel) }
        desk.rooms.setLevels([SoundLevel(anna.uid, level: 3)], in: "lobby", at: desk.now)
        desk.pump()
        #expect(desk.take(ben.channel) == [])
        desk.rooms.setWritable(true, ben.channel, at: desk.now)
        desk.pump()
        // Levels are not kept.
        #expect(desk.events(ben.channel).count == 5)
    }
}
