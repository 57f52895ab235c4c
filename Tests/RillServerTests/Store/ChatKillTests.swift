#if Server
import FoundationEssentials
import Glibc
import RillCore
import RillRooms
import RillTestSupport
import Testing

@testable import RillServer

/// A server that is killed while people write, and started again.
@Suite struct ChatKillTests {
    let folder = TemporaryFolder()

    @Test func `Killed at any moment, a server has each answered message once and in order, others once or not at all`()
        async throws
    {
        let secret = try folder.write(String(repeating: "s", count: 48), as: "secret")
        let tokens = try await SignedTokens(secretFile: secret)
        let writers = (0..<10).map { ChatWriterClient("writer \($0)") }
        var names = [String: String]()
        for writer in writers {
            names[writer.name] = try await tokens.token(
                rooms: .all, identity: writer.name, name: writer.name, role: .speaker, lifetime: .seconds(3600))
        }
        let (data, given) = (folder.path("data"), names)
        let kills = isLongRun ? 100 : 10
        var generator = SeededGenerator(seed: 52)
        var unanswered = 0
        for run in 0...kills {
            let pause = 200_000 + UInt32(generator.next() % 500_000)
            let isLast = run == kills
            let options = ["--data", data, "--secret-file", secret, "--host", "127.0.0.1"]
            let server = try ServerProcess(options, hasMedia: true)
            let port = server.port
            async let all: Void = withThrowingTaskGroup(of: Void.self) { group in
                for (index, writer) in writers.enumerated() {
                    let token = given[writer.name]
                    group.addTask { try await onOwnThread { try writer.run(port, token, delay: index) } }
                }
                try await group.waitForAll()
            }
            // The load is whole once all are in.
            try await onOwnThread {
                let end = ContinuousClock.now + .seconds(20)
                while !writers.allSatisfy(\.isIn), ContinuousClock.now < end { usleep(5_000) }
                usleep(pause)
                // Every other time while a message is with the server: a fast disk has answered most of them.
                while run % 2 == 0, writers.allSatisfy({ $0.waiting == nil }), ContinuousClock.now < end { usleep(200) }
            }
            let waiting = writers.map(\.waiting)
            // The last run ends in order.
            if isLast { for writer in writers { writer.stop() } } else { try server.send(SIGKILL) }
            try await all
            if isLast { #expect(try server.end() == 0) }
            // With the server when it was killed, and not answered.
            if !isLast, zip(writers, waiting).contains(where: { $1 != nil && $0.pending == $1 }) { unanswered += 1 }
        }
        note("\(kills) kills, \(unanswered) of which left unanswered messages")
        if isLongRun { #expect(unanswered >= 30) }
        try await check(writers, in: data)
    }

    private func check(_ writers: [ChatWriterClient], in data: String) async throws {
        let database = try RoomDatabase(path: "\(data)/rooms.sqlite")
        var messages: [ChatMessage] = []
        while true {
            let page = try await database.messages(
                in: "lobby", ChatPage(.after(messages.last?.number ?? 0), limit: 1000))
            guard !page.isEmpty else { break }
            messages += page
        }
        #expect(messages.map(\.number) == Array(1...messages.count))
        var sent = 0
        for writer in writers {
            let own = messages.filter { $0.author == writer.name }
            // All that it sent were answered at last: each is there once, in the order in which it was written.
            #expect(own.map(\.key) == own.indices.map { "\($0)" })
            #expect(own.map(\.number) == writer.numbers, "\(writer.name)")
            #expect(own.allSatisfy { $0.content?.text == "\(writer.name) says \($0.key)" })
            sent += writer.numbers.count
        }
        #expect(messages.count == sent)
        // What anybody saw has the number, author and key that it has here: one order for all.
        var seen = 0
        for writer in writers {
            for (number, message) in writer.seen {
                let stored = messages[number - 1]
                #expect(message == [stored.author, stored.key], "\(writer.name) saw \(message) as \(number)")
            }
            seen += writer.seen.count
        }
        #expect(seen >= sent)
        note("\(sent) messages, seen \(seen) times")
        try await database.close()
    }
}

/// Somebody who writes one message after the other, five a second, and tries again what was not answered.
private final class ChatWriterClient: Sendable {
    let name: String
    private let state = Monitor(State())

    private struct State {
        /// The numbers of its messages, as they were answered.
        var numbers: [Int] = []
        /// The author and key of each message that came, by its number.
        var seen: [Int: [String]] = [:]
        /// What is not answered.
        var pending: String?
        /// Whether it is with the server.
        var isSent = false
        var isIn = false
        var isStopping = false
    }

    init(_ name: String) { self.name = name }

    var numbers: [Int] { state.withLock { $0.numbers } }
    var pending: String? { state.withLock { $0.pending } }
    /// What is with the server, and not answered.
    var waiting: String? { state.withLock { $0.isSent ? $0.pending : nil } }
    var isIn: Bool { state.withLock { $0.isIn } }
    var seen: [Int: [String]] { state.withLock { $0.seen } }

    /// Ends once nothing is unanswered.
    func stop() { state.change { $0.isStopping = true } }

    /// Keeps what came. A number is one message's for ever.
    private func see(_ messages: [RoomMessage]) throws {
        for case .event(let event) in messages {
            guard case .chat(let message) = event.event else { continue }
            let former = state.change { $0.seen.updateValue([message.author, message.key], forKey: message.number) }
            if let former, former != [message.author, message.key] {
                throw TestFailure("\(message.number) was \(former), and is \(message.key) of \(message.author)")
            }
        }
    }

    /// Writes until the server is gone, or it is to end.
    func run(_ port: UInt16, _ token: String?, delay: Int) throws {
        // A server that is killed meanwhile refuses, or is silent.
        guard let client = try? SocketClient(port: port),
            case .welcome? = try? client.ask(.join(JoinRequest(room: "lobby", token: token, name: name)))
        else { return }
        state.change { $0.isIn = true }
        defer { state.change { ($0.isIn, $0.isSent) = (false, false) } }
        usleep(UInt32(delay * 20_000))
        while true {
            let end = ContinuousClock.now + .milliseconds(200)
            let (key, isRepeated) = state.change { state in
                let isRepeated = state.pending != nil
                let key = state.pending ?? "\(state.numbers.count)"
                (state.pending, state.isSent) = (key, true)
                return (key, isRepeated)
            }
            // The server was killed: the message stays pending, and is repeated by the next run.
            let answer = try? client.ask(.chat(key: key, text: "\(name) says \(key)"))
            state.change { $0.isSent = false }
            try see(client.takeEvents())
            guard let answer else { return }
            guard case .done(_, number: _, answer: _, message: let number?) = answer else {
                throw TestFailure("\(name): \(key) (repeated: \(isRepeated)) is answered by \(answer)")
            }
            let isOver = state.change { state in
                state.numbers.append(number)
                state.pending = nil
                return state.isStopping
            }
            if isOver { return }
            let rest = (end - .now) / .microseconds(1)
            if rest > 0 { usleep(UInt32(rest)) }
        }
    }
}
#endif
