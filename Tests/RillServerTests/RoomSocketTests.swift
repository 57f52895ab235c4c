#if Server
import FoundationEssentials
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

/// Rooms of a whole server, over sockets.
@Suite(.serialized) struct RoomSocketTests {
    private func join(_ server: ServerProcess, _ name: String, token: String? = nil) throws -> (SocketClient, Welcome) {
        let client = try SocketClient(port: server.port)
        let answer = try client.ask(.join(JoinRequest(room: "lobby", token: token, name: name)))
        guard case .welcome(let welcome, _) = answer else { throw TestFailure("\(name) is not in: \(answer)") }
        return (client, welcome)
    }

    @Test func `Two meet in a room, write to each other, and one comes back after a cut`() throws {
        let server = try ServerProcess(hasMedia: true)
        let (anna, first) = try join(server, "Anna")
        #expect(first.snapshot?.participants.map(\.name) == ["Anna"] && !first.hasMedia)
        var ben: SocketClient? = try join(server, "Ben").0
        guard case .event(let joined) = try anna.message(), case .joined(let participant) = joined.event else {
            throw TestFailure("Anna is not told of Ben")
        }
        #expect(participant.name == "Ben" && joined.number == first.number + 1)
        let text = "hello <b> \u{1F600} \u{202E}"
        _ = try ben?.ask(.chat(key: "1", text: text))
        guard case .event(let written) = try anna.message(), case .chat(let message) = written.event else {
            throw TestFailure("Anna is not told what Ben wrote")
        }
        #expect(message.content?.text == text && message.uid == participant.uid)
        // Ben's connection is gone without a word; Anna reads on after a cut of her own.
        ben = nil
        let again = try SocketClient(port: server.port)
        let answer = try again.ask(.resume(session: first.session, epoch: first.epoch, number: first.number, count: 0))
        guard case .welcome(let welcome, _) = answer else { throw TestFailure("Anna is not back: \(answer)") }
        #expect(welcome.uid == first.uid && welcome.snapshot == nil && welcome.number == first.number)
        var numbers: [Int] = []
        while numbers.count < 2 { if case .event(let event) = try again.message() { numbers.append(event.number) } }
        #expect(numbers == [first.number + 1, first.number + 2])
    }

