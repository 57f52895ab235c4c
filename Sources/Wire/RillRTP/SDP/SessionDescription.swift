/// The description of an RTP session in SDP (RFC 8866): its streams, their addresses, payload types and feedback.
///
/// ```swift
/// var video = MediaDescription(.video, port: 5004, formats: [.vp8(PayloadType(96))])
/// video.isRTCPMultiplexed = true
/// let session = SessionDescription(connection: ConnectionAddress("127.0.0.1"), media: [video])
/// print(session.text)                                          // for `ffplay -protocol_whitelist file,udp,rtp`
/// let theirs = try SessionDescription(parsing: bytes.span)     // from GStreamer, FFmpeg, Janus, a browser
/// ```
///
/// A plain value: what to do with a description is up to the caller, and the offer/answer model of RFC 3264 is not
/// implemented. Lines and attributes without a property are kept in order and written again.
///
/// The order of the lines (RFC 8866 §5; * optional):
///
/// ```text
/// v=0                                    version
/// o=<username> <sess-id> <sess-version> <nettype> <addrtype> <unicast-address>
/// s=<session name>
/// i=* u=* e=* p=*                        information, URI, e-mail, phone
/// c=*<nettype> <addrtype> <connection-address>
/// b=*<bwtype>:<bandwidth>
/// t=<start-time> <stop-time>   r=*       times, repetitions
/// z=* k=*                                time zones, key
/// a=*<attribute>[:<value>]
/// m=*<media> <port> <proto> <fmt> …      the first of the media sections
/// ```
public struct SessionDescription: Equatable, Sendable {
    /// o=: the originator of the description.
    public var origin: Origin
    /// s=: the session name; `-` if it has none.
    public var name: String
    /// c=: the destination address of the streams that do not have their own.
    public var connection: ConnectionAddress?
    /// t=: the times at which the session is active.
    public var times: [ActiveTime]
    /// The direction of the streams that do not have their own.
    public var direction: MediaDirection?
    /// Lines of other types, in the order of the RFC: i=, u=, e=, p=, then b=, then k=, z= and unknown ones.
    public var otherLines: [Line]
    /// Other attributes of the session (`group`, `msid-semantic`, `tool`, …), in their order.
    public var otherAttributes: [Attribute]
    /// m=: the media sections.
    public var media: [MediaDescription]

    /// The maximum size of a text in bytes; a browser's description with fifty streams has 150,000 bytes.
    public static let maximumByteCount = 1 << 18

    /// A description with these properties.
    public init(
        origin: Origin = Origin(), name: String = "-", connection: ConnectionAddress? = nil,
        times: [ActiveTime] = [.always], direction: MediaDirection? = nil, otherLines: [Line] = [],
        otherAttributes: [Attribute] = [], media: [MediaDescription] = []
    ) {
        self.origin = origin
        self.name = name
        self.connection = connection
        self.times = times
        self.direction = direction
        self.otherLines = otherLines
        self.otherAttributes = otherAttributes
        self.media = media
    }

    /// o=: the originator of a description, and the version of the description (RFC 8866 §5.2).
    public struct Origin: Equatable, Sendable {
        /// The user's login on the originating host; `-` if there is none. No spaces.
        public var username: String
        /// Distinguishes this session from others of the originator.
        public var sessionID: UInt64
        /// Increases with each change of the description.
        public var version: UInt64
        /// The address of the originating host.
        public var address: ConnectionAddress

        /// An originator; the defaults carry no information.
        public init(
            username: String = "-", sessionID: UInt64 = 0, version: UInt64 = 0,
            address: ConnectionAddress = ConnectionAddress("127.0.0.1")
        ) {
            self.username = username
            self.sessionID = sessionID
            self.version = version
            self.address = address
        }
    }

