#if Server
import FoundationEssentials
import RillRooms
import RillTestSupport
import RillWHIP

/// The client's side of a WebSocket, frame by frame (RFC 6455), for frames that no library would send.
final class SocketClient {
    private let connection: RawConnection
    private var requestNumber = 0

    /// A frame of the server's.
    struct Frame: Equatable {
        var opcode: UInt8
        var bytes: [UInt8]
    }

    /// Opens one.
    init(
        port: UInt16, path: String = "/rooms", _ fields: [String] = ["Host: localhost"], from host: UInt8 = 1
    ) throws {
        connection = try RawConnection(port: port, from: host)
        let head =
            [
                "GET \(path) HTTP/1.1", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            ] + fields
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        guard let response = connection.response() else { throw TestFailure("no response to an upgrade") }
        // RFC 6455 §1.3 has this key and its answer.
        guard response.status == 101, response.headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
            throw TestFailure("no upgrade: \(response.status)")
        }
    }

    /// Sends a frame.
    func send(
        _ opcode: UInt8, _ bytes: [UInt8], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) {
        connection.send(
            Self.frame(opcode, bytes, isFinal: isFinal, isMasked: isMasked, reserved: reserved))
    }

    /// The bytes of a frame.
    static func frame(
        _ opcode: UInt8, _ bytes: [UInt8], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) -> [UInt8] {
        var frame = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch bytes.count {
        case ..<126: frame.append(mask | UInt8(bytes.count))
        case ..<65_536: frame += [mask | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        default: frame += [mask | 127] + stride(from: 56, through: 0, by: -8).map { UInt8(bytes.count >> $0 & 0xFF) }
        }
        let key: [UInt8] = [1, 2, 3, 4]
        if isMasked { frame += key }
        frame += isMasked ? bytes.enumerated().map { $1 ^ key[$0 % 4] } : bytes
        return frame
    }

    /// Sends anything, framed or not.
    func send(raw bytes: [UInt8]) { connection.send(bytes) }

    /// Ends the connection by a reset.
    func abandon() { connection.abandon() }

    /// Sends text.
    func send(_ text: String) { send(1, Array(text.utf8)) }

    /// The next frame; `nil` if the server closes the connection before it.
    func next(seconds: Double = 10) -> Frame? {
        guard let head = connection.take(2, seconds: seconds) else { return nil }
        var count = Int(head[1] & 0x7F)
        if count >= 126 {
            guard let more = connection.take(count == 126 ? 2 : 8) else { return nil }
            count = more.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let bytes = connection.take(count) else { return nil }
        return Frame(opcode: head[0] & 0x0F, bytes: bytes)
    }

    /// Whether the server closes the connection.
    func isClosed(within seconds: Double = 10) -> Bool { connection.isClosed(within: seconds) }

    // MARK: Rooms

    /// The next message of a room.
    func message(seconds: Double = 10) throws -> RoomMessage {
        guard let frame = next(seconds: seconds), frame.opcode == 1 else { throw TestFailure("no message") }
        return try JSONDecoder().decode(RoomMessage.self, from: Data(frame.bytes))
    }

    /// Sends a request, and waits for its answer.
    func ask(_ command: RoomCommand) throws -> RoomMessage {
        requestNumber += 1
        send(1, Array(try JSONEncoder().encode(RoomRequest(command, id: requestNumber))))
        while true {
            let message = try message()
            switch message {
            case .welcome(_, requestNumber), .done(requestNumber, number: _, answer: _, message: _),
                .error(_, requestNumber), .history(_, requestNumber):
                return message
            default: events.append(message)
            }
        }
    }

    /// What came while an answer was awaited.
    private(set) var events: [RoomMessage] = []

    /// Takes what came.
    func takeEvents() -> [RoomMessage] {
        defer { events = [] }
        return events
    }
}
#endif
