/// The kinds of header extension elements that Rill reads and writes.
///
/// On the wire an element has a numeric ID. Each session negotiates which ID has which kind, by the kind's URI (RFC
/// 8285 §5). ``HeaderExtensionMap`` holds the result.
@frozen
public enum HeaderExtensionKind: UInt8, CaseIterable, Sendable {
    /// ``AbsoluteSendTime``.
    case absoluteSendTime
    /// ``TransportSequenceNumber``.
    case transportSequenceNumber
    /// MID: the media description of the session that the packet belongs to (RFC 9143), a ``StreamIdentifier``.
    case mid
    /// RtpStreamId: the simulcast layer (RFC 8852), a ``StreamIdentifier``.
    case rid
    /// RepairedRtpStreamId: the stream that this stream repairs (RFC 8852), a ``StreamIdentifier``.
    case repairedRID
    /// ``VideoOrientation``.
    case videoOrientation
    /// ``PlayoutDelay``.
    case playoutDelay

    /// The URI of the kind in session descriptions (`a=extmap`).
    public var uri: String {
        switch self {
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportSequenceNumber: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        }
    }

    /// The kind with that URI; `nil` for URIs that Rill does not know.
    public init?(uri: some StringProtocol) {
        guard let kind = HeaderExtensionKind.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = kind
    }
}
