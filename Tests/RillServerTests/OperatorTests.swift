#if Server
import Foundation
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

/// The operator's requests: who is in which room, and whose tokens count no more.
@Suite struct OperatorTests {
    private let folder = TemporaryFolder()
    private let secret: String
    private let server: ServerProcess

    init() throws {
        secret = try folder.write("0123456789abcdef0123456789abcdef", as: "secret")
        server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"], hasMedia: true)
    }

    private func token(_ words: String...) throws -> String {
        String(try rill(["token", "--secret-file", secret] + words).text.dropLast())
    }

    private func send(_ line: String, _ token: String?, _ body: String = "") throws -> WHIPResponse {
        let connection = try RawConnection(port: server.port)
        let fields =
            ["Host: localhost", "Content-Length: \(body.utf8.count)"]
            + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        connection.send(
            "\(line) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\nConnection: close\r\n\r\n\(body)")
        return try #require(connection.response())
    }

    private struct Report: Decodable {
        var rooms: [Room]
        struct Room: Decodable {
            var name: String
            var members: [Member]
        }
        struct Member: Decodable {
            var name: String
            var identity: String?
            var presence: String
        }
    }

    private func join(_ token: String) throws -> RoomMessage {
        try SocketClient(port: server.port).ask(.join(JoinRequest(room: "lobby", token: token, name: "Anna")))
    }

    @Test func `The operator sees who is there, and a revoked identity is out until it has a newer token`() throws {
        let anna = try token("--room", "lobby", "--subject", "anna", "--name", "Anna")
        let client = try SocketClient(port: server.port)
        let answer = try client.ask(.join(JoinRequest(room: "lobby", token: anna, name: "x")))
        guard case .welcome(let welcome, _) = answer else { throw TestFailure("\(answer)") }
        let reader = try token("--metrics")
        let report = try JSONDecoder().decode(
            Report.self, from: Data(try send("GET /operator/rooms", reader).body.utf8))
        #expect(report.rooms.map(\.name) == ["lobby"])
        #expect(report.rooms[0].members.map(\.name) == ["Anna"])
        #expect(report.rooms[0].members[0].identity == "anna" && report.rooms[0].members[0].presence == "connected")
        // Reading is not revoking, a member's token allows neither, and none is 401.
        let revocation = #"{"identity":"anna"}"#
        #expect(try send("POST /operator/revocations", reader, revocation).status == 403)
        #expect(try send("POST /operator/revocations", anna, revocation).status == 403)
        #expect(try send("POST /operator/revocations", nil, revocation).status == 401)
        #expect(try send("GET /operator/rooms", anna).status == 403)
        #expect(try send("GET /operator/rooms", nil).status == 401)
        let operating = try token("--operate")
        #expect(try send("POST /operator/revocations", operating, "{}").status == 400)
        #expect(
            try send("POST /operator/revocations", operating, String(repeating: "x", count: 10_000)).status == 413)
        #expect(try send("DELETE /operator/rooms", operating).status == 405)
        #expect(try send("GET /operator/more", operating).status == 404)
        let done = try send("POST /operator/revocations", operating, revocation)
        #expect(done.status == 200 && done.body == #"{"sessions":1}"#)
        var last: RoomMessage?
        while let frame = client.next(), frame.opcode == 1 {
            last = try JSONDecoder().decode(RoomMessage.self, from: Data(frame.bytes))
        }
        #expect(last == .bye(.expired))
        guard case .error(.unauthorized, _) = try join(anna) else { throw TestFailure("a revoked token is taken") }
        let resume = RoomCommand.resume(session: welcome.session, epoch: welcome.epoch, number: 0, count: 0)
        guard case .error(.unauthorized, _) = try SocketClient(port: server.port).ask(resume) else {
            throw TestFailure("a revoked session is taken")
        }
        // Tokens have whole seconds: one of the same second is an old one.
        sleep(1)
        guard case .welcome = try join(token("--room", "lobby", "--subject", "anna")) else {
            throw TestFailure("a newer token is not taken")
        }
    }
}
#endif
