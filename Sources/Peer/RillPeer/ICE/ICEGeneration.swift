/// The credentials of both sides between two restarts (RFC 8445 §9), and what follows from them.
final class ICEGeneration {
    let local: ICECredentials
    let localKey: STUNIntegrityKey
    private(set) var remote: ICECredentials?
    private(set) var remoteKey: STUNIntegrityKey?
    /// The USERNAME of requests to the remote side.
    private(set) var outgoingUsername: [UInt8] = []
    /// The USERNAME of requests to us, without the remote fragment as long as that is not known.
    private var incomingUsername: [UInt8]

    init(_ local: ICECredentials) {
        precondition(
            local.usernameFragment.utf8.count <= ICECredentials.maximumOwnFragmentByteCount,
            "a username fragment of our own has at most \(ICECredentials.maximumOwnFragmentByteCount) bytes")
        self.local = local
        incomingUsername = Array("\(local.usernameFragment):".utf8)
        localKey = STUNIntegrityKey(password: Array(local.password.utf8))
    }

    func setRemote(_ credentials: ICECredentials) {
        remote = credentials
        remoteKey = STUNIntegrityKey(password: Array(credentials.password.utf8))
        outgoingUsername = Array("\(credentials.usernameFragment):\(local.usernameFragment)".utf8)
        incomingUsername = Array("\(local.usernameFragment):\(credentials.usernameFragment)".utf8)
    }

    /// Whether USERNAME is that of a request to us: our fragment, a colon, and the remote one if it is known.
    func isUsername(_ name: Span<UInt8>) -> Bool {
        // Of arrays: bytes of a string's UTF-8 view took 30 instructions each.
        let expected = incomingUsername
        guard remote == nil ? name.count >= expected.count : name.count == expected.count else { return false }
        for index in expected.indices where name[index] != expected[index] { return false }
        return true
    }
}
