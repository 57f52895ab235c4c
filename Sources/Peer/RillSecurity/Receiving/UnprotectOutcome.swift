public import RillRTP

/// The outcome of unprotecting a datagram.
///
/// Parse the datagram only after the first case. In all other cases its bytes are forged or damaged.
public enum UnprotectOutcome: Hashable, Sendable {
    /// The datagram is genuine. Its first `byteCount` bytes are the RTP or RTCP packet.
    case unprotected(PacketKind, byteCount: Int)
    /// The packet was unprotected before.
    case replayed
    /// The packet's number is further before its source's newest than the window, so it may be a replay. For a former
    /// source (``UnprotectSettings/maximumFormerSourceCount``) it is any number that is not above the newest.
    case tooOld
    /// The authentication tag is wrong: another key, damage, or a forgery.
    case authenticationFailed
    /// The datagram is too short for its header, or for a protected packet.
    case malformed
    /// The packet is RTCP without encryption, which RFC 3711 allows and Rill does not accept.
    case notEncrypted
    /// The packet has the identifier of an unknown master key.
    case unknownKey
    /// The packet has one of our own SSRCs (``SRTPUnprotector/refuse(_:)``): it was sent back to us, or the other
    /// side has chosen the same SSRC.
    case ownSource
    /// The packet is from a new source, and there are as many sources and former sources as allowed.
    case tooManySources
    /// The key has unprotected the maximum number of packets (2^48).
    case keyExpired
    /// The datagram is not RTP or RTCP but, for example, STUN or DTLS (RFC 7983).
    case notRTP
    /// The library failed; `code` is its `srtp_err_status_t`.
    case failed(code: UInt32)
}

/// Statistics of an ``SRTPUnprotector`` since its start.
public struct UnprotectStatistics: Codable, Hashable, Sendable {
    /// RTP packets unprotected.
    public var rtpPackets = 0
    /// RTCP packets unprotected.
    public var rtcpPackets = 0
    /// Packets that were unprotected before.
    public var replayed = 0
    /// Packets too far before the newest.
    public var tooOld = 0
    /// Packets with a wrong authentication tag.
    public var authenticationFailed = 0
    /// Datagrams that were too short.
    public var malformed = 0
    /// RTCP packets that were not encrypted.
    public var notEncrypted = 0
    /// Packets with the identifier of an unknown key.
    public var unknownKey = 0
    /// Packets with one of our own SSRCs.
    public var ownSource = 0
    /// Packets from more sources than allowed.
    public var tooManySources = 0
    /// Packets for which the key has expired.
    public var keyExpired = 0
    /// Datagrams that were not RTP or RTCP.
    public var notRTP = 0
    /// Packets on which the library failed.
    public var failed = 0
    /// Searches for the rollover counter of a source that was sending before this side joined.
    public var rolloverSearches = 0
    /// Sources that made room for others. Each time such a source comes back, another one does.
    public var sourcesDisplaced = 0

    /// RTP and RTCP datagrams that were refused.
    public var refused: Int {
        replayed + tooOld + authenticationFailed + malformed + notEncrypted + unknownKey + ownSource + tooManySources
            + keyExpired + failed
    }

    mutating func count(_ outcome: UnprotectOutcome) {
        switch outcome {
        case .unprotected(let kind, _): if kind == .rtp { rtpPackets += 1 } else { rtcpPackets += 1 }
        case .replayed: replayed += 1
        case .tooOld: tooOld += 1
        case .authenticationFailed: authenticationFailed += 1
        case .malformed: malformed += 1
        case .notEncrypted: notEncrypted += 1
        case .unknownKey: unknownKey += 1
        case .ownSource: ownSource += 1
        case .tooManySources: tooManySources += 1
        case .keyExpired: keyExpired += 1
        case .notRTP: notRTP += 1
        case .failed: failed += 1
        }
    }
}

/// The settings of an ``SRTPUnprotector``.
public struct UnprotectSettings: Hashable, Sendable {
    /// The replay window in packets, 64 to 32767: how far before the newest packet of its source a packet may be. The
    /// default covers half a second at 20 Mbit/s; RFC 3711 §3.3.2 requires at least 64.
    public var windowPacketCount = 1024
    /// The maximum number of sources that have a stream with a replay window. Only genuine packets make a source known.
    /// A further one takes the place of the source whose last genuine packet is the oldest, which becomes a former
    /// source.
    public var maximumSourceCount = 256
    /// The maximum number of former sources. Of each, up to 40 bytes remember how far its packets were unprotected: it
    /// may go on behind that, and nothing of it can be replayed. None is ever forgotten; beyond the limit, new sources
    /// are refused until there is another key.
    public var maximumFormerSourceCount = 16_384
    /// The highest rollover counter to try for a source whose first packet does not match 0, because it was sending
    /// before this side joined. 0 disables the search.
    public var maximumSearchedRolloverCounter: UInt32 = 8

    /// The default settings.
    public init() {}
}
