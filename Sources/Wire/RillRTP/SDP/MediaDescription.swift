/// A media section, m= and its lines: one stream of a session, or several that share a port (RFC 8866 §5.14).
///
/// ```swift
/// var video = MediaDescription(
///     .video, port: 5004, formats: [.vp8(PayloadType(96)), .rtx(PayloadType(97), for: PayloadType(96))])
/// video.headerExtensions = [HeaderExtensionMapping(id: 1, .absoluteSendTime)]
/// ```
///
/// The m= line, and the attributes that RTP over UDP uses:
///
/// ```text
/// m=<media> <port>[/<number of ports>] <proto> <fmt> …
///
/// a=mid:<name>                                       RFC 5888
/// a=sendrecv | a=sendonly | a=recvonly | a=inactive  RFC 8866 §6.7
/// a=rtcp-mux                                         RFC 5761
/// a=crypto:<tag> <suite> inline:<key> …              RFC 4568
/// a=framerate:<number>                               RFC 8866 §6.13
/// a=extmap:<id>[/<direction>] <uri> …                RFC 8285
/// a=rtpmap:<payload type> <name>/<clock rate>[/…]    RFC 8866 §6.6
/// a=fmtp:<payload type> <name>=<value>;…             RFC 8866 §6.15
/// a=rtcp-fb:<payload type or *> <kind> …             RFC 4585 §4.2
/// a=rid:<name> <direction> …                         RFC 8851
/// a=simulcast:send <names> recv <names>              RFC 8853
/// a=ssrc-group:<semantics> <ssrc> …                  RFC 5576
/// a=ssrc:<ssrc> <attribute>[:<value>]                RFC 5576
/// ```
public struct MediaDescription: Equatable, Sendable {
    /// The media type.
    public var kind: Kind
    /// The destination port of the packets; 0 if the stream is rejected.
    public var port: UInt16
    /// The number of ports, if specified.
    public var portCount: UInt16?
    /// The protocol: `RTP/AVP`; with feedback, `RTP/AVPF`; encrypted, `UDP/TLS/RTP/SAVPF`.
    public var transport: String
    /// The payload types and their formats, preferred first. Each payload type occurs once.
    public var formats: [RTPFormat]
    /// The formats of a protocol that is not RTP.
    public var otherFormats: [String]
    /// c=: the destination address of the packets; `nil` if it is the session's.
    public var connection: ConnectionAddress?
    /// a=mid: the identification tag of the section, which header extensions and `group` refer to (RFC 5888).
    public var mid: String?
    /// The direction of the stream; `nil` if it is the session's.
    public var direction: MediaDirection?
    /// a=rtcp-mux: whether RTP and RTCP share one port (RFC 5761).
    public var isRTCPMultiplexed: Bool
    /// a=crypto: the keys with which the writer of the description protects its packets (RFC 4568), preferred first.
    public var crypto: [CryptoAttribute]
    /// a=framerate: frames per second, 0.0001 to 1000000.
    public var frameRate: Double?
    /// a=extmap: the IDs of header extensions (RFC 8285).
    public var headerExtensions: [HeaderExtensionMapping]
    /// a=rtcp-fb:*: feedback for all formats.
    public var feedback: [RTCPFeedback]
    /// a=rid: identifiers of the simulcast streams, and their restrictions (RFC 8851).
    public var rids: [RestrictionIdentifier]
    /// a=simulcast: the simulcast streams (RFC 8853).
    public var simulcast: Simulcast?
    /// a=ssrc-group: groups of related sources; `FID`, for example, is a stream and its retransmissions (RFC 5576).
    public var sourceGroups: [SourceGroup]
    /// a=ssrc: attributes of individual sources (RFC 5576).
    public var sources: [SourceAttribute]
    /// Lines of other types, i= first.
    public var otherLines: [SessionDescription.Line]
    /// Other attributes, in order. These include attributes of payload types that the m= line does not list.
    public var otherAttributes: [SessionDescription.Attribute]

    /// A media type by its name in SDP; any other name is allowed.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The name.
        public var rawValue: String
        /// The media type with that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Video.
        public static let video = Kind(rawValue: "video")
        /// Audio.
        public static let audio = Kind(rawValue: "audio")
        /// Application data.
        public static let application = Kind(rawValue: "application")
    }

    /// An RTP section with these formats. All other properties are empty and can be set afterwards.
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

    /// The format of a payload type; `nil` if the m= line does not list it.
    public subscript(payloadType: PayloadType) -> RTPFormat? {
        formats.first { $0.payloadType == payloadType }
    }
}

extension MediaDescription {
    /// The port that receives RTCP, if it is not that of RTP: the one that a=rtcp names (RFC 3605 §2.1), or else the
    /// one behind (RFC 3550 §11). `nil` if both share a port (a=rtcp-mux), or if there is no such port.
    public var reportPort: UInt16? {
        guard !isRTCPMultiplexed, port != 0 else { return nil }
        guard let named = otherAttributes.first(where: { $0.name == "rtcp" })?.value else {
            return port == .max ? nil : port + 1
        }
        let number = named.split(separator: " ").first.flatMap { UInt16($0) } ?? 0
        return number == 0 || number == port ? nil : number
    }
}