    /// t= and its r= lines: when a session is active (RFC 8866 §5.9).
    public struct ActiveTime: Equatable, Sendable {
        /// The start in seconds since 1900; 0 for a permanent session.
        public var start: UInt64
        /// The end in seconds since 1900; 0 for an unbounded session.
        public var stop: UInt64
        /// The r= lines, not parsed.
        public var repeats: [String]

        /// Active from `start` to `stop`.
        public init(start: UInt64, stop: UInt64, repeats: [String] = []) {
            self.start = start
            self.stop = stop
            self.repeats = repeats
        }

        /// `t=0 0`: always active, as live sessions are.
        public static let always = ActiveTime(start: 0, stop: 0)
    }

    /// A line that is preserved unchanged.
    public struct Line: Equatable, Sendable {
        /// The letter before the equals sign.
        public var type: Unicode.Scalar
        /// The text after the equals sign, without line endings and trailing blanks.
        public var value: String

        /// The line `type=value`.
        public init(_ type: Unicode.Scalar, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// An attribute that is preserved unchanged.
    public struct Attribute: Hashable, Sendable {
        /// The text before the first colon.
        public var name: String
        /// The text after the first colon; `nil` without a colon.
        public var value: String?

        /// The attribute `name`, or `name:value`.
        public init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }
}

/// c=, and the end of o=: an Internet address or host name (RFC 8866 §5.7).
public struct ConnectionAddress: Equatable, Sendable {
    /// The address families, with their names in SDP.
    public enum Family: String, Sendable, CaseIterable {
        /// IPv4.
        case ip4 = "IP4"
        /// IPv6.
        case ip6 = "IP6"
    }

    /// The address family.
    public var family: Family
    /// A numeric address or a host name; not checked.
    public var host: String
    /// For IPv4 multicast: the maximum number of hops, 0 to 255.
    public var timeToLive: UInt8?
    /// For multicast: the number of consecutive addresses, starting with this one.
    public var count: UInt32?

    /// An address. The family is IPv6 if the host contains a colon, otherwise IPv4.
    public init(_ host: String, timeToLive: UInt8? = nil, count: UInt32? = nil) {
        self.family = host.utf8.contains(Sign.colon) ? .ip6 : .ip4
        self.host = host
        self.timeToLive = timeToLive
        self.count = count
    }
}

/// The direction of a stream, as seen by the writer of the description (RFC 8866 §6.7).
public enum MediaDirection: String, Sendable, CaseIterable {
    /// Both directions; the default if none is specified.
    case sendAndReceive = "sendrecv"
    /// Only from the writer.
    case sendOnly = "sendonly"
    /// Only to the writer.
    case receiveOnly = "recvonly"
    /// Neither direction at the moment.
    case inactive = "inactive"
}

/// Errors in the text of a session description, with the line number (from 1) if it applies.
///
/// ``RTPError`` reports positions in bytes; for a text the line is more useful.
public enum SDPError: Error, Equatable, Sendable {
    /// The text has no lines.
    case empty
    /// The text is longer than ``SessionDescription/maximumByteCount``.
    case tooLarge(byteCount: Int, limit: Int)
    /// The line is not a letter, an equals sign and a value.
    case notALine(line: Int, text: String)
    /// The value of a line or attribute is invalid.
    case invalidValue(line: Int, field: String, value: String)
    /// A line or attribute that may occur once occurs again.
    case repeated(line: Int, field: String)
}

extension SDPError: CustomStringConvertible {
    /// A description of the error in one line.
    public var description: String {
        switch self {
        case .empty:
            "the session description is empty"
        case .tooLarge(let byteCount, let limit):
            "a session description of \(byteCount) bytes; the limit is \(limit)"
        case .notALine(let line, let text):
            "line \(line) of the session description, \"\(text)\", is not of the form x=value"
        case .invalidValue(let line, let field, let value):
            "line \(line) of the session description has an invalid \(field): \"\(value)\""
        case .repeated(let line, let field):
            "line \(line) of the session description repeats \(field)"
        }
    }
}
