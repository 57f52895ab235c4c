/// What an RTP session consists of, as SDP (RFC 8866) tells it to the other side: which streams go to which address, what
/// their payload types mean, which feedback they take.
///
///     var video = MediaDescription(.video, port: 5004, formats: [.vp8(PayloadType(96))])
///     video.isRTCPMultiplexed = true
///     let session = SessionDescription(connection: ConnectionAddress("127.0.0.1"), media: [video])
///     print(session.text)                                          // for `ffplay -protocol_whitelist file,udp,rtp`
///     let theirs = try SessionDescription(parsing: bytes.span)     // from GStreamer, FFmpeg, Janus, a browser
///
/// A value without behaviour: what to do with a description is the caller's business (RFC 3264's offer and answer are not
/// modelled). What it has no name for is kept, in its order, and written again.
public struct SessionDescription: Equatable, Sendable {
    /// o=: who made the description.
    public var origin: Origin
    /// s=: what the session is called; `-` where nobody named it.
    public var name: String
    /// c=: where the streams go to that do not say so themselves.
    public var connection: ConnectionAddress?
    /// t=: when the session takes place.
    public var times: [ActiveTime]
    /// Which way the streams go that do not say so themselves.
    public var direction: MediaDirection?
    /// Lines of other types, in the order of the RFC: i=, u=, e=, p=, then b=, then k=, z= and unknown ones.
    public var otherLines: [Line]
    /// Other attributes of the session (`group`, `msid-semantic`, `tool`, …), in their order.
    public var otherAttributes: [Attribute]
    /// m=: the streams.
    public var media: [MediaDescription]

    /// The longest text that is read; a browser's with fifty streams has 150,000 bytes.
    public static let maximumByteCount = 1 << 18

    /// A description of these parts.
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

    /// o=: who made the description, and which version of it this is (RFC 8866 §5.2).
    public struct Origin: Equatable, Sendable {
        /// The user's name there; `-` where there is none. No spaces.
        public var username: String
        /// Tells this session from the origin's others.
        public var sessionID: UInt64
        /// Grows with each change of the description.
        public var version: UInt64
        /// The machine.
        public var address: ConnectionAddress

        /// An origin; by default one that says nothing.
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

    /// t= and the r= lines behind it: when a session takes place (RFC 8866 §5.9).
    public struct ActiveTime: Equatable, Sendable {
        /// Seconds since 1900; 0 for "since ever".
        public var start: UInt64
        /// Seconds since 1900; 0 for "without end".
        public var stop: UInt64
        /// The r= lines, not taken apart.
        public var repeats: [String]

        /// From `start` to `stop`.
        public init(start: UInt64, stop: UInt64, repeats: [String] = []) {
            self.start = start
            self.stop = stop
            self.repeats = repeats
        }

        /// `t=0 0`: what every live session says.
        public static let always = ActiveTime(start: 0, stop: 0)
    }

    /// A line that is kept as it is.
    public struct Line: Equatable, Sendable {
        /// The letter before the equals sign.
        public var type: Unicode.Scalar
        /// What stands behind it: no line end, no blanks at its end.
        public var value: String

        /// The line `type=value`.
        public init(_ type: Unicode.Scalar, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// An attribute that is kept as it is.
    public struct Attribute: Hashable, Sendable {
        /// What stands before the first colon.
        public var name: String
        /// What stands behind it; `nil` without a colon.
        public var value: String?

        /// The attribute `name`, or `name:value`.
        public init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }
}

/// c=, and the end of o=: an Internet address or name (RFC 8866 §5.7).
public struct ConnectionAddress: Equatable, Sendable {
    /// The two kinds of address, under their names in SDP.
    public enum Family: String, Sendable, CaseIterable {
        /// Version 4.
        case ip4 = "IP4"
        /// Version 6.
        case ip6 = "IP6"
    }

    /// Which kind of address it is.
    public var family: Family
    /// Numbers or a name, not checked.
    public var host: String
    /// Of IPv4 multicast: over how many routers packets may go, 0 to 255.
    public var timeToLive: UInt8?
    /// Of multicast: how many addresses there are, this one the first.
    public var count: UInt32?

    /// An address. The family is that of its signs: with a colon it is IPv6.
    public init(_ host: String, timeToLive: UInt8? = nil, count: UInt32? = nil) {
        self.family = host.utf8.contains(Sign.colon) ? .ip6 : .ip4
        self.host = host
        self.timeToLive = timeToLive
        self.count = count
    }
}

/// Which way a stream goes, seen from who wrote the description (RFC 8866 §6.7).
public enum MediaDirection: String, Sendable, CaseIterable {
    /// Both ways; what is meant where nothing is said.
    case sendAndReceive = "sendrecv"
    /// Only from the writer.
    case sendOnly = "sendonly"
    /// Only to the writer.
    case receiveOnly = "recvonly"
    /// Not now.
    case inactive = "inactive"
}
