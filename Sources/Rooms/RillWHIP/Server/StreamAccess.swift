/// An action on a stream.
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

/// The permissions of a request's sender. They are determined before the endpoint is called: checking a token needs a
/// clock and keys.
public enum StreamAccess: Equatable, Sendable {
    /// Everything: no tokens are needed.
    case unrestricted
    /// Nothing: a token is needed, and the request has none.
    case missing
    /// Nothing: the request's token is forged, has expired or is not a token.
    case invalid
    /// The permissions of the request's token.
    case limited(publish: StreamNames, watch: StreamNames)

    /// Whether an action is allowed.
    public enum Decision: Equatable, Sendable {
        /// It is.
        case allowed
        /// The token is valid, and does not allow it.
        case denied
        /// There is no token.
        case missing
        /// The token is not valid.
        case invalid
    }

    /// Decides whether an action is allowed.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - stream: the name of the stream.
    public func decision(on action: StreamAction, of stream: String) -> Decision {
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
