import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("A room of 17 in which much goes wrong")
struct RoomRunTests {
    static let seeds: ClosedRange<UInt64> = isLongRun ? 1...100 : 1...5

    /// Two minutes with joins, leaves, cuts, a server that is killed, slow readers and second sessions of an identity.
    @Test(arguments: seeds)
    func `Every log is gap-free, every picture is the server's, and nobody is a ghost`(_ seed: UInt64) {
        let world = RoomWorld(seed: seed, encodes: seed == 1)
        let run = RoomRun(world)
        run.play(for: .seconds(120))
        run.checkEnd()
        #expect(world.problems == [], "seed \(seed)")
        #expect(world.eventCount > 1000, "seed \(seed)")
        note("seed \(seed): \(world.eventCount) events at \(world.clients.count) clients, \(run.summary)")
    }
}

/// Random things that happen to 17 clients.
final class RoomRun {
    private let world: RoomWorld
    /// The clients by name; the last of several of an identity is the newest.
    private var sessions: [[WorldClient]] = []
    private var counts: [String: Int] = [:]

    init(_ world: RoomWorld) {
        self.world = world
        for index in 0..<17 {
            let client = world.addClient(
                index == 0 ? "host" : "client\(index)", delay: .milliseconds(5 + 7 * index), hasMedia: index % 2 == 0)
            sessions.append([client])
            world.at(.zero + .milliseconds(200 * index)) { client.join() }
        }
    }

    var summary: String { counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ") }

    func play(for duration: MediaDuration) {
        let end = world.now + duration
        world.run(.seconds(5))
        var killTime = world.now + random(.seconds(60))
        while world.now < end {
            world.run(.milliseconds(50) + random(.milliseconds(400)))
            happen()
            if world.now >= killTime {
                killTime = world.now + .seconds(30) + random(.seconds(60))
                restart()
            }
        }
    }

    private func random(_ bound: MediaDuration) -> MediaDuration { world.generator.duration(below: bound) }
    private func random(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &world.generator) }
    private func count(_ what: String) { counts[what, default: 0] += 1 }

    private func happen() {
        let index = random(below: sessions.count)
        let client = sessions[index][sessions[index].count - 1]
        switch random(below: 20) {
        case 0 where client.isIn:
            count("leaves")
            client.leave()
            world.at(world.now + random(.seconds(20))) { client.join() }
        case 1, 2:
            count("cuts")
            client.cut([MediaDuration.seconds(1), .seconds(5), .seconds(12), .seconds(30)][random(below: 4)])
            if random(below: 2) == 0 { world.at(world.now + random(.seconds(1))) { client.reset() } }
        case 3:
            count("resets")
            client.reset()
        case 4 where client.isIn && sessions[index].count < 4:
            count("second sessions")
            let second = world.addClient(client.name, delay: .milliseconds(30), hasMedia: false)
            sessions[index].append(second)
            second.join()
        case 5:
            client.mayFallBehind = true
            client.link.readingTime = client.link.readingTime == .zero ? .milliseconds(200) : .zero
            count("slow readers")
        case 6...8 where client.isIn: client.ask(.publish(kind, mid: "0", isMuted: random(below: 2) == 0))
        case 9 where client.isIn: client.ask(.unpublish(kind, of: nil))
        case 10,
            11 where client.isIn:
            client.ask(random(below: 2) == 0 ? .mute(kind, of: nil) : .unmute(kind))
        case 12 where client.isIn:
            client.ask(.profile(name: "\(client.name) at \(world.now)", avatar: nil, attributes: ["a": "b"]))
        case 13,
            14 where client.isIn:
            client.chat("\(client.name) at \(world.now)")
        case 15,
            16 where client.isIn:
            client.send("\(world.now.nanoseconds)")
        case 17 where sessions[0][sessions[0].count - 1].isIn:
            let others = world.rooms?.state(of: RoomWorld.room)?.participants ?? []
            if let other = others.randomElement(using: &world.generator)?.uid {
                sessions[0][sessions[0].count - 1].ask(
                    [.mute(kind, of: other), .role(other, .speaker), .unpublish(kind, of: other)][random(below: 3)])
            }
        default: break
        }
    }

    private var kind: MediaKind { MediaKind.allCases[random(below: 3)] }

    /// The server is killed, and started again. Everybody whose network is good is back within 5 s.
    private func restart() {
        count("restarts")
        // Not one of whose identity there is a newer session.
        let present = sessions.compactMap(\.last).filter { $0.isIn && $0.link.readingTime == .zero }
        let uids = present.map(\.client.uid)
        world.kill()
        world.run(.milliseconds(100) + random(.seconds(3)))
        world.start()
        let start = world.now
        world.run(.seconds(5))
        for (client, uid) in zip(present, uids) where client.link.cutUntil <= start {
            if !client.isIn || client.enteredTime.map({ $0 < start }) ?? true {
                world.problem("\(client.name) is not back: \(client.client.status)")
            }
            if client.client.uid != uid { world.problem("\(client.name) has another number") }
        }
    }

    /// When all has calmed down, everybody who is there sees exactly those.
    func checkEnd() {
        for client in world.clients { client.link.readingTime = .zero }
        world.run(.seconds(90))
        let room = world.rooms?.state(of: RoomWorld.room)
        let names = room?.participants.compactMap(\.identity).filter { $0 != "recorder" }.sorted() ?? []
        var expected: [String] = []
        for clients in sessions {
            for client in clients.dropLast() where client.client.status != .ended(.replaced) {
                // It may have left before.
                if client.client.status != .ended(.left) { world.problem("\(client.name): \(client.client.status)") }
            }
            let last = clients[clients.count - 1]
            if last.isIn { expected.append(last.name) }
            if last.isIn, last.client.room != room { world.problem("\(last.name) has another picture at the end") }
        }
        if names != expected.sorted() { world.problem("there are \(names), not \(expected.sorted())") }
        let others = world.media.filter { member in room?[member.uid] == nil }
        if !others.isEmpty { world.problem("media of who is not there: \(others)") }
        for client in world.clients {
            for texts in client.data.values where texts != Array(Set(texts)).sorted(by: { Int($0) ?? 0 < Int($1) ?? 0 })
            {
                world.problem("\(client.name) got app data twice, or in another order: \(texts)")
            }
        }
        count("at the end \(names.count)")
    }
}
