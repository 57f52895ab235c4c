public import RillCore

/// What our descriptions say about the transport: ICE and DTLS.
public struct LocalTransport: Equatable, Sendable {
    /// The credentials of ICE. New ones restart ICE.
    public var credentials: ICECredentials
    /// The fingerprints of our certificate; at least one.
    public var fingerprints: [DTLSFingerprint]
    /// The candidates that are known so far. The rest trickles.
    public var candidates: [ICECandidate]
    /// Whether no candidates will follow.
    public var hasAllCandidates: Bool

    /// A transport.
    public init(
        credentials: ICECredentials, fingerprints: [DTLSFingerprint], candidates: [ICECandidate] = [],
        hasAllCandidates: Bool = false
    ) {
        self.credentials = credentials
        self.fingerprints = fingerprints
        self.candidates = candidates
        self.hasAllCandidates = hasAllCandidates
    }

    /// The address for m= and c=: that of the preferred candidate, or port 9 of no address (RFC 8840 §4.1.1).
    public var defaultAddress: UDPAddress? { candidates.max { $0.priority < $1.priority }?.address }
}

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
