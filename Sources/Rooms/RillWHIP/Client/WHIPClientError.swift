public import RillCore

/// Why an exchange with an endpoint failed.
public enum WHIPClientError: Error, Equatable, Sendable {
    /// The endpoint's URL cannot be used.
    case badURL(String, WHIPURLProblem)
    /// The token has characters that a bearer token may not have (RFC 6750 §2.1), or is longer than 4096.
    case badToken
    /// No connection with the server, and why.
    case noConnection(String)
    /// The server has not answered.
    case timedOut(after: MediaDuration)
    /// The server cannot do it now; it may later.
    case unavailable(status: Int, detail: String?)
    /// The server refuses, and would refuse again.
    case refused(status: Int, detail: String?)
    /// Another publisher has the stream now (412).
    case replaced(detail: String?)
    /// The server wants another offer (406), which is not supported.
    case counterOffer
    /// There were more redirections than this.
    case tooManyRedirections(limit: Int)
    /// The response cannot be used.
    case badResponse(status: Int, WHIPResponseProblem)
    /// The server does not know the session any more.
    case sessionVanished(status: Int)
    /// The endpoint does not let viewers select a layer.
    case noLayerSelection
    /// The connection of the media failed, and why.
    case connectionFailed(String)
    /// It was tried for this long; the text is the last reason.
    case gaveUp(after: MediaDuration, String)
}

/// The defect of a response.
public enum WHIPResponseProblem: Error, Equatable, Sendable {
    /// It has no `Location`.
    case noLocation
    /// Its `Location` cannot be used.
    case badLocation(WHIPURLProblem)
    /// Its body is of another type.
    case contentType(String)
    /// It has no body.
    case emptyBody
    /// It has more bytes than this, in its body or in its header fields.
    case tooLong(limit: Int)
    /// It has no credentials of ICE, or they are too short.
    case noCredentials
    /// Its status is not defined by HTTP, or not for this request.
    case unexpectedStatus
}

extension WHIPClientError: CustomStringConvertible {
    /// A sentence without a full stop. It names a remedy if there is one.
    public var description: String {
        switch self {
        case .badURL(let url, let problem): "\"\(ProblemDetails.cleaned(url))\" is not a usable URL: \(problem)"
        case .badToken: "the token has characters that a token may not have, or is too long"
        case .noConnection(let reason): "no connection with the server: \(ProblemDetails.cleaned(reason))"
        case .timedOut(let time): "the server has not answered for \(time)"
        case .unavailable(let status, let detail): "the server is not ready (\(WHIPClientError.text(status, detail)))"
        case .refused(401, let detail): "the server wants another token (\(WHIPClientError.text(401, detail)))"
        case .refused(403, let detail): "the token does not allow this (\(WHIPClientError.text(403, detail)))"
        case .refused(404, let detail): "there is nothing at this URL (\(WHIPClientError.text(404, detail)))"
        case .refused(let status, let detail): "the server refuses (\(WHIPClientError.text(status, detail)))"
        case .replaced: "somebody else publishes the stream now"
        case .counterOffer: "the server wants to make the offer itself (406), which is not supported"
        case .tooManyRedirections(let limit): "the server redirected more than \(limit) times"
        case .badResponse(let status, let problem): "the server's response \(status) cannot be used: \(problem)"
        case .sessionVanished(let status): "the server does not know the session any more (\(status))"
        case .noLayerSelection: "the server does not let viewers select a layer"
        case .connectionFailed(let reason): "the connection failed: \(reason)"
        case .gaveUp(let time, let reason): "no connection within \(time): \(reason)"
        }
    }

    private static func text(_ status: Int, _ detail: String?) -> String {
        "\(status)\(detail.map { ": " + $0 } ?? "")"
    }
}

extension WHIPResponseProblem: CustomStringConvertible {
    /// A clause for an error.
    public var description: String {
        switch self {
        case .noLocation: "it has no Location"
        case .badLocation(let problem): "its Location is not usable: \(problem)"
        case .contentType(let type): "its body is \"\(ProblemDetails.cleaned(String(type.prefix(80))))\""
        case .emptyBody: "it has no body"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .noCredentials: "it has no credentials of ICE"
        case .unexpectedStatus: "the status is not one for this request"
        }
    }
}
