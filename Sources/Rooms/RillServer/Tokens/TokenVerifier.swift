#if Server
public import RillWHIP

/// Finds out what bearer tokens allow, and whose they are.
public protocol TokenVerifier: Sendable {
    /// Checks a token.
    ///
    /// - Parameter token: what a client sent; any text.
    /// - Returns: what it allows, or `invalid`.
    func check(_ token: String) async -> CheckedToken
}

/// What a token says.
public struct CheckedToken: Equatable, Sendable {
    /// What its bearer may do with streams.
    public var access: StreamAccess
    /// Whether its bearer may read the metrics.
    public var readsMetrics: Bool
    /// Whose it is; `nil` if it does not say.
    public var subject: String?
    /// By what its sessions are counted: the same text for all tokens that say the same.
    public var bearer: String?

    /// A token that says this.
    public init(_ access: StreamAccess, readsMetrics: Bool = false, subject: String? = nil, bearer: String? = nil) {
        (self.access, self.readsMetrics, self.subject, self.bearer) = (access, readsMetrics, subject, bearer)
    }
}
#endif
