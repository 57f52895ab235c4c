#if Server
import Logging
import RillServer
import RillWHIP
import ServiceLifecycle
import Testing

@Suite struct GracefulEndTests {
    @Test func `A graceful shutdown ends the sessions`() async throws {
        let host = MemoryStreamHost()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = try WHIPServer(
            host: host, settings: ServerSettings(port: 0), tokens: nil, logger: logger
        ) { port.yield($0) }
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let bound = await ports.first { _ in true }
            #expect((bound ?? 0) > 0)
            let offer = WHIPRequest(
                "POST", "/whip/a", headers: WHIPHeaders([.init("Content-Type", "application/sdp")]), body: "v=0\r\n")
            #expect(server.endpoint.respond(to: offer, access: .unrestricted).status == 201)
            #expect(host.sessions.count == 1)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(host.sessions.isEmpty)
    }

    @Test func `Without tokens only loopback is allowed`() throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        for address in ["0.0.0.0", "192.0.2.1", "::", "127.example.net", "example.net"] {
            #expect(throws: ServerError.openWithoutSecret(address: address)) {
                try WHIPServer(
                    host: MemoryStreamHost(), settings: ServerSettings(address: address), tokens: nil, logger: logger)
            }
        }
        for address in ["127.0.0.1", "127.1.2.3", "::1", "localhost"] {
            _ = try WHIPServer(
                host: MemoryStreamHost(), settings: ServerSettings(address: address), tokens: nil, logger: logger)
        }
    }
}
#endif
