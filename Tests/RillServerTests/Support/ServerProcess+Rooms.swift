#if Server
import FoundationEssentials
import RillRooms
import RillTestSupport
import RillWHIP

/// Clients of a server's rooms.
extension ServerProcess {
    /// Comes into a room.
    func enter(
        _ name: String, _ room: String = "lobby", token: String? = nil, session: String? = nil
    ) throws -> (client: SocketClient, welcome: Welcome) {
        let client = try SocketClient(port: port)
        let answer = try client.ask(.join(JoinRequest(room: room, token: token, session: session, name: name)))
        guard case .welcome(let welcome, _) = answer else { throw TestFailure("\(name) is not in: \(answer)") }
        return (client, welcome)
    }

    /// Sends an image, as the bearer of a session's token.
    func post(_ image: [UInt8], of session: String) throws -> WHIPResponse {
        let connection = try RawConnection(port: port)
        let head = [
            "POST /rooms/images HTTP/1.1", "Host: localhost", "Content-Length: \(image.count)",
            "Authorization: Bearer \(session)",
        ]
        connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + image)
        return try existing(connection.response(seconds: 60))
    }

    /// A metric's value.
    func metric(_ name: String) throws -> Int? {
        let lines = try send("GET", "/metrics").body.split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
    }
}

extension SocketClient {
    /// Writes a chat message.
    ///
    /// - Returns: its number.
    func write(_ text: String, key: String? = nil) throws -> Int {
        let answer = try ask(.chat(key: key ?? text, text: text))
        guard case .done(_, number: _, answer: _, message: let number?) = answer else {
            throw TestFailure("\(text.prefix(20)) is not stored: \(answer)")
        }
        return number
    }

    /// The messages of the chat, at most 100.
    func history() throws -> [ChatMessage] {
        guard case .history(let messages, to: _) = try ask(.chat(.history(ChatPage(.before(nil), limit: 100)))) else {
            throw TestFailure("no history")
        }
        return messages
    }
}
#endif
