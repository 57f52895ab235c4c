/// a=extmap: what the elements of one number in header extensions mean (RFC 8285 §5).
public struct HeaderExtensionMap: Equatable, Sendable {
    /// The number: 1 to 14 fit the one-byte form, 15 to 255 the two-byte form, 4096 to 4351 stand for "to be chosen".
    public var id: UInt16
    /// Which way packets bear the extension, where that is not the stream's direction.
    public var direction: MediaDirection?
    /// The name of the extension.
    public var uri: String
    /// What else is said of it.
    public var attributes: String?

    /// The extension `uri` under the number `id`.
    public init(id: UInt16, direction: MediaDirection? = nil, uri: String, attributes: String? = nil) {
        self.id = id
        self.direction = direction
        self.uri = uri
        self.attributes = attributes
    }

    /// When the packet was sent, in 6.18 bits of seconds.
    public static let absoluteSendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    /// One sequence number over all streams (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    public static let transportSequenceNumber =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// The name of the media section (RFC 9143 §16.2).
    public static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// The name of the stream (RFC 8852).
    public static let rid = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    /// The name of the stream that a retransmission repairs (RFC 8852).
    public static let repairedRID = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
    /// How the picture is turned (3GPP TS 26.114).
    public static let videoOrientation = "urn:3gpp:video-orientation"
    /// How long the receiver may wait.
    public static let playoutDelay = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"

    /// `1/sendonly urn:… attributes`.
    init?(_ text: Substring) {
        let (head, rest) = text.trimmed.cut(at: Sign.space)
        let (id, direction) = head.cut(at: Sign.slash)
        guard let id = id.number(in: 1...4351), let (uri, attributes) = rest?.trimmed.cut(at: Sign.space),
            !uri.isEmpty
        else { return nil }
        self.init(id: UInt16(id), uri: String(uri), attributes: attributes.map { String($0.trimmed) })
        if let direction {
            guard let direction = MediaDirection(rawValue: String(direction)) else { return nil }
            self.direction = direction
        }
    }

    var text: String {
        "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(uri)" + (attributes.map { " \($0)" } ?? "")
    }
}
