#if Server
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import RillRooms
import RillWHIP

/// Images of chats over HTTP, with a session's token as bearer: `POST /rooms/images` adds one, `GET
/// /rooms/images/HASH` reads one of the session's room, or with `?thumbnail` its thumbnail.
struct ImageRequests: Sendable {
    let server: RoomServer
    let images: ImageStore

    static let path = "/rooms/images"
    /// What may be done with it, and below it.
    static let methods = "GET, HEAD, POST"

    /// Answers a request for a path below ``path``.
    func respond(to request: Request, _ path: Substring, channel: any Channel) async throws -> Response {
        let hash = path.dropFirst(Self.path.utf8.count + 1)
        switch (hash.isEmpty, request.method) {
        case (true, .post): break
        case (false, .get), (false, .head): break
        default: return Response(status: .methodNotAllowed, headers: [.allow: hash.isEmpty ? "POST" : "GET, HEAD"])
        }
        // Before a body is read.
        guard let token = request.bearerToken, let member = await server.member(ofSession: token) else {
            return Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer realm=\"rill\""])
        }
        guard hash.isEmpty else { return await read(String(hash), request, in: member.room) }
        // Who may not write takes no room from those who may.
        guard await server.mayWriteChat(member) else { return Response(status: .forbidden) }
        return try await add(request, to: member.room, channel)
    }

    private func add(_ request: Request, to room: String, _ channel: any Channel) async throws -> Response {
        let limit = images.limits.byteCount
        let length = request.headers[.contentLength].flatMap { Int($0) }
        guard length ?? 0 <= limit else { return Response(.tooLarge(limit: limit)) }
        if request.expectsContinue {
            try await channel.triggerUserOutboundEvent(RequestHeadHandler.ContinueEvent()).get()
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length ?? 0)
        for try await piece in request.body {
            guard bytes.count + piece.readableBytes <= limit else { return Response(.tooLarge(limit: limit)) }
            bytes += piece.readableBytesView
        }
        let time = Int(Date().timeIntervalSince1970 * 1000)
        do throws(ImageRefusal) {
            let image = try await images.add(bytes, to: room, at: time)
            return try Response(image)
        } catch {
            return Response(error)
        }
    }

    private func read(_ hash: String, _ request: Request, in room: String) async -> Response {
        let isThumbnail = request.uri.query?.split(separator: "&").contains("thumbnail") == true
        do throws(RoomStoreError) {
            guard let file = try await images.file(hash, thumbnail: isThumbnail, in: room) else {
                return Response(status: .notFound)
            }
            return Response(
                status: .ok,
                headers: [
                    .contentType: file.mediaType, .xContentTypeOptions: "nosniff",
                    .contentSecurityPolicy: "default-src 'none'; sandbox",
                    // The bytes of a hash never change, and are for members of the room only.
                    .cacheControl: "private, max-age=31536000, immutable",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
        } catch {
            return Response(status: .serviceUnavailable)
        }
    }
}

extension HTTPResponse.Status {
    /// 507 (RFC 4918 §11.5).
    fileprivate static let noPlace = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension Response {
    /// The answer to an image that was taken.
    fileprivate init(_ image: ChatImage) throws(ImageRefusal) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // It has texts and numbers only.
        guard let json = try? encoder.encode(image) else { throw .failed("JSON") }
        self.init(
            status: .created, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    /// The answer to an image that was not taken: `{"error": "too-large", "limit": 10485760}`.
    fileprivate init(_ refusal: ImageRefusal) {
        let (status, word, limit): (HTTPResponse.Status, String, Int?) =
            switch refusal {
            case .unknownFormat: (.unsupportedMediaType, "unknown-format", nil)
            case .unsupported: (.unsupportedMediaType, "unsupported", nil)
            case .tooLarge(let limit): (.contentTooLarge, "too-large", limit)
            case .tooManyPixels(let limit): (.contentTooLarge, "too-many-pixels", limit)
            case .damaged: (.unprocessableContent, "damaged", nil)
            case .busy: (.serviceUnavailable, "busy", nil)
            case .full: (.noPlace, "full", nil)
            case .roomFull(let limit): (.noPlace, "room-full", limit)
            case .storeFull(let limit): (.noPlace, "store-full", limit)
            case .failed: (.serviceUnavailable, "failed", nil)
            }
        let end = limit.map { ",\"limit\":\($0)}\n" } ?? "}\n"
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"error\":\"\(word)\"" + end)))
        if status == .serviceUnavailable { headers[.retryAfter] = "1" }
    }
}
#endif
