/// m= and the lines behind it: one stream of a session, or several that share its port (RFC 8866 §5.14).
///
///     var video = MediaDescription(.video, port: 5004, formats: [.vp8(PayloadType(96)), .rtx(PayloadType(97), for: PayloadType(96))])
///     video.headerExtensions = [HeaderExtensionMapping(id: 1, .absoluteSendTime)]
public struct MediaDescription: Equatable, Sendable {
    /// What kind of stream it is.
    public var kind: Kind
    /// The port that packets go to; 0 where the stream is refused.
    public var port: UInt16
    /// How many streams go to ports of their own, where it is said.
    public var portCount: UInt16?
    /// The protocol: `RTP/AVP`, with feedback `RTP/AVPF`, encrypted `UDP/TLS/RTP/SAVPF`.
    public var transport: String
    /// What the payload types mean, the preferred first. Each payload type stands here once.
    public var formats: [RTPFormat]
    /// The formats of a protocol that is not RTP.
    public var otherFormats: [String]
    /// c=: where the packets go to, where that is not the session's.
    public var connection: ConnectionAddress?
    /// a=mid: the stream's name, which header extensions and `group` refer to (RFC 5888).
    public var mid: String?
    /// Which way the stream goes, where that is not the session's.
    public var direction: MediaDirection?
    /// a=rtcp-mux: RTP and RTCP come on one port (RFC 5761).
    public var isRTCPMultiplexed: Bool
    /// a=crypto: keys that the writer of the description protects its packets with (RFC 4568), the preferred first.
    public var crypto: [CryptoAttribute]
    /// a=framerate: pictures a second, 0.0001 to 1000000.
    public var frameRate: Double?
    /// a=extmap: what the numbers of header extensions mean (RFC 8285).
    public var headerExtensions: [HeaderExtensionMapping]
    /// a=rtcp-fb:*: feedback that all formats take.
    public var feedback: [RTCPFeedback]
    /// a=rid: names for the streams of a simulcast, and their limits (RFC 8851).
    public var rids: [RestrictionIdentifier]
    /// a=simulcast (RFC 8853).
    public var simulcast: Simulcast?
    /// a=ssrc-group: sources that belong together, as `FID` says of a stream and its retransmission (RFC 5576).
    public var sourceGroups: [SourceGroup]
    /// a=ssrc: what is said of single sources (RFC 5576).
    public var sources: [SourceAttribute]
    /// Lines of other types, i= first.
    public var otherLines: [SessionDescription.Line]
    /// Other attributes, in their order. What is said of payload types that the m= line does not list is among them.
    public var otherAttributes: [SessionDescription.Attribute]

    /// The kinds of stream, under their names in SDP; any other name is allowed.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The name.
        public var rawValue: String
        /// The kind of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Moving pictures.
        public static let video = Kind(rawValue: "video")
        /// Sound.
        public static let audio = Kind(rawValue: "audio")
        /// Data of an application.
        public static let application = Kind(rawValue: "application")
    }

    /// A stream of RTP in these formats; everything else is empty and can be set afterwards.
    public init(_ kind: Kind, port: UInt16, transport: String = "RTP/AVPF", formats: [RTPFormat] = []) {
        self.kind = kind
        self.port = port
        self.transport = transport
        self.formats = formats
        portCount = nil
        otherFormats = []
        connection = nil
        mid = nil
        direction = nil
        isRTCPMultiplexed = false
        crypto = []
        frameRate = nil
        headerExtensions = []
        feedback = []
        rids = []
        simulcast = nil
        sourceGroups = []
        sources = []
        otherLines = []
        otherAttributes = []
    }

    /// Whether the protocol is RTP, so that formats are payload types.
    public var isRTP: Bool { MediaDescription.isRTP(transport) }

    static func isRTP(_ transport: String) -> Bool {
        transport[...].pieces(at: Sign.slash).contains("RTP")
    }

    /// The meaning of a payload type; `nil` where the m= line does not list it.
    public subscript(payloadType: PayloadType) -> RTPFormat? {
        formats.first { $0.payloadType == payloadType }
    }
}
