public import RillRTP

/// Errors of offers and answers, with the numbers, names and lines that show the problem.
public enum NegotiationError: Error, Equatable, Sendable {
    /// A description of that kind cannot be set in that state (RFC 9429 §3.2).
    case wrongState(SignalingState, DescriptionKind, DescriptionSide)
    /// The connection is closed.
    case closed
    /// An offer or answer cannot be made in that state.
    case cannotMake(DescriptionKind, in: SignalingState)
    /// A local description is not the last one that was made, or transceivers changed since in a way that voids it.
    case notLastMade(DescriptionKind)
    /// The text is not a session description.
    case malformed(SDPError)
    /// A remote description contradicts itself, this side or an earlier description.
    case invalid(DescriptionProblem, at: DescriptionPlace)
    /// A candidate cannot be parsed.
    case invalidCandidate(ICEError)
    /// A candidate names no section of the remote description.
    case unknownSection(mid: String?, index: Int?)
    /// A candidate came before a remote description.
    case noRemoteDescription
    /// A candidate is of another generation than the remote description.
    case otherGeneration(usernameFragment: String)
    /// A transceiver is neither of audio nor of video.
    case unsupportedKind(String)
    /// A transceiver has no codec to offer: the settings have none of its kind, or the other side's formats take all
    /// payload types.
    case noCodec(MediaDescription.Kind)
    /// The name of a media stream or track has another length than 1 to 64 bytes, or characters that it cannot have.
    case invalidName(String)
    /// No transceiver has that identity.
    case unknownTransceiver(TransceiverID)
    /// The transceiver is stopped.
    case stopped(TransceiverID)
    /// The encodings of a transceiver contradict each other, or those that were negotiated.
    case invalidEncodings(EncodingProblem)
    /// The other side restarts ICE, and the answer's credentials are the old ones.
    case credentialsNotRenewed(usernameFragment: String)
    /// The local transport has no fingerprint.
    case noFingerprint
    /// There are more sections than the settings allow.
    case tooManySections(count: Int, limit: Int)
}
