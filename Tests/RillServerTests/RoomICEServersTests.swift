#if Server
import FoundationEssentials
import RillServer
import RillTestSupport
import RillWHIP
import Testing

/// The STUN and TURN servers that the server names.
@Suite struct RoomICEServersTests {
    @Test func `A name is its end and a word, and its password an HMAC, as other programs make it`() {
        let servers = ClientICEServers(
            [
                ICEServer("stun:a.example"), ICEServer("turn:b.example?transport=tcp"), ICEServer("turns:c.example"),
                ICEServer("turn:d.example", username: "user", credential: "word"),
            ], secret: Array("north".utf8))
        let issued = servers.issued(at: 1_767_225_600, word: 42)
        // By Python's hmac and base64.
        let name = "1767312000:2a"
        let password = "wUqrfGDFuf7INl4LKCrNIkye9tg="
        #expect(
            issued == [
                ICEServer("stun:a.example"),
                ICEServer("turn:b.example?transport=tcp", username: name, credential: password),
                ICEServer("turns:c.example", username: name, credential: password),
                ICEServer("turn:d.example", username: "user", credential: "word"),
            ])
        #expect(ClientICEServers(servers.servers).issued(at: 0, word: 1) == servers.servers)
    }

    private struct Configuration: Decodable {
        var iceServers: [Server]
        struct Server: Decodable {
            var urls: String
            var username: String?
            var credential: String?
        }
    }

    private func get(_ path: String, _ fields: [String], _ server: ServerProcess) throws -> WHIPResponse {
        let connection = try RawConnection(port: server.port)
        connection.send(
            (["\(path) HTTP/1.1", "Host: localhost", "Connection: close"] + fields).joined(separator: "\r\n")
                + "\r\n\r\n")
        return try #require(connection.response())
    }

    @Test func `Members are told them, with names of their own; who has no token of the room is not`() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("0123456789abcdef0123456789abcdef\n", as: "secret")
        let turn = try folder.write(" north\n", as: "turn")
        let server = try ServerProcess(
            [
                "--secret-file", secret, "--host", "127.0.0.1", "--ice-server", "turn:b.example", "--turn-secret-file",
                turn,
            ], hasMedia: true)
        let token = try rill(["token", "--secret-file", secret, "--room", "lobby", "--subject", "anna"]).text
        let bearer = "Authorization: Bearer \(token.dropLast())"
        let path = "GET /rooms/ice-servers?room="
        for (room, fields) in [("lobby", []), ("other", [bearer]), ("", [bearer])] {
            #expect(try get(path + room, fields, server).status == 401, "\(room)")
        }
        let response = try get(path + "lobby", [bearer, "Origin: https://app.example"], server)
        #expect(response.status == 200 && response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(response.headers["Cache-Control"] == "no-store")
        let found = try JSONDecoder().decode(Configuration.self, from: Data(response.body.utf8)).iceServers
        #expect(found.map(\.urls) == ["turn:b.example"])
        let name = try #require(found[0].username)
        let end = try #require(Int(name.prefix { $0 != ":" }))
        let word = try #require(UInt32(name.drop { $0 != ":" }.dropFirst(), radix: 16))
        let servers = ClientICEServers([ICEServer("turn:b.example")], secret: Array("north".utf8))
        #expect(servers.issued(at: end - 86_400, word: word)[0].credential == found[0].credential)
        #expect(abs(end - 86_400 - Int(Date().timeIntervalSince1970)) < 3600)
        // A browser asks before it sends the token to another site.
        let asked = try get(
            "OPTIONS /rooms/ice-servers", ["Origin: https://app.example", "Access-Control-Request-Method: GET"], server)
        #expect(asked.status == 204)
        #expect(asked.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
        #expect(try get("DELETE /rooms/ice-servers?room=lobby", [bearer], server).status == 405)
    }

    @Test func `Each client gets a name of its own`() throws {
        let folder = TemporaryFolder()
        let turn = try folder.write("north", as: "turn")
        let server = try ServerProcess(["--ice-server", "turn:b.example", "--turn-secret-file", turn], hasMedia: true)
        // Nothing is missing for rooms without tokens.
        let answers = try (0..<2).map { _ in try get("GET /rooms/ice-servers?room=x", [], server).body }
        #expect(answers[0] != answers[1] && answers[0].contains("\"turn:b.example\""))
    }

    @Test func `A file that cannot be read is an error at the start`() throws {
        let outcome = try rill(["serve", "--http", "0", "--turn-secret-file", "/nonexistent/secret"])
        #expect(outcome.status != 0 && outcome.text.contains("/nonexistent/secret"))
    }
}
#endif
