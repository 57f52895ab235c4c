#if Server
import HTTPTypes
import Hummingbird
import NIOCore
import RillWHIP

extension WHIPRequest {
    /// A request of Hummingbird's, without its body.
    init(_ request: Request) {
        var headers = WHIPHeaders()
        for field in request.headers { headers.append(field.name.rawName, field.value) }
        self.init(request.method.rawValue, request.head.path ?? "", headers: headers)
    }

    /// Reads the body. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the longest body, in bytes. Of a longer one a little more than that is read, for the endpoint to see.
    /// - Throws: what ends the connection.
    mutating func readBody(of request: Request, limit: Int) async throws {
        var body = ByteBuffer()
        for try await piece in request.body {
            body.writeImmutableBuffer(piece)
            guard body.readableBytes <= limit else { break }
        }
        self.body = String(decoding: body.readableBytesView, as: UTF8.self)
    }
}

extension Response {
    /// An endpoint's response for Hummingbird.
    init(_ response: WHIPResponse) {
        var headers = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        let body =
            response.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(string: response.body))
        self.init(status: HTTPResponse.Status(code: response.status), headers: headers, body: body)
        // 204 has no length (RFC 9110 §8.6).
        if response.status == 204 { self.headers[.contentLength] = nil }
    }
}
#endif
