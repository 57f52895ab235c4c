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
    let iceServers: ClientICEServers
    /// Images of chats; `nil` if none are kept.
    private let images: ImageRequests?

    /// The requests of rooms, from pages of those origins.
    init(_ rooms: RoomService, origins: AllowedOrigins, gate: AddressGate, iceServers: ClientICEServers) {
        (server, self.origins, self.gate, self.iceServers) = (rooms.server, origins, gate, iceServers)
        images = rooms.storage.map { ImageRequests(server: rooms.server, images: $0.images) }
    }

    /// What there is of images, and what became of those that came, for metrics.
    func imageCounts() async -> (levels: [String: Int], totals: [String: Int]) {
        guard let images = images?.images else { return ([:], [:]) }
        let counts = images.counts
        var levels: [String: Int] = [:]
        // A database that fails has its own metric.
        if let totals = try? await images.totals() {
            levels = ["room_images": totals.count, "room_image_bytes": totals.byteCount]
        }
        return (
            levels,
            [
                "room_images_added": counts.added, "room_images_refused": counts.refused,
                "room_images_full": counts.full,
            ]
        )
    }

    /// What may be done with each path.
    private static let methods = [
        "/rooms": "GET, POST", "/rooms/requests": "POST", "/rooms/events": "GET", "/rooms/ice-servers": "GET",
    ]

    /// Answers a request below ``RoomSocket/path``; `nil` for another path.
    func respond(to request: Request, _ path: Substring, channel: any Channel) async throws -> Response? {
        let isImage = path == ImageRequests.path || path.hasPrefix("\(ImageRequests.path)/")
        guard let methods = isImage ? ImageRequests.methods : Self.methods[String(path)] else { return nil }
        let origin = request.headers[.origin]
        guard origins.allows(origin) else { return Response(status: .forbidden) }
        var response: Response
        if request.method == .options {
            response = Response(status: .noContent, headers: [.allow: methods])
            response.headers[.accessControlAllowMethods] = methods
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, Last-Event-ID"
            response.headers[.accessControlMaxAge] = "86400"
        } else if let answer = try await answer(request, path, channel) {
            response = answer
        } else {
            response = Response(status: .methodNotAllowed, headers: [.allow: methods])
        }
        response.headers[.accessControlAllowOrigin] = origins.allowance(for: origin)
        if origins != .any { response.headers[.vary] = "Origin" }
        return response
    }

    private func answer(_ request: Request, _ path: Substring, _ channel: any Channel) async throws -> Response? {
        if path == ImageRequests.path || path.hasPrefix("\(ImageRequests.path)/") {
            guard let images else { return Response(status: .notFound) }
            return try await images.respond(to: request, path, channel: channel)
        }
        switch (path, request.method) {
        case ("/rooms", .get):
            return Response(
                status: .upgradeRequired, headers: [.upgrade: "websocket", .connection: "close"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "Open a WebSocket on a connection of its own.\n")))
        case ("/rooms", .post): return try await join(request, channel)
        case ("/rooms/requests", .post): return try await ask(request)
        case ("/rooms/events", .get): return await events(request, channel)
        case ("/rooms/ice-servers", .get): return try await iceServers(for: request)
        default: return nil
        }
    }

    /// The STUN and TURN servers for whom a token lets into the query's `room`: the settings of an RTCPeerConnection.
    private func iceServers(for request: Request) async throws -> Response {
        let room = request.uri.queryParameters["room"].map(String.init) ?? ""
        guard await server.admits(request.bearerToken, to: room) else { return Response(status: .unauthorized) }
        return Response(json: ByteBuffer(bytes: try iceServers.configuration()), status: .ok)
    }

    /// Joins. The session goes on with its events, within 15 s.
    private func join(_ request: Request, _ connection: any Channel) async throws -> Response {
        guard let body = try await request.bytes(atMost: RoomServer.maximumMessageByteCount) else {
            return Response(status: .contentTooLarge)
        }
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
        guard let session = request.bearerToken else { return Response(status: .unauthorized) }
        guard let body = try await request.bytes(atMost: RoomServer.maximumMessageByteCount) else {
            return Response(status: .contentTooLarge)
        }
        let isTaken = await server.receive(body, ofSession: session)
        return Response(status: isTaken ? .accepted : .conflict)
    }

    /// Reads on behind `Last-Event-ID`, or the query's `after`: EPOCH-NUMBER.
    private func events(_ request: Request, _ channel: any Channel) async -> Response {
        guard let session = request.bearerToken else { return Response(status: .unauthorized) }
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

#endif
