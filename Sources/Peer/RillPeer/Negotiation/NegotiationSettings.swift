public import RillCore
public import RillRTP

/// What this side can do, and what it prefers.
///
/// ```swift
/// var settings = NegotiationSettings()
/// settings.videoCodecs = [.vp9, .vp8]
/// settings.usesFEC = false
/// ```
public struct NegotiationSettings: Equatable, Sendable {
    /// The video codecs, preferred first. VP9 is its profile 0. The payload formats of other codecs are not negotiated.
    public var videoCodecs = VideoCodec.allCases
    /// The audio formats of which packets are forwarded. If there are none, audio sections are rejected.
    public var audioCodecs = [CodecTraits.defaultAudio.encoding]
    /// Whether retransmissions have streams of their own (RTX, RFC 4588).
    public var usesRetransmission = true
    /// Whether video is protected by FEC packets (RED and ULPFEC).
    public var usesFEC = true
    /// The header extensions. Without `mid` and `rid` there is no simulcast. All but the dependency descriptor, which
    /// serves those who cannot read the frames.
    public var headerExtensions = HeaderExtensionKind.allCases.filter { $0 != .dependencyDescriptor }
    /// The feedback messages for video. Audio has transport-wide feedback only.
    public var feedback: StreamDescription.Feedback = [
        .nack, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate,
        .transportWideCongestionControl, .pause,
    ]
    /// The role that our answers choose where the offer leaves the choice (`actpass`). RFC 8842 §5.3 recommends the
    /// client.
    public var answeringRole = DTLSRole.client
    /// Our CNAME: 1 to 255 bytes of printable ASCII without spaces; `nil` draws one.
    public var canonicalName: String?
    /// How many sections a description may have.
    public var maximumSectionCount = 256
    /// How many sections of a kind an answer accepts that the other side sends; any number of a kind that is missing.
    /// Further ones are rejected with port 0.
    public var maximumReceivedCounts: [MediaDescription.Kind: Int] = [:]
    /// How many streams may be received, or sent, at a time.
    public var maximumStreamCount = 256

    /// Settings with the defaults.
    public init() {}
}

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
