#if Server
import Foundation
import RillCore
import RillRoomClient
import RillTestSupport
import Testing

@testable import RillRoomClient

/// What a ``Room`` does over cuts, restarts of its server, and with what belongs to its people: chat, data, secrets.
extension RoomTests {
    @Suite struct RoomReturnTests {
        @Test func `Over a cut nothing is lost and nothing comes twice, and pictures go on`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let path = CutSignaling(try RoomWebSockets(try #require(RoomURL("http://127.0.0.1:\(server.port)"))))
            let (anna, ben) = (try await server.app("Anna", over: path), try await server.app("Ben"))
            let (log, others) = (RoomLogbook(anna), RoomLogbook(ben))
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await screen.wait(for: 3)
            let count = 60
            for number in 0..<count {
                if number == 20 { path.cut(milliseconds: 600) }
                try anna.send("to \(number)")
                if number % 3 == 0 { try ben.send("from \(number)", to: anna.own?.uid) }
                try await Task.sleep(nanoseconds: 20_000_000)
            }
            let sent = (0..<count).map { "to \($0)" }
            let arrived = try await others.wait("all data") { _ in
                let texts = others.texts
                return texts.count >= count ? texts : nil
            }
            #expect(arrived == sent)
            try await log.wait("all data") { _ in log.texts.count >= count / 3 ? true : nil }
            #expect(log.texts == stride(from: 0, to: count, by: 3).map { "from \($0)" })
            try await screen.wait(for: 3)
            let joins = log.all.count { if case .joined = $0 { true } else { false } }
            #expect(joins == 2 && !log.all.contains { if case .rejoined = $0 { true } else { false } })
            #expect(log.all.contains { if case .status(.connected) = $0 { true } else { false } })
            await anna.leave()
            await ben.leave()
        }

        @Test func `A server that was killed is back with the same people, and their pictures on the same sinks`()
            async throws
        {
            let folder = TemporaryFolder()
            let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
            let token = try rill(["token", "--secret-file", secret, "--room", "lobby"]).text
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let options = ["--secret-file", secret, "--host", "127.0.0.1"]
            let media = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0)).localAddress.port
            var server = try ServerProcess(options, hasMedia: true, ports: (0, media))
            let port = server.port
            let (anna, ben) = (try await server.app("Anna", token: token), try await server.app("Ben", token: token))
            let log = RoomLogbook(anna)
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await screen.wait(for: 3)
            #expect(try server.end(by: SIGKILL) == 137)
            let shown = try await screen.rest()
            server = try ServerProcess(options, hasMedia: true, ports: (port, media))
            try await screen.wait(for: 3)
            #expect(screen.count > shown && !screen.isFinished)
            try await log.wait("the new join") { if case .rejoined = $0 { true } else { nil } }
            // Who was a moment later at the new server has not been away.
            #expect(!log.all.contains { if case .left = $0 { true } else { false } })
            #expect(Set(anna.participants.map(\.name)) == ["Anna", "Ben"])
            await anna.leave()
            await ben.leave()
        }

        @Test func `A chat has its states, its history and its rules`() async throws {
            let folder = TemporaryFolder()
            let server = try ServerProcess(["--data", folder.path("data")], hasMedia: true)
            let host = try await server.app("Anna") { $0.join.role = .host }
            let ben = try await server.app("Ben")
            let (log, others) = (RoomLogbook(host), RoomLogbook(ben))
            let them = try await log.joined("Ben")
            let key = try ben.chat.send("hello")
            let message = try await log.wait("the message") {
                if case .message(let message) = $0 { message } else { nil }
            }
            #expect(message.content?.text == "hello" && message.key == key && message.name == "Ben")
            try await others.wait("its number") {
                if case .sent(.chat(let chat), number: message.number) = $0, chat.key == key { true } else { nil }
            }
            host.chat.read(upTo: message.number)
            try await others.wait("read") { _ in ben.chat.conversation.delivery(of: message) == .read ? true : nil }
            try await ben.chat.edit(message.number, "hello all")
            try await log.wait("the edit") { _ in
                host.chat.conversation.messages.last?.content?.text == "hello all" ? true : nil
            }
            host.chat.typing()
            try await others.wait("typing") {
                if case .typing(let who) = $0 { who.name == "Anna" ? true : nil } else { nil }
            }
            try await host.chat.report(message.number, .other, text: "mine")
            try await log.wait("the report") { if case .reported = $0 { true } else { nil } }
            #expect(try await host.chat.reports().count == 1)
            try await host.chat.setBlocked(true, them.info.author)
            try await others.wait("blocked") { _ in ben.chat.conversation.isBlocked ? true : nil }
            let refused = try ben.chat.send("again")
            try await others.wait("a refusal") {
                if case .failed(.chat(let chat), .blocked) = $0, chat.key == refused { true } else { nil }
            }
            try await host.chat.setBlocked(false, them.info.author)
            try ben.chat.resend(key: refused)
            try await log.wait("it after all") {
                if case .message(let later) = $0 { later.key == refused ? true : nil } else { nil }
            }
            // Who comes later has it from the beginning.
            let carl = try await server.app("Carl") { $0.publishesVideo = false }
            #expect(carl.chat.conversation.messages.map { $0.content?.text } == ["hello all", "again"])
            for room in [host, ben, carl] { await room.leave() }
        }

