/// How far an exchange of offer and answer has come: W3C's `RTCSignalingState` (RFC 9429 §3.2).
public enum SignalingState: String, Hashable, Sendable, CaseIterable {
    /// No exchange is under way.
    case stable
    /// This side has offered.
    case haveLocalOffer = "have-local-offer"
    /// The other side has offered.
    case haveRemoteOffer = "have-remote-offer"
    /// This side has answered provisionally.
    case haveLocalProvisionalAnswer = "have-local-pranswer"
    /// The other side has answered provisionally.
    case haveRemoteProvisionalAnswer = "have-remote-pranswer"
    /// The connection is closed.
    case closed
}

extension SignalingState: CustomStringConvertible {
    /// The state as W3C writes it: `have-local-offer`.
    public var description: String { rawValue }
}

/// What a description is for: W3C's `RTCSdpType` (RFC 9429 §4.1.8).
public enum DescriptionKind: String, Hashable, Sendable, CaseIterable {
    /// It proposes a session, or a change of one.
    case offer
    /// It answers an offer, and another answer will follow.
    case provisionalAnswer = "pranswer"
    /// It answers an offer.
    case answer
    /// It is empty, and takes an offer back.
    case rollback
}

extension DescriptionKind: CustomStringConvertible {
    /// The kind as W3C writes it: `pranswer`.
    public var description: String { rawValue }
}

/// Whose description it is.
public enum DescriptionSide: String, Hashable, Sendable {
    /// Ours.
    case local
    /// Theirs.
    case remote
}
