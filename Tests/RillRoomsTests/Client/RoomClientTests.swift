import RillCore
import RillTestSupport
import Testing

@testable import RillRooms

@Suite("A client of a room comes back by itself")
struct RoomClientTests {
    private let world = RoomWorld(seed: 1)

    private func join(_ name: String, hasMedia: Bool = false) -> WorldClient {
        let client = world.addClient(name, hasMedia: hasMedia)
        client.join()
        world.run(.seconds(1))
        return client
    }

    @Test(arguments: [1, 5, 12, 30])
    func `Row 31: A cut is reported as it lasts, and ends without a snapshot`(_ seconds: Int) {
        let (anna, ben) = (join("anna"), join("ben"))
        ben.cut(.seconds(seconds))
        world.run(.seconds(seconds + 5))
        let statuses: [RoomClientStatus] = [.interrupted, .lost].prefix(seconds < 4 ? 0 : seconds < 10 ? 1 : 2) + []
        #expect(ben.statuses == [.joining, .connected] + statuses + (statuses.isEmpty ? [] : [.connected]))
        #expect(ben.snapshotCount == 1)
        let uid = ben.client.uid ?? 0
        let out: [RoomEvent] = seconds > 15 ? [.offline(uid, .dropped)] : [.back(uid)]
        #expect(
            anna.events.suffix(out.count + statuses.count + (seconds > 15 ? 1 : 0)).prefix(statuses.count)
                == [.interrupted(uid), .lost(uid)].prefix(statuses.count))
        if seconds >= 4 { #expect(anna.events.contains(out[0])) }
        #expect(world.problems == [])
    }

    @Test func `A laptop that sleeps for 10 minutes is out, is told so, and is back within 5 s`() {
        let (anna, ben) = (join("anna"), join("ben"))
        let uid = ben.client.uid
        ben.cut(.seconds(600))
        world.run(.seconds(599))
        #expect(ben.client.status == .lost)
        #expect(anna.client.room?.participants.count == 2)
        world.run(.seconds(6))
        #expect(ben.isIn && ben.client.uid != nil && ben.snapshotCount == 2)
        #expect(anna.client.room?.participants.compactMap(\.identity) == ["recorder", "anna", "ben"])
        #expect(uid != nil && world.problems.filter { !$0.contains("second snapshot") } == [])
    }

    @Test func `1000 messages of 200 bytes to one number arrive once and in order over a cut of 5 s`() {
        let (anna, ben) = (join("anna"), join("ben"))
        let texts = (0..<1000).map { index in "\(index)" + String(repeating: "x", count: 200 - "\(index)".count) }
        var next = 0
        func feed() {
            while next < texts.count, anna.client.unsent.count < 200 {
                anna.send(texts[next], to: ben.client.uid)
                next += 1
            }
            if next < texts.count { world.at(world.now + .milliseconds(100)) { feed() } }
        }
        feed()
        world.run(.seconds(2))
        ben.cut(.seconds(5))
        world.run(.seconds(3))
        anna.cut(.seconds(5))
        world.at(world.now + .seconds(1)) { anna.reset() }
        world.run(.seconds(60))
        #expect(ben.data[anna.client.uid ?? 0] == texts)
        #expect(anna.results.count == 1000)
        #expect(world.problems == [])
    }

    @Test func `Row 32: A queue that is full is an error that tells what was missed and what is cached`() {
        let anna = join("anna")
        anna.cut(.seconds(3))
        for index in 0..<259 { anna.send("\(index)") }
        let errors = anna.results.suffix(3).map { result in
            if case .failed(_, let error) = result { error } else { RoomError.timedOut }
        }
        #expect(errors == (1...3).map { .queueFull(missed: $0, cached: 256) })
        #expect(anna.client.unsent.count == 256)
    }

    @Test func `Who is replaced is told so, and does not try again`() {
        let old = join("anna")
        let new = join("anna")
        world.run(.seconds(60))
        #expect(old.client.status == .ended(.replaced) && new.isIn)
        #expect(old.statuses == [.joining, .connected, .ended(.replaced)])
        #expect(world.rooms?.statistics.joins == 3)
    }