        @Test func `With the same secret frames open, with another one not, and with the right one again`() async throws
        {
            let server = try ServerProcess(hasMedia: true)
            let anna = try await server.app("Anna") { $0.encryption = .init(secret: "tulip") }
            let ben = try await server.app("Ben") { $0.encryption = .init(secret: "rose", .aes128GCM) }
            let log = RoomLogbook(anna)
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await log.wait("what cannot be opened") {
                if case .unopened(them, .video, _) = $0 { true } else { nil }
            }
            #expect(screen.count == 0)
            try anna.setSecret("rose")
            try await log.wait("what can be") { if case .opened(them, .video) = $0 { true } else { nil } }
            try await screen.wait(for: 5)
            // Who has no secret is not shown what it cannot read.
            let carl = try await server.app("Carl")
            let blind = PictureCounter()
            let other = try await RoomLogbook(carl).joined("Ben")
            other.show(on: blind.sink())
            try await Task.sleep(nanoseconds: 700_000_000)
            #expect(blind.count == 0 && other.slot() == nil)
            for room in [anna, ben, carl] { await room.leave() }
        }

        @Test func `A tile of no size is low, and after five seconds nothing`() {
            var wants = RoomWants()
            var room = RoomState(room: "lobby")
            room.apply(.joined(Participant(uid: 7, name: "Ben")))
            let key = RoomPictures.Key(uid: 7, kind: .video)
            wants.setShown(true, key)
            wants.want(.automatic(shownAt: nil), key, priority: 0, at: .zero)
            #expect(wants.takeDue(in: room, isEncrypted: false, at: .zero).isEmpty, "nothing is published")
            room.apply(.published(7, .video, isMuted: false))
            #expect(wants.takeDue(in: room, isEncrypted: false, at: .zero) == [Want(.low, of: 7)])
            #expect(wants.nextTime(after: .zero) == .zero + .seconds(5))
            #expect(wants.takeDue(in: room, isEncrypted: false, at: .zero + .seconds(5)) == [Want(.none, of: 7)])
            #expect(wants.nextTime(after: .zero + .seconds(5)) == .distantFuture)
            wants.want(.automatic(shownAt: .qqvga), key, priority: 3, at: .zero + .seconds(6))
            #expect(
                wants.takeDue(in: room, isEncrypted: false, at: .zero + .seconds(6))
                    == [Want(.shown(width: 160, height: 120), of: 7, priority: 3)])
            // What is not shown is not wanted, and requested once it is published again.
            wants.forgetAsked(key)
            #expect(wants.takeDue(in: room, isEncrypted: false, at: .zero + .seconds(7)).count == 1)
            wants.setShown(false, key)
            #expect(
                wants.takeDue(in: room, isEncrypted: false, at: .zero + .seconds(7)) == [
                    Want(.none, of: 7, priority: 3)
                ])
            wants.forget(7)
            wants.setShown(true, key)
            #expect(wants.takeDue(in: room, isEncrypted: false, at: .zero + .seconds(8)) == [Want(.high, of: 7)])
        }
    }
}

extension RoomLogbook {
    /// App data that came.
    fileprivate var texts: [String] {
        all.compactMap { if case .data(let text, from: _, missed: _) = $0 { text } else { nil } }
    }
}

/// Channels that can be cut as by a network that is gone: without a word.
private final class CutSignaling: RoomSignaling {
    private let inner: RoomWebSockets
    private let isCut = Monitor(false)
    private let channels = Monitor([RoomChannel]())

    init(_ inner: RoomWebSockets) { self.inner = inner }

    func open(_ handle: @escaping @Sendable (RoomSignal) -> Void) -> RoomChannel {
        let passes = Monitor(true)
        let channel = inner.open { [isCut] signal in
            if isCut.withLock({ $0 }) { passes.withLock { $0 = false } }
            if passes.withLock({ $0 }) { handle(signal) }
        }
        channels.withLock { $0.append(channel) }
        return RoomChannel { [isCut] request in
            if isCut.withLock({ $0 }) { passes.withLock { $0 = false } }
            if passes.withLock({ $0 }) { channel.send(request) }
        } close: {
            channel.close()
        }
    }

    /// Cuts for so long: by a thread, as those of tasks may be busy for longer.
    func cut(milliseconds: UInt32) {
        isCut.withLock { $0 = true }
        Thread.detachNewThread { [isCut] in
            usleep(milliseconds * 1000)
            isCut.withLock { $0 = false }
        }
    }
}
#endif
