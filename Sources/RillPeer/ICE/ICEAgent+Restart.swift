public import RillCore

extension ICEAgent {
    /// Restarts ICE with new credentials (RFC 8445 §9): to find a path anew after a failure or a change of the network,
    /// or because the other side restarted. Signal the new credentials and the candidates.
    ///
    /// Data keeps going to the selected path until a new one is nominated, and that path's consent checks go on with the
    /// old credentials. Remote credentials and candidates are forgotten: call ``setRemote(_:isLite:at:)`` with new ones.
    ///
    /// - Parameters:
    ///   - credentials: new ones; those in use would not be distinguished from the old.
    ///   - now: the current time.
    public func restart(with credentials: ICECredentials, at now: MediaTime) {
        precondition(
            credentials.usernameFragment != generation.local.usernameFragment, "a restart needs a new username fragment"
        )
        replaceGeneration(credentials)
        if selectedID == nil {
            setState(.new)
        } else if state == .completed {
            setState(.connected)
        }
    }
}
