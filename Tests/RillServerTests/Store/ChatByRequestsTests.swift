#if Server
import Foundation
import Glibc
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

/// Chat alone, without a socket and without media: requests, and server-sent events.
@Suite struct ChatByRequestsTests {
    let folder = TemporaryFolder()

    @Test func `Chat alone by server-sent events has history, live and marks, and reads on after a server was killed`()
        throws
    {
        let data = folder.path("data")
        var server = try ServerProcess(["--data", data], hasMedia: true)
        let anna = try server.enter("Anna").client
        #expect(try anna.write("one") == 1)
        let answer = try server.send("POST", "/rooms", [], #"{"type":"join","room":"lobby","name":"Curl"}"#)
        guard case .welcome(let welcome, _) = try JSONDecoder().decode(RoomMessage.self, from: Data(answer.body.utf8))
        else { throw TestFailure(answer.body) }
        #expect(welcome.chat?.messages.map(\.key) == ["one"])
        let session = "Authorization: Bearer \(welcome.session)"
        func ask(_ request: String) throws {
            #expect(try server.send("POST", "/rooms/requests", [session], request).status == 202)
        }
        var events = try EventReader(server, session, after: "\(welcome.epoch)-\(welcome.number)")
        // What it sends is there for others, and theirs for it.
        try ask(#"{"type":"chat","id":2,"key":"a","text":"two"}"#)
        #expect(
            try events.next { if case .done(2, number: _, answer: _, let number) = $0 { number } else { nil } } == 2)
        #expect(try anna.write("three") == 3)
        #expect(try events.next { $0.chat?.number == 3 ? $0.chat?.content?.text : nil } == "three")
        anna.send(#"{"type":"alive","number":0,"count":0,"message":2}"#)
        #expect(try events.next { if case .marks(let marks) = $0 { marks.received } else { nil } } == 2)
        try ask(#"{"type":"history","id":3,"after":0,"limit":2}"#)
        let page = try events.next {
            if case .history(let messages, to: 3) = $0 { messages.map(\.number) } else { nil }
        }
        #expect(page == [1, 2])
        // One that cannot be read is answered, too.
        try ask(#"{"type":"report","id":4,"message":1,"reason":"none of the six"}"#)
        let refusal = try events.next { if case .error(let error, to: 4) = $0 { error.code } else { nil } }
        #expect(refusal == .malformed)
        let position = try #require(events.position)
        #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
        server = try ServerProcess(["--data", data], hasMedia: true)
        events = try EventReader(server, session, after: position)
        let state = try events.next { if case .welcome(let welcome, to: _) = $0 { welcome.chat } else { nil } }
        #expect(state.messages.map(\.number) == [1, 2, 3] && state.author == welcome.chat?.author)
        // Again what was sent before.
        try ask(#"{"type":"chat","id":5,"key":"a","text":"two"}"#)
        #expect(
            try events.next { if case .done(5, number: _, answer: _, let number) = $0 { number } else { nil } } == 2)
        try ask(#"{"type":"chat","id":6,"key":"b","text":"four"}"#)
        #expect(try events.next { $0.chat?.number } == 4)
        #expect(try server.end() == 0)
    }
}

/// Reads server-sent events.
private struct EventReader {
    private let connection: RawConnection
    /// The last event's id.
    private(set) var position: String?

    init(_ server: ServerProcess, _ session: String, after position: String) throws {
        connection = try RawConnection(port: server.port)
        connection.send(
            "GET /rooms/events HTTP/1.1\r\nHost: localhost\r\n\(session)\r\nLast-Event-ID: \(position)\r\n\r\n")
        #expect(connection.response()?.headers["Content-Type"] == "text/event-stream")
        self.position = position
    }

    /// Reads until a message is what is wanted.
    mutating func next<Value>(_ wanted: (RoomMessage) -> Value?) throws -> Value {
        while true {
            let line = try line()
            if line.hasPrefix("id: ") { position = String(line.dropFirst(4)) }
            guard line.hasPrefix("data: ") else { continue }
            let message = try JSONDecoder().decode(RoomMessage.self, from: Data(line.dropFirst(6).utf8))
            if let value = wanted(message) { return value }
        }
    }

    private func line() throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != 0x0A {
            guard let byte = connection.take(1) else { throw TestFailure("the events end") }
            bytes += byte
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}

extension RoomMessage {
    /// The message of an event of the chat.
    fileprivate var chat: ChatMessage? {
        if case .event(let event) = self, case .chat(let message) = event.event { message } else { nil }
    }
}
#endif
