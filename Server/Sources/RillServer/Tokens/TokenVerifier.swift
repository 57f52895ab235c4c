public import RillWHIP

/// Finds out what bearer tokens allow.
public protocol TokenVerifier: Sendable {
    /// Checks a token.
    ///
    /// - Parameter token: what a client sent; any text.
    /// - Returns: what it allows, or `invalid`.
    func access(with token: String) async -> StreamAccess
}