    @Test func `What was published and wanted is requested again after the server forgot it`() {
        let (anna, ben) = (join("anna", hasMedia: true), join("ben", hasMedia: true))
        anna.ask(.publish(.video, mid: "0", isMuted: false))
        anna.ask(.mute(.video, of: nil))
        ben.ask(.want(Want(.low, of: anna.client.uid ?? 0)))
        world.run(.seconds(1))
        #expect(anna.answerCount == 1 && ben.client.room?[anna.client.uid ?? 0]?[.video]?.isMuted == true)
        world.kill()
        world.run(.seconds(2))
        world.start()
        world.run(.seconds(5))
        #expect(anna.isIn && ben.isIn && anna.answerCount == 2)
        #expect(ben.client.room?[anna.client.uid ?? 0]?[.video]?.isMuted == true)
        #expect(ben.client.room == world.rooms?.state(of: RoomWorld.room))
        #expect(world.media.count == 2 && world.problems == [])
    }

    @Test func `A media path that broke is restarted by the room's channel, once that serves`() {
        let anna = join("anna", hasMedia: true)
        anna.restartMedia()
        world.run(.seconds(1))
        #expect(anna.offers == [false, true])
        anna.cut(.seconds(6))
        world.run(.seconds(5))
        #expect(anna.client.status == .interrupted)
        anna.restartMedia()
        world.run(.seconds(5))
        #expect(anna.offers == [false, true, true])
        #expect(anna.answerCount == anna.offers.count)
        #expect(anna.snapshotCount == 1 && world.media.count == 1)
    }

    @Test func `Requests over a cut are done once the client is back`() {
        let anna = join("anna")
        anna.cut(.seconds(5))
        world.run(.seconds(1))
        anna.ask(.publish(.sound, mid: nil, isMuted: true))
        anna.chat("hello")
        world.run(.seconds(8))
        #expect(anna.events.filter { $0 == .published(anna.client.uid ?? 0, .sound, isMuted: true) }.count == 1)
        #expect(anna.events.filter { if case .chat = $0 { true } else { false } }.count == 1)
        #expect(anna.results.count == 2)
    }

    @Test func `A refusal at the first join is the end, with its code`() {
        let world = RoomWorld(
            seed: 1,
            settings: {
                var settings = RoomSettings()
                settings.memberLimit = 1
                return settings
            }())
        let anna = world.addClient("anna")
        anna.join()
        world.run(.seconds(10))
        #expect(anna.statuses == [.joining, .refused(.roomFull(limit: 1))])
        #expect(RoomError.roomFull(limit: 1).code.rawValue == 480)
    }

    @Test func `An event that comes twice is ignored, and a gap is filled by coming back`() {
        let client = RoomClient(RoomClientSettings(JoinRequest(room: "a", name: "b")), seed: 3)
        var actions: [RoomClientAction] = []
        func poll(_ now: MediaTime = .zero) {
            while true {
                let action = client.poll(at: now)
                if case .wait = action { return }
                actions.append(action)
            }
        }
        client.join(at: .zero)
        poll()
        client.channelOpened(at: .zero)
        poll()
        let welcome = Welcome(
            session: "s", uid: 3, epoch: 1, number: 5, snapshot: RoomState(room: "a"), count: 0, isFresh: true,
            hasMedia: false, answer: nil, slots: [])
        client.receive(.welcome(welcome, to: 1), at: .zero)
        poll()
        actions = []
        let event = { NumberedEvent(.lockChanged(isLocked: true), number: $0, time: 0) }
        for number in [5, 6, 6, 8] { client.receive(.event(event(number)), at: .zero) }
        poll(.zero + .seconds(1))
        #expect(actions == [.event(.room(event(6))), .closeChannel, .openChannel])
        #expect(client.duplicateCount == 2 && client.gapCount == 1 && client.number == 6)
        actions = []
        client.channelOpened(at: .zero + .seconds(1))
        poll(.zero + .seconds(1))
        #expect(actions == [.send(RoomRequest(.resume(session: "s", epoch: 1, number: 6, count: 0), id: 2))])
    }

    @Test func `Attempts scatter between half and the whole of their pause, and pause a second at most`() {
        let client = RoomClient(RoomClientSettings(JoinRequest(room: "a", name: "b")), seed: 3)
        var (now, times) = (MediaTime.zero, [Double]())
        client.join(at: now)
        while times.count < 12 {
            switch client.poll(at: now) {
            case .openChannel:
                times.append(now.seconds)
                client.channelClosed(at: now)
            case .wait(let time): now = time
            default: break
            }
        }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        let wholes = [0.25, 0.5, 1, 2, 2, 2, 2, 2, 2, 2, 2]
        #expect(zip(pauses, wholes).allSatisfy { $0 >= $1 / 2 && $0 <= $1 }, "\(pauses)")
        #expect(Set(pauses).count == pauses.count)
    }
}
