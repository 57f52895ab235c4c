#if Server
import HTTPTypes
import Hummingbird
import NIOCore
import RillWHIP

extension Request {
    /// Reads the body.
    ///
    /// - Parameter limit: the longest one, in bytes.
    /// - Returns: `nil` for a longer one.
    func bytes(atMost limit: Int) async throws -> ByteBuffer? {
        var bytes = ByteBuffer()
        for try await piece in body {
            bytes.writeImmutableBuffer(piece)
            guard bytes.readableBytes <= limit else { return nil }
        }
        return bytes
    }

    /// The bearer token (RFC 6750 §2.1).
    var bearerToken: String? {
        var headers = WHIPHeaders()
        if let value = self.headers[.authorization] { headers.append("Authorization", value) }
        return headers.bearerToken
    }
}

extension Response {
    /// JSON, which is not kept.
    init(json: ByteBuffer, status: HTTPResponse.Status) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: json))
    }

    /// The refusal of a token: 401 if there is none that counts, else 403.
    init(refusing token: CheckedToken) {
        let isMissing = token.access == .missing || token.access == .invalid
        self.init(
            status: isMissing ? .unauthorized : .forbidden, headers: [.wwwAuthenticate: "Bearer realm=\"rill\""])
    }
}
#endif
