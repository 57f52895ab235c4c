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
