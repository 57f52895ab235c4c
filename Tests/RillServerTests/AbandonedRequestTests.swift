#if Server
import Logging
import RillCore
import RillServer
import RillTestSupport
import RillWHIP
import ServiceLifecycle
import Testing

/// Clients that reset their connection before they have the response.
@Suite struct AbandonedRequestTests {
    /// A host whose clients reset their connections while it makes their session.
    private final class DesertedHost: StreamHost {
        let memory = MemoryStreamHost()
        /// The connection of the client that waits.
        private let client = Monitor<RawConnection?>(nil)
        private let publishedCount = Monitor(0)

        /// How many sessions were made.
        var count: Int { publishedCount.withLock { $0 } }

        /// Posts an offer of a stream of its own; `publish` waits for the lock.
        func post(_ number: Int, to port: UInt16) throws {
            let body = "v=0\r\n"
            let head = [
                "POST /whip/s\(number) HTTP/1.1", "Host: localhost", "Content-Type: application/sdp",
                "Content-Length: \(body.utf8.count)",
            ]
            try client.withLock { client in
                client = try RawConnection(port: port)
                client?.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
            }
        }

        func publish(
            _ name: String, offer: String, from client: StreamClient, replacing replacement: StreamReplacement
        ) throws(StreamHostError) -> HostedSession {
            let session = try memory.publish(name, offer: offer, from: client, replacing: replacement)
            self.client.withLock { $0.take()?.abandon() }
            publishedCount.withLock { $0 += 1 }
            return session
        }

        func watch(_ name: String, offer: String, from client: StreamClient) throws(StreamHostError) -> HostedSession {
            try memory.watch(name, offer: offer, from: client)
        }

        func addCandidates(_ fragment: SDPFragment, to session: String) throws(StreamHostError) {
            try memory.addCandidates(fragment, to: session)
        }

        func restart(_ session: String, with fragment: SDPFragment) throws(StreamHostError) -> SDPFragment {
            try memory.restart(session, with: fragment)
        }

        func select(_ layer: String?, for session: String) throws(StreamHostError) {
            try memory.select(layer, for: session)
        }

        func end(_ session: String) throws(StreamHostError) { try memory.end(session) }
        func holds(_ session: String) -> Bool { memory.holds(session) }
        var streams: [HostedStream] { memory.streams }
    }

    @Test func `A client that resets its connection before the response leaves no session`() async throws {
        let host = DesertedHost()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = try WHIPServer(
            host: host, settings: ServerSettings(port: 0), tokens: nil, logger: logger
        ) { port.yield($0) }
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let bound = UInt16(await ports.first { _ in true } ?? 0)
            let total = 40
            let deadline = ContinuousClock.now + .seconds(240)
            var number = 0
            while host.count < total, ContinuousClock.now < deadline {
                let count = host.count
                number += 1
                try host.post(number, to: bound)
                while host.count == count, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            #expect(host.count == total)
            var quiet = 0
            let end = ContinuousClock.now + .seconds(30)
            while quiet < 100, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
                quiet = host.memory.sessions.isEmpty && server.endpoint.sessionCount == 0 ? quiet + 1 : 0
            }
            #expect(quiet == 100, "\(host.memory.sessions.count), \(server.endpoint.sessionCount) of \(host.count)")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
#endif
