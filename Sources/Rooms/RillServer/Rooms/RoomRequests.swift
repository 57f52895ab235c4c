#if Server
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import RillCore
import RillRooms
import RillWHIP

/// Rooms without a WebSocket: `POST /rooms` joins, `GET /rooms/events` reads as server-sent events, and
/// `POST /rooms/requests` asks, with the session's token as bearer.
struct RoomRequests: Sendable {
    let server: RoomServer
    let origins: AllowedOrigins
    let gate: AddressGate

    /// Answers a request below ``RoomSocket/path``; `nil` for another path.
    func respond(to request: Request, _ path: Substring, channel: any Channel) async throws -> Response? {
        guard path == RoomSocket.path || path.hasPrefix("\(RoomSocket.path)/") else { return nil }
        guard origins.allows(request.headers[.origin]) else { return Response(status: .forbidden) }
        switch (path, request.method) {
        case ("/rooms", .get):
            return Response(
                status: .upgradeRequired, headers: [.upgrade: "websocket", .connection: "close"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "Open a WebSocket on a connection of its own.\n")))
        case ("/rooms", .post): return try await join(request, channel)
        case ("/rooms/requests", .post): return try await ask(request)
        case ("/rooms/events", .get): return await events(request, channel)
        case ("/rooms", _), ("/rooms/requests", _), ("/rooms/events", _):
            return Response(status: .methodNotAllowed, headers: [.allow: path == "/rooms" ? "GET, POST" : "POST, GET"])
        default: return nil
        }
    }

    /// Joins. The session goes on with its events, within 15 s.
    private func join(_ request: Request, _ connection: any Channel) async throws -> Response {
        guard let body = try await body(of: request) else { return Response(status: .contentTooLarge) }
        let (answers, continuation) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(1))
        let channel = await server.open(
            AnswerWriter(continuation: continuation), from: address(of: request, connection))
        await server.receive(body, from: channel)
        var answer: ByteBuffer?
        for await first in answers {
            answer = first
            break
        }
        await server.closed(channel)
        guard let answer else { return Response(status: .serviceUnavailable) }
        return Response(json: answer, status: Self.status(of: answer))
    }

    /// Passes a request on. Its answer comes with the events.
    private func ask(_ request: Request) async throws -> Response {
        guard let session = session(of: request) else { return Response(status: .unauthorized) }
        guard let body = try await body(of: request) else { return Response(status: .contentTooLarge) }
        let isTaken = await server.receive(body, ofSession: session)
        return Response(status: isTaken ? .accepted : .conflict)
    }

    /// Reads on behind `Last-Event-ID`, or the query's `after`: EPOCH-NUMBER.
    private func events(_ request: Request, _ channel: any Channel) async -> Response {
        guard let session = session(of: request) else { return Response(status: .unauthorized) }
        let name = HTTPField.Name("Last-Event-ID")
        let after = name.flatMap { request.headers[$0] } ?? request.uri.queryParameters["after"].map(String.init)
        let parts = (after ?? "").split(separator: "-").compactMap { Int($0) }
        let (messages, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let id = await server.open(
            EventStreamWriter(continuation: continuation, channel: channel), from: address(of: request, channel))
        let command = RoomCommand.resume(
            session: session, epoch: parts.count == 2 ? parts[0] : 0, number: parts.count == 2 ? parts[1] : 0, count: 0)
        await server.begin(RoomRequest(command, id: 1), on: id)
        let body = ResponseBody { [server] writer in
            do {
                for await message in messages { try await writer.write(message) }
                await server.closed(id)
            } catch {
                await server.closed(id)
                throw error
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
    }

    private func address(of request: Request, _ channel: any Channel) -> IPAddress? {
        let fields = HTTPField.Name("X-Forwarded-For").map { request.headers[values: $0] } ?? []
        return gate.client(of: channel, forwardedFor: fields)
    }

    /// The session's token.
    private func session(of request: Request) -> String? {
        var headers = WHIPHeaders()
        if let value = request.headers[.authorization] { headers.append("Authorization", value) }
        return headers.bearerToken
    }

    private func body(of request: Request) async throws -> ByteBuffer? {
        var body = ByteBuffer()
        for try await piece in request.body {
            body.writeImmutableBuffer(piece)
            guard body.readableBytes <= RoomServer.maximumMessageByteCount else { return nil }
        }
        return body
    }

    /// The status of an answer: the code of an error, or 200.
    private static func status(of answer: ByteBuffer) -> HTTPResponse.Status {
        struct Outcome: Decodable { var code: Int? }
        // Our own message.
        guard let code = (try? JSONDecoder().decode(Outcome.self, from: Data(answer.readableBytesView)))?.code else {
            return .ok
        }
        return HTTPResponse.Status(code: code)
    }
}

extension Response {
    fileprivate init(json: ByteBuffer, status: HTTPResponse.Status) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: json))
    }
}
#endif
