public import RillCore
public import RillPeer
public import RillRTP

/// The settings of a ``StreamForwarder``.
public struct ForwardSettings: Sendable {
    /// The most sessions, of publishers and viewers together. 1000.
    public var sessionLimit = 1000
    /// The most streams. 100.
    public var streamLimit = 100
    /// The most slots of a member for pictures, each a section of its session. 17: sixteen people and a screen.
    public var videoSlotLimit = 17
    /// The most slots of a member for sound. 4.
    public var soundSlotLimit = 4
    /// The most sections of video that a member publishes. 2: a camera and a screen.
    public var publicationLimit = 2
    /// How many of them clients may have.
    public var quotas = ForwardQuotas()
    /// Codecs, header extensions and repair, towards publishers and viewers. Where an offer leaves the choice, this
    /// side is the server of DTLS: the server chooses the profile of SRTP (RFC 5764 §4.1.1), and browsers that choose
    /// take AES-CM with HMAC, which costs several times as much as AES-GCM.
    public var negotiation = {
        var negotiation = NegotiationSettings()
        negotiation.answeringRole = .server
        negotiation.headerExtensions.append(.dependencyDescriptor)
        return negotiation
    }()
    /// Times and limits of DTLS, and the profiles of SRTP.
    public var dtls = DTLSSettings()
    /// The bitrate that is taken for a viewer's until feedback tells: whether a viewer begins with a high layer or a
    /// low one depends on it. 1 Mbit/s.
    public var startBitrate = Bitrate.megabits(1)
    /// The most that is sent to a viewer. 20 Mbit/s.
    public var maximumBitrate = Bitrate.megabits(20)
    /// The most that is forwarded of a publisher's sound, without headers; for a second more may come. 512 kbit/s: Opus
    /// has at most 510 (RFC 6716 §2.1.1). At least 1 kbit/s.
    public var soundBitrate = Bitrate.kilobits(512)
    /// The most packets of it a second. 200: Opus in packets of 5 ms. At least 1.
    public var soundPacketRate = 200
    /// How long a stream without a publisher keeps its viewers. 30 s.
    public var publisherTimeout = MediaDuration.seconds(30)
    /// How long a connection may take. 15 s.
    public var connectTimeout = MediaDuration.seconds(15)
    /// The wall clock's time at `MediaTime.zero`, for sender reports.
    public var wallClockAtZero = NTPTimestamp.unixEpoch

    /// Where the seeds of the sessions' connections begin, for tests and measurements that are the same each time.
    /// `nil` draws them, as is needed for credentials that others cannot guess.
    public var seed: UInt64?

    /// Settings with the defaults.
    public init() {}
}

/// Who asks for a session: what is counted by, and which publishers are one and the same.
///
/// A client without any of these is counted with the total only.
public struct ForwardClient: Hashable, Sendable {
    /// The subject of its token: publishers of one subject are the same one. `nil` if the token names none.
    public var subject: String?
    /// By what its sessions are counted: the same text for everybody with the same token or subject; `nil` without a
    /// token.
    public var bearer: String?
    /// The address from which it asks. Of IPv6 give the network: somebody who has one address has 2⁶⁴ of them (RFC
    /// 6177).
    public var address: IPAddress?

    /// A client.
    public init(subject: String? = nil, bearer: String? = nil, address: IPAddress? = nil) {
        (self.subject, self.bearer, self.address) = (subject, bearer, address)
    }
}

/// Whose place a publisher may take. A publisher counts once it has sent a key frame.
public enum PublishCondition: Equatable, Sendable {
    /// Anybody's.
    case always
    /// That of a publisher with the same subject.
    case sameSubject
    /// That of these sessions, and of those that followed them. A session that is over is of no use.
    case following([ICEPeerID])
}
