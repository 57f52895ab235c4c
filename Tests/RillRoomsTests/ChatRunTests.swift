import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("A chat in which much goes wrong")
struct ChatRunTests {
    static let seeds: ClosedRange<UInt64> = isLongRun ? 1...100 : 1...3

    /// Three clients, with identities or two of them as guests, are offline in turn, the server is killed and started,
    /// and the store is slow and fails.
    @Test(arguments: seeds, [false, true])
    func `All end with the same list, without a gap, and each message is there once or has failed`(
        _ seed: UInt64, hasGuests: Bool
    ) {
        let world = RoomWorld(seed: seed, encodes: seed == 1, hasGuests: hasGuests)
        let run = ChatRun(world)
        run.play(for: .seconds(180))
        run.checkEnd()
        #expect(world.problems == [], "seed \(seed), guests: \(hasGuests)")
        note("seed \(seed), guests: \(hasGuests): \(run.summary)")
    }
}

/// Three clients that write, edit, delete, end and come back.
final class ChatRun {
    private let world: RoomWorld
    private var clients: [WorldClient] = []
    private var keys: [String] = []
    private var counts: [String: Int] = [:]
    /// Messages that a client was told are stored.
    private var answered: Set<String> = []

    init(_ world: RoomWorld) {
        self.world = world
        world.store.delay = .milliseconds(10)
        world.store.failures = 30
        for (index, name) in ["host", "anna", "ben"].enumerated() {
            clients.append(world.addClient(name, delay: .milliseconds(10 + 20 * index)))
            clients[index].join()
        }
    }

    var summary: String {
        let store = world.store
        return "\(keys.count) written, \(answered.count) answered, \(store.batchTimes.count) batches, "
            + "\(store.failureCount) failures, "
            + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    private func random(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &world.generator) }
    private func count(_ what: String) { counts[what, default: 0] += 1 }

    func play(for duration: MediaDuration) {
        let end = world.now + duration
        world.run(.seconds(3))
        var (offlineTime, killTime) = (world.now, world.now + .seconds(20))
        var turn = 0
        while world.now < end {
            world.run(.milliseconds(20 + random(below: 200)))
            happen()
            if world.now >= offlineTime {
                let length = MediaDuration.milliseconds([500, 5_000, 12_000, 30_000, 70_000][random(below: 5)])
                clients[turn % clients.count].cut(length)
                // After a minute the log does not reach back, and there is another snapshot.
                if length > .seconds(60) { clients[turn % clients.count].mayFallBehind = true }
                if random(below: 2) == 0 { clients[turn % clients.count].reset() }
                turn += 1
                offlineTime = world.now + .seconds(1) + world.generator.duration(below: length)
                count("cuts")
            }
            if world.now >= killTime {
                killTime = world.now + .seconds(20) + world.generator.duration(below: .seconds(40))
                count("restarts")
                world.kill()
                world.run(.milliseconds(50) + world.generator.duration(below: .seconds(3)))
                world.start()
            }
        }
    }

    private func happen() {
        let index = random(below: clients.count)
        let client = clients[index]
        let last = client.client.conversation.lastNumber
        switch random(below: 12) {
        case 0...6 where client.client.unsentChat.count < 100:
            keys.append("\(client.name) \(keys.count)")
            client.chat(keys[keys.count - 1])
        case 7 where last > 0: client.ask(.chat(.edit(1 + random(below: last), text: "edited at \(world.now)")))
        case 8 where last > 0 && random(below: 3) == 0: client.ask(.chat(.delete(1 + random(below: last))))
        case 9: client.read(upTo: last)
        case 10:
            for message in client.client.conversation.failed { client.resend(message.message.key) }
        case 11 where random(below: 6) == 0:
            // The app ends, and starts again with what it kept.
            count("new apps")
            note(client)
            let session = client.client.lastSession
            let next = world.addClient(client.name, delay: client.link.delay, session: session)
            next.link.cutUntil = client.link.cutUntil
            next.restore(client.client.unsentChat)
            client.leave()
            clients[index] = next
            next.join()
        default: break
        }
    }

    private func note(_ client: WorldClient) {
        for case .sent(.chat(let message), _) in client.results { answered.insert(message.key) }
    }

    func checkEnd() {
        (world.store.failures, world.store.delay) = (0, .milliseconds(1))
        world.run(.seconds(90))
        for client in clients {
            for failed in client.client.conversation.failed { client.resend(failed.message.key) }
        }
        world.run(.seconds(60))
        for _ in 0..<30 where clients.contains(where: { $0.client.conversation.hasOlder }) {
            for client in clients { client.loadOlder() }
            world.run(.seconds(2))
        }
        let stored = world.store.tables.messages(in: RoomWorld.room, ChatPage(.before(nil), limit: .max))
        for client in clients {
            note(client)
            let conversation = client.client.conversation
            if !client.isIn || !conversation.isComplete { world.problem("\(client.name) is not complete") }
            if !client.client.unsentChat.isEmpty {
                world.problem("\(client.name) has unsent \(client.client.outgoing)")
            }
            if conversation.messages != stored {
                let numbers = conversation.messages.map(\.number)
                let other = zip(conversation.messages, stored).first { $0 != $1 }
                world.problem("\(client.name) has \(numbers.count) of \(stored.count): \(String(describing: other))")
            }
        }
        if stored.map(\.number) != Array(1...max(stored.count, 1)) { world.problem("the numbers are not dense") }
        if Set(stored.map(\.key)).count != stored.count { world.problem("a message is there twice") }
        let missing = Set(keys).subtracting(stored.map(\.key))
        if !missing.isEmpty {
            world.problem("lost: \(missing.sorted().prefix(5)), answered \(answered.intersection(missing))")
        }
        if keys.count < 100 { world.problem("only \(keys.count) messages were written") }
    }
}
