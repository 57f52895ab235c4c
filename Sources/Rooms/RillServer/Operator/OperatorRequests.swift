#if Server
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import RillRooms
import RillWHIP

/// What the operator's page asks: `GET /operator/rooms` has what goes on, `POST /operator/revocations` of
/// `{"identity": "anna"}` ends her sessions and refuses the tokens that she has.
struct OperatorRequests: Sendable {
    let server: RoomServer
    let origins: AllowedOrigins

    private struct Revocation: Decodable { var identity: String }

    private struct Outcome: Encodable { var sessions: Int }

    /// The longest body, in bytes: that of the longest token.
    private static let bodyByteLimit = SignedTokens.maximumTokenByteCount

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: its path.
    ///   - token: what the token of its sender says.
    func respond(to request: Request, _ path: Substring, _ token: CheckedToken) async throws -> Response {
        guard origins.allows(request.headers[.origin]) else { return Response(status: .forbidden) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch (path, request.method) {
        case ("/operator/rooms", .get):
            guard token.readsMetrics || token.operates else { return Response(refusing: token) }
            return Response(json: ByteBuffer(bytes: try encoder.encode(await server.report())), status: .ok)
        case ("/operator/revocations", .post):
            guard token.operates else { return Response(refusing: token) }
            guard let body = try await request.bytes(atMost: Self.bodyByteLimit) else {
                return Response(status: .contentTooLarge)
            }
            // What is no such object is the sender's error.
            guard let revocation = try? JSONDecoder().decode(Revocation.self, from: Data(body.readableBytesView)),
                !revocation.identity.isEmpty
            else { return Response(status: .badRequest) }
            let count = await server.revoke(revocation.identity)
            return Response(json: ByteBuffer(bytes: try encoder.encode(Outcome(sessions: count))), status: .ok)
        case ("/operator/rooms", _): return Response(status: .methodNotAllowed, headers: [.allow: "GET"])
        case ("/operator/revocations", _): return Response(status: .methodNotAllowed, headers: [.allow: "POST"])
        default: return Response(status: .notFound)
        }
    }
}
#endif
