#if Server
import FoundationEssentials
import Logging
import RillCore
import RillForward
import RillPeer
import RillRooms
import RillServer
import RillTestSupport
import RillWHIP
import ServiceLifecycle
import Testing

/// A server with streams and rooms in this process, and clients that send it anything: for the address sanitizer.
@Suite(.serialized) struct MutatedRequestTests {
    private static let count = isLongRun ? 100_000 : 1_000
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    /// What the tables of rooms and forwarder may hold in the end: less than the limits that inputs have reached.
    private static let entryLimit = 3_000

    @Test func `Mutated requests and messages, half of them authentic, harm nobody and leave little`() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let tokens = try await SignedTokens(secret: Self.secret)
        let host = try ForwarderHost(logger: logger) { handle in try LiveForwarder(handle: handle) }
        var rooms = RoomService.defaults
        (rooms.requestRate, rooms.joinRate, rooms.roomLimit) = (1_000_000, 1_000_000, 100)
        var settings = ServerSettings(port: 0)
        settings.limits.address.connections = 1_000
        (settings.limits.address.requestsPerSecond, settings.limits.address.requestBurst) = (1_000_000, 2_000_000)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = try WHIPServer(
            host: host, settings: settings, tokens: tokens,
            rooms: RoomService(host: host, tokens: tokens, settings: rooms, logger: logger), logger: logger
        ) { port.yield($0) }
        let access = try await Access(tokens)
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let bound = UInt16(try existing(await ports.first { _ in true }))
            // It has its threads: what this one does does not hold it up.
            try await onOwnThread { try Attacker(port: bound, access).run(Self.count) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Tokens that let their bearer do everything.
    private struct Access: Sendable {
        let streams: String
        let rooms: [String]
        let metrics: String

        init(_ tokens: SignedTokens) async throws {
            let day = Duration.seconds(86_400)
            streams = try await tokens.token(publish: .all, watch: .all, lifetime: day)
            metrics = try await tokens.token(publish: .only([]), watch: .only([]), metrics: true, lifetime: day)
            var made: [String] = []
            for number in 0..<4 {
                made.append(
                    try await tokens.token(rooms: .all, identity: "member \(number)", role: .host, lifetime: day))
            }
            rooms = made
        }
    }

    /// The client's side, on one thread.
    private struct Attacker {
        let port: UInt16
        let access: Access
        let offer: String

        init(port: UInt16, _ access: Access) throws {
            (self.port, self.access) = (port, access)
            let peer = PeerConnection(.controlling, certificate: try DTLSCertificate(wallClock: 1_800_000_000))
            try peer.addLocalCandidate(UDPAddress(.loopback, port: 9))
            try peer.change { negotiator in
                for direction in [MediaDirection.sendOnly, .receiveOnly] {
                    try negotiator.addTransceiver(TransceiverSettings(.video, direction))
                }
            }
            offer = try peer.offer(at: .zero).text
        }

        func run(_ count: Int) throws {
            try sendRequests(count / 4, isAuthentic: false)
            try sendRequests(count / 4, isAuthentic: true)
            let before = try residentByteCount()
            try sendMessages(count / 4, isFramed: false)
            try sendMessages(count / 4, isFramed: true)
            note("\(count) inputs; the second half took \(try residentByteCount() - before) bytes")
            try checkServer()
        }

        // MARK: HTTP

        private func request(_ method: String, _ path: String, _ fields: [String] = [], _ body: [UInt8] = []) -> [UInt8]
        {
            let head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.count)"] + fields
            return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        }

        private var bodies: [(head: (method: String, path: String, fields: [String]), body: [UInt8])] {
            let (streams, member) = ("Authorization: Bearer \(access.streams)", access.rooms[0])
            let sdp = [streams, "Content-Type: application/sdp"]
            let join = #"{"type":"join","id":1,"room":"a","name":"b","token":"\#(member)"}"#
            return [
                (("POST", "/whip/a", sdp), Array(offer.utf8)), (("POST", "/whep/a", sdp), Array(offer.utf8)),
                (
                    ("PATCH", "/session/1", [streams, "Content-Type: application/trickle-ice-sdpfrag"]),
                    Array(offer.utf8)
                ),
                (("POST", "/rooms", []), Array(join.utf8)),
                (("POST", "/rooms/requests", ["Authorization: Bearer x.y"]), Array(#"{"type":"leave"}"#.utf8)),
            ]
        }

        private func sendRequests(_ count: Int, isAuthentic: Bool) throws {
            let paths = ["/", "/healthz", "/metrics", "/streams", "/room", "/session/1", "/rooms/events?after=1-2"]
            let upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
            var seeds = paths.map { request("GET", $0) } + [request("OPTIONS", "/whip/a"), request("DELETE", "/rooms")]
            seeds.append(request("GET", "/rooms", upgrade + ["Sec-WebSocket-Version: 13"]))
            seeds += bodies.map { request($0.head.method, $0.head.path, $0.head.fields, $0.body) }
            let all = isAuthentic ? bodies.map(\.body) : seeds
            var statuses: [Int: Int] = [:]
            let inputs = MutatedInputs(of: all, count: count, using: SeededGenerator(seed: isAuthentic ? 2 : 1))
            for (index, input) in inputs.enumerated() {
                let connection = try RawConnection(port: port)
                if isAuthentic {
                    // Head and token are good, and the body is anything.
                    let head = bodies[index % bodies.count].head
                    connection.send(request(head.method, head.path, head.fields, input))
                } else {
                    connection.send(input)
                }
                connection.finish()
                statuses[connection.response(seconds: 0.5)?.status ?? 0, default: 0] += 1
                connection.abandon()
            }
            note("\(isAuthentic ? "authentic" : "other") requests by status: \(statuses)")
            #expect(statuses.count > 3, "\(statuses)")
        }

        // MARK: WebSocket

        private func join(_ number: Int) throws -> SocketClient {
            let client = try SocketClient(port: port)
            let token = access.rooms[number % access.rooms.count]
            let answer = try client.ask(.join(JoinRequest(room: "room \(number % 7)", token: token, name: "x")))
            guard case .welcome = answer else { throw TestFailure("\(answer)") }
            return client
        }

        private func messages() throws -> [[UInt8]] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let commands: [RoomCommand] = [
                .negotiate(offer: offer), .publish(.video, mid: "0", isMuted: false), .unpublish(.video, of: nil),
                .mute(.sound, of: 3), .unmute(.video), .want(Want(.shown(width: 320, height: 180), of: 3)),
                .data(count: 1, to: nil, text: "x"), .chat(key: "k", text: "t"),
                .profile(name: "n", avatar: "a", attributes: ["k": "v"]), .role(3, .viewer), .rights(3, .all),
                .remove(3), .lock(false), .renew(token: access.rooms[1]), .alive(number: 1, count: 2),
            ]
            return try commands.enumerated().map { Array(try encoder.encode(RoomRequest($1, id: $0 + 2))) }
        }

        /// Sends messages in good frames, or frames that are anything.
        private func sendMessages(_ count: Int, isFramed: Bool) throws {
            let messages = try messages()
            let fragments = messages.flatMap { text in
                [
                    SocketClient.frame(1, text),
                    SocketClient.frame(1, Array(text.prefix(9)), isFinal: false) + SocketClient.frame(9, [1])
                        + SocketClient.frame(0, Array(text.dropFirst(9))),
                ]
            }
            let seeds = isFramed ? messages : fragments + [SocketClient.frame(8, [3, 232])]
            let inputs = MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: isFramed ? 4 : 3))
            var (client, joins) = (try join(0), 1)
            for (index, input) in inputs.enumerated() {
                // In text that is UTF-8, so that the session goes on.
                if isFramed { client.send(String(decoding: input, as: UTF8.self)) } else { client.send(raw: input) }
                guard !isFramed || index % 16 == 15 else {
                    // Frames that are anything mostly end a connection.
                    if !isFramed, index % 2 == 1 {
                        client.abandon()
                        (client, joins) = (try join(joins), joins + 1)
                    }
                    continue
                }
                guard isFramed else { continue }
                client.send(#"{"type":"alive","number":0}"#)
                if !client.waitsForAlive() {
                    client.abandon()
                    (client, joins) = (try join(joins), joins + 1)
                }
            }
            client.abandon()
            note("\(isFramed ? "framed" : "raw") messages in \(joins) sessions")
            #expect(!isFramed || joins < count / 32, "\(joins)")
        }

        // MARK: The end

        private func checkServer() throws {
            // Who is gone is dropped after 15 s; its seat is for others at once.
            let client = try join(0)
            _ = try client.ask(.chat(key: "end", text: "x"))
            let connection = try RawConnection(port: port)
            connection.send(request("GET", "/healthz"))
            #expect(connection.response()?.status == 200)
            connection.send(request("GET", "/metrics", ["Authorization: Bearer \(access.metrics)"]))
            let metrics = try existing(connection.response()).body
            func value(_ name: String) throws -> Int {
                let line = metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                return try existing(line?.split(separator: " ").last.flatMap { Int($0) })
            }
            let entries = try value("rill_room_entries")
            note("\(entries) entries of rooms, \(try value("rill_room_channels")) channels")
            #expect(entries < MutatedRequestTests.entryLimit)
            #expect(try value("rill_room_members") <= 40 && value("rill_rooms") <= 100)
        }
    }
}

extension SocketClient {
    /// Whether the server answers `alive`, and does not close.
    fileprivate func waitsForAlive() -> Bool {
        while let frame = next(seconds: 10), frame.opcode != 8 {
            if frame.bytes == Array(#"{"type":"alive"}"#.utf8) { return true }
        }
        return false
    }
}
#endif
