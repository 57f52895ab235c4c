/// The credentials of both sides between two restarts (RFC 8445 §9), and what follows from them.
final class ICEGeneration {
    let local: ICECredentials
    let localKey: STUNIntegrityKey
    private(set) var remote: ICECredentials?
    private(set) var remoteKey: STUNIntegrityKey?
    /// The USERNAME of requests to the remote side.
    private(set) var outgoingUsername: [UInt8] = []

    init(_ local: ICECredentials) {
        precondition(
            local.usernameFragment.utf8.count <= ICECredentials.maximumOwnFragmentByteCount,
            "a username fragment of our own has at most \(ICECredentials.maximumOwnFragmentByteCount) bytes")
        self.local = local
        localKey = STUNIntegrityKey(password: Array(local.password.utf8))
    }

    func setRemote(_ credentials: ICECredentials) {
        remote = credentials
        remoteKey = STUNIntegrityKey(password: Array(credentials.password.utf8))
        outgoingUsername = Array("\(credentials.usernameFragment):\(local.usernameFragment)".utf8)
    }

    /// Whether USERNAME is that of a request to us: our fragment, a colon, and the remote one if it is known.
    func isUsername(_ name: Span<UInt8>) -> Bool {
        let own = local.usernameFragment.utf8
        guard name.count > own.count, name[own.count] == UInt8(ascii: ":"),
            isEqual(name.extracting(first: own.count), own)
        else { return false }
        guard let remote else { return true }
        return isEqual(name.extracting(droppingFirst: own.count + 1), remote.usernameFragment.utf8)
    }
}

private func isEqual(_ bytes: Span<UInt8>, _ text: String.UTF8View) -> Bool {
    guard bytes.count == text.count else { return false }
    var index = 0
    for byte in text {
        guard bytes[index] == byte else { return false }
        index += 1
    }
    return true
}
