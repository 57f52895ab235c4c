/// What the other side's description says about the transport: ICE and DTLS.
public struct RemoteTransport: Equatable, Sendable {
    /// The credentials of ICE.
    public var credentials: ICECredentials
    /// Whether the other side is a lite implementation.
    public var isLite: Bool
    /// The fingerprints of its certificates: those whose hash function is known.
    public var fingerprints: [DTLSFingerprint]
    /// Our role in DTLS.
    public var role: DTLSRole
    /// The candidates that the description lists.
    public var candidates: [ICECandidate] = []
    /// How many candidates are of no use here: names, TCP, other components, or malformed.
    public var ignoredCandidateCount = 0
    /// Whether no candidates will follow: a=end-of-candidates, or the other side does not trickle.
    public var hasAllCandidates = false
    /// Whether the other side trickles candidates (a=ice-options:trickle).
    public var usesTrickle = false
    /// tls-id: changes with a new DTLS association; `nil` if the other side does not write it (RFC 8842 §4).
    public var associationID: String?

    /// A transport with those properties.
    public init(credentials: ICECredentials, isLite: Bool, fingerprints: [DTLSFingerprint], role: DTLSRole) {
        self.credentials = credentials
        self.isLite = isLite
        self.fingerprints = fingerprints
        self.role = role
    }
}
