/// What is done with a stream.
public enum StreamAction: String, Equatable, Sendable {
    /// To publish it (WHIP).
    case publish
    /// To watch it (WHEP).
    case watch
}

/// Names of streams: some, or all.
public enum StreamNames: Equatable, Sendable {
    /// Every name.
    case all
    /// These names.
    case only(Set<String>)

    /// Whether a name is one of them.
    public func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }
}

/// What the sender of a request may do. It is found out before the endpoint is asked: checking a token needs a clock and keys.
public enum StreamAccess: Equatable, Sendable {
    /// Everything: no tokens are needed.
    case unrestricted
    /// Nothing: a token is needed, and the request has none.
    case missing
    /// Nothing: the request's token is forged, has expired or is not a token.
    case invalid
    /// What the request's token allows.
    case limited(publish: StreamNames, watch: StreamNames)

    /// Whether an action is allowed.
    public enum Verdict: Equatable, Sendable {
        /// It is.
        case allowed
        /// The token is valid, and does not allow it.
        case denied
        /// There is no token.
        case missing
        /// The token is not valid.
        case invalid
    }

    /// Judges an action.
    ///
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - stream: the name of the stream.
    public func verdict(on action: StreamAction, of stream: String) -> Verdict {
        switch (self, action) {
        case (.unrestricted, _): .allowed
        case (.missing, _): .missing
        case (.invalid, _): .invalid
        case (.limited(let names, _), .publish), (.limited(_, let names), .watch):
            names.contains(stream) ? .allowed : .denied
        }
    }
}

extension WHIPHeaders {
    /// The bearer token of the request (RFC 6750 §2.1); `nil` if it has none, or credentials of another kind.
    public var bearerToken: String? {
        guard let value = self["Authorization"] else { return nil }
        let scheme = value.prefix(7)
        guard scheme.lowercased() == "bearer " else { return nil }
        let token = value.dropFirst(7).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