    @Test func `Messages of every length arrive, in fragments too, with pings between them`() throws {
        let server = try ServerProcess(hasMedia: true)
        let (client, _) = try join(server, "Anna")
        for count in [0, 1, 125, 126, 127, 4000] {
            // Characters of 17 bytes: a message has 255 of them at most.
            let text = String(
                repeating: count > 255 ? "x" + String(repeating: "\u{301}", count: 8) : "x",
                count: max(count - 40, 0) / (count > 255 ? 17 : 1))
            let answer = try client.ask(.chat(key: "\(count)", text: text.isEmpty ? "-" : text))
            guard case .done = answer else { throw TestFailure("\(count): \(answer)") }
        }
        // What no room takes, and the socket does: it is too large for a message of chat.
        for count in [65_535, 65_536, 200_000] {
            let head = Array(#"{"type":"chat","id":7,"key":"k","text":""#.utf8)
            client.send(1, head + [UInt8](repeating: 0x78, count: count - head.count - 2) + Array("\"}".utf8))
            guard case .error(.tooLarge(field: "text", limit: 16_384), to: 7) = try client.answer() else {
                throw TestFailure("\(count) bytes are not refused by name")
            }
        }
        let whole = Array(#"{"type":"chat","id":9,"key":"f","text":"\#u{E9}"}"#.utf8)
        client.send(1, Array(whole[..<30]), isFinal: false)
        client.send(9, [1, 2, 3])
        client.send(0, [], isFinal: false)
        client.send(0, Array(whole[30..<whole.count - 3]), isFinal: false)
        client.send(0, Array(whole[(whole.count - 3)...]))
        #expect(client.next() == SocketClient.Frame(opcode: 10, bytes: [1, 2, 3]))
        let answer = try client.answer()
        guard case .done(9, number: _, answer: _, message: _) = answer else { throw TestFailure("\(answer)") }
    }

    /// What a client does wrong, or says at the end, and the code with which the server closes (RFC 6455 §7.4.1).
    enum Ending: CaseIterable {
        case unmasked, reservedBit, reservedOpcode, longPing, fragmentedPing, strayContinuation, textInFragments
        case invalidUTF8, invalidUTF8InFragments, binary, tooLong
        case normalClosure, emptyClose, closeOfOneByte, closeWithForbiddenCode, closeWithText, closeWithInvalidText

        func play(_ client: SocketClient) {
            switch self {
            case .unmasked: client.send(1, Array("{}".utf8), isMasked: false)
            case .reservedBit: client.send(1, Array("{}".utf8), reserved: 4)
            case .reservedOpcode: client.send(3, [])
            case .longPing: client.send(9, [UInt8](repeating: 0, count: 126))
            case .fragmentedPing: client.send(9, [], isFinal: false)
            case .strayContinuation: client.send(0, [1])
            case .textInFragments:
                client.send(1, [0x7B], isFinal: false)
                client.send(1, [0x7D])
            case .invalidUTF8: client.send(1, [0x22, 0xC3, 0x28, 0x22])
            case .invalidUTF8InFragments:
                client.send(1, [0xE2, 0x82], isFinal: false)
                client.send(0, [0x28])
            case .binary: client.send(2, [1, 2])
            case .tooLong: client.send(1, [UInt8](repeating: 0x20, count: 300_000))
            case .normalClosure: client.send(8, [0x03, 0xE8])
            case .emptyClose: client.send(8, [])
            case .closeOfOneByte: client.send(8, [3])
            case .closeWithForbiddenCode: client.send(8, [0x03, 0xED])
            case .closeWithText: client.send(8, [0x0F, 0xA0] + Array("bye".utf8))
            case .closeWithInvalidText: client.send(8, [0x03, 0xE8, 0xFF])
            }
        }

        var code: Int? {
            switch self {
            case .unmasked, .reservedBit, .reservedOpcode, .longPing, .fragmentedPing, .strayContinuation,
                .textInFragments, .closeOfOneByte, .closeWithForbiddenCode:
                1002
            case .invalidUTF8, .invalidUTF8InFragments, .closeWithInvalidText: 1007
            case .binary: 1003
            case .tooLong: 1009
            case .normalClosure: 1000
            case .closeWithText: 4000
            case .emptyClose: nil
            }
        }
    }

    @Test func `Each wrong frame, and each close, is answered with its code`() throws {
        let server = try ServerProcess(hasMedia: true)
        let (other, _) = try join(server, "Ben")
        for ending in Ending.allCases {
            let (client, _) = try join(server, "Anna")
            ending.play(client)
            var last: SocketClient.Frame?
            while let frame = client.next() { last = frame }
            let code = ending.code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
            #expect(last == SocketClient.Frame(opcode: 8, bytes: code), "\(ending)")
            #expect(client.isClosed())
        }
        guard case .alive = try other.alive() else { throw TestFailure("the other one is gone") }
    }

    @Test func `Tokens let into their rooms only, and say who one is`() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
        let server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"], hasMedia: true)
        func token(_ arguments: [String]) throws -> String {
            let outcome = try rill(["token", "--secret-file", secret] + arguments)
            #expect(outcome.status == 0, "\(outcome.text)")
            return outcome.text.trimmingPrefix { $0.isWhitespace }.split(separator: "\n").first.map(String.init) ?? ""
        }
        let own = try token(["--room", "lobby", "--subject", "anna", "--name", "Anna", "--role", "viewer"])
        let (client, welcome) = try join(server, "Somebody", token: own)
        let participant = try existing(welcome.snapshot?.participants.first)
        #expect(participant.name == "Anna" && participant.identity == "anna" && participant.role == .viewer)
        guard case .error(.notAllowed(.sound), to: _) = try client.ask(.publish(.sound, mid: nil, isMuted: false))
        else {
            throw TestFailure("a viewer publishes")
        }
        let others = try [
            nil, "", "x.y.z", String(own.dropLast(2)), token(["--room", "other"]), token(["--watch", "*"]),
            token(["--room", "lobby", "--expires", "1s"]),
        ]
        // Until the last one has expired.
        #expect(!client.isClosed(within: 2.1))
        for (index, token) in others.enumerated() {
            let client = try SocketClient(port: server.port)
            guard
                case .error(.unauthorized, to: _) = try client.ask(
                    .join(JoinRequest(room: "lobby", token: token, name: "x")))
            else { throw TestFailure("token \(index) lets in") }
        }
        // A newer session of an identity takes the place of the older one.
        _ = try join(server, "Anna", token: own)
        var isReplaced = false
        while let message = try? client.message() { if case .bye(.replaced) = message { isReplaced = true } }
        #expect(isReplaced)
    }

    @Test func `Pages of other sites, and other names of this machine, get no socket`() throws {
        let server = try ServerProcess(hasMedia: true)
        for fields in [
            ["Host: example.net"], ["Host: localhost", "Origin: https://example.net"],
            ["Host: localhost", "Origin: null"],
        ] {
            #expect(throws: TestFailure.self, "\(fields)") { try SocketClient(port: server.port, fields) }
        }
        _ = try SocketClient(port: server.port, ["Host: localhost", "Origin: http://localhost:8080"])
        // On a connection that was used, and without an upgrade.
        #expect(try server.send("GET", "/rooms").status == 426)
        #expect(try server.send("DELETE", "/rooms").status == 405)
        #expect(try server.send("GET", "/roomsx").status == 404)
    }

    @Test func `A server that ends says so to all who are in a room, and keeps nobody`() throws {
        let server = try ServerProcess(hasMedia: true)
        let clients = try ["Anna", "Ben"].map { try join(server, $0).0 }
        #expect(try server.end() == 0, "\(server.log)")
        for client in clients {
            var isTold = false
            while let message = try? client.message() { if case .bye(.draining) = message { isTold = true } }
            #expect(isTold)
        }
    }

    @Test func `Who says nothing goes for those who join, and one who floods is told, and harms nobody`() throws {
        let server = try ServerProcess(hasMedia: true)
        let (anna, _) = try join(server, "Anna")
        let flooder = try join(server, "Ben").0
        for number in 0..<500 { flooder.send(#"{"type":"chat","id":\#(number + 1),"key":"\#(number)","text":"x"}"#) }
        var refused = 0
        for _ in 0..<500 { if case .error(.tooFast, to: _) = try flooder.answer() { refused += 1 } }
        #expect(refused > 250)
        guard case .alive = try anna.alive() else { throw TestFailure("Anna is gone") }
        // As many as an address may have; those who have not joined go, the oldest first.
        let silent = try (0..<60).map { _ in try SocketClient(port: server.port) }
        let (_, welcome) = try join(server, "Carol")
        #expect(welcome.snapshot?.participants.count == 3)
        #expect(silent[0].isClosed(within: 15))
    }

    @Test func `Without a socket one joins, reads on, writes and leaves by requests`() throws {
        let server = try ServerProcess(hasMedia: true)
        let (anna, _) = try join(server, "Anna")
        let made = try server.send("POST", "/rooms", [], #"{"type":"join","room":"lobby","name":"Curl"}"#)
        #expect(made.status == 200 && made.headers["Content-Type"] == "application/json")
        guard case .welcome(let welcome, _) = try JSONDecoder().decode(RoomMessage.self, from: Data(made.body.utf8))
        else { throw TestFailure(made.body) }
        #expect(welcome.chat?.isEnabled == true && welcome.chat?.author.hasPrefix("guest:") == true)
        let bearer = "Authorization: Bearer \(welcome.session)"
        let chat = #"{"type":"chat","key":"1","text":"hello"}"#
        #expect(try server.send("POST", "/rooms/requests", [bearer], chat).status == 409)
        let events = try RawConnection(port: server.port)
        events.send(
            "GET /rooms/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(bearer)\r\n"
                + "Last-Event-ID: \(welcome.epoch)-\(welcome.number)\r\n\r\n")
        #expect(events.response()?.headers["Content-Type"] == "text/event-stream")
        #expect(try server.send("POST", "/rooms/requests", [bearer], chat).status == 202)
        var texts: [String] = []
        while texts.isEmpty {
            if case .event(let event) = try anna.message(), case .chat(let message) = event.event {
                texts.append(message.content?.text ?? "")
            }
        }
        #expect(texts == ["hello"])
        // Who joins afterwards has it from the store.
        #expect(try join(server, "Ben").1.chat?.messages.map(\.content?.text) == ["hello"])
        #expect(try server.send("POST", "/rooms/requests", [bearer], #"{"type":"leave"}"#).status == 202)
        #expect(events.isClosed(within: 10))
        #expect(try server.send("POST", "/rooms/requests", [bearer], chat).status == 409)
        let refused = try server.send("POST", "/rooms", [], #"{"type":"join"}"#)
        #expect(refused.status == 400 && refused.body.contains("room"))
    }
}

extension SocketClient {
    /// The next answer to a request; events do not count.
    fileprivate func answer() throws -> RoomMessage {
        while true {
            let message = try message()
            switch message {
            case .done, .error, .welcome: return message
            default: continue
            }
        }
    }

    /// Says that it is there, and waits for the answer.
    fileprivate func alive() throws -> RoomMessage {
        send(#"{"type":"alive","number":0}"#)
        while true {
            let message = try message()
            if case .alive = message { return message }
        }
    }
}
#endif
