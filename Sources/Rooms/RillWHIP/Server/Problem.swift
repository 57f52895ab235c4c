/// The reason of a refusal: a status, and a text for the reader of the response (RFC 9457).
struct Problem: Error, Equatable {
    var status: Int
    var detail: String
    /// Fields that the status needs, such as Allow or Retry-After.
    var headers = WHIPHeaders()

    init(_ status: Int, _ detail: String, _ fields: WHIPHeaders.Field...) {
        (self.status, self.detail, headers) = (status, detail, WHIPHeaders(fields))
    }

    /// The response. Its type is the one whose meaning is the status (RFC 9457 §4.2.1).
    var response: WHIPResponse {
        var response = WHIPResponse(status, headers: headers)
        response.headers["Content-Type"] = "application/problem+json"
        response.body = JSONText.object([
            ("type", JSONText.string("about:blank")), ("title", JSONText.string(Self.title(of: status))),
            ("status", "\(status)"), ("detail", JSONText.string(detail)),
        ])
        return response
    }

    /// The names of the statuses (RFC 9110 §15, RFC 6585).
    private static func title(of status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }
}

extension WHIPResponse {
    /// The refusal of bytes that are not a request of HTTP.
    ///
    /// - Parameter detail: a sentence for the reader of the response.
    package static func badRequest(_ detail: String) -> WHIPResponse { Problem(400, detail).response }
}

extension Problem {
    /// The problem that a host's error means to a client.
    init(_ error: StreamHostError) {
        switch error {
        case .unknownStream:
            self.init(404, "Nobody publishes this stream now.", .init("Retry-After", "1"))
        case .unknownSession:
            self.init(404, "There is no such session, or it has ended.")
        case .unknownLayer(let name, let layers):
            self.init(422, "The stream has no layer \"\(name.prefix(64))\": it has \(layers.joined(separator: ", ")).")
        case .badDescription(let reason):
            self.init(400, "The description cannot be used: \(reason)")
        case .notSupported(let reason):
            self.init(422, "Nothing in the description is supported: \(reason)")
        case .tooManySessions(let limit):
            self.init(503, "There are \(limit) sessions, as many as there may be.", .init("Retry-After", "10"))
        case .clientQuota(let what, let limit):
            self.init(429, "There are \(limit) \(what), as many as there may be.", .init("Retry-After", "10"))
        case .streamQuota(let what, let limit):
            self.init(503, "There are \(limit) \(what), as many as there may be.", .init("Retry-After", "10"))
        case .publishedByOther:
            self.init(
                412,
                "Somebody else publishes this stream, and with If-Match or If-None-Match a request replaces only a "
                    + "session of its own.")
        case .isClosing:
            self.init(503, "The server is ending.", .init("Retry-After", "5"))
        }
    }

    /// Why an action is not allowed; `nil` if it is (RFC 6750 §3).
    init?(_ decision: StreamAccess.Decision, on action: StreamAction) {
        switch decision {
        case .allowed:
            return nil
        case .denied:
            self.init(
                403, "The token does not allow to \(action.rawValue) this stream.",
                .init("WWW-Authenticate", "Bearer realm=\"rill\", error=\"insufficient_scope\""))
        case .missing:
            self.init(
                401, "To \(action.rawValue) needs a bearer token.", .init("WWW-Authenticate", "Bearer realm=\"rill\""))
        case .invalid:
            self.init(
                401, "The bearer token is not valid, or has expired.",
                .init("WWW-Authenticate", "Bearer realm=\"rill\", error=\"invalid_token\""))
        }
    }
}
