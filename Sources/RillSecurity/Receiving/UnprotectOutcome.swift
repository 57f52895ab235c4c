public import RillRTP

/// What came of a datagram that was to be opened. Nothing but the first is to be parsed: what then stands in the datagram is
/// somebody else's, or damaged.
public enum UnprotectOutcome: Hashable, Sendable {
    /// It is genuine. The packet, RTP or RTCP, is its first bytes, so many.
    case unprotected(PacketKind, byteCount: Int)
    /// It was opened before.
    case replayed
    /// Its number lies further behind its source's newest than the window, so that nobody can say whether it is new.
    case tooOld
    /// Its tag is not what the key makes of it: another key, damage, or forgery.
    case authenticationFailed
    /// It is too short for what it says, or for a protected packet at all.
    case malformed
    /// It is RTCP that is not encrypted, which RFC 3711 knows and Rill does not take.
    case notEncrypted
    /// It names a master key that is not known here.
    case unknownKey
    /// It comes from a source of our own (``SRTPUnprotector/refuse(_:)``): somebody sends our packets back, or has chosen
    /// the same SSRC.
    case ownSource
    /// It comes from a source that is new, and as many as may be are known already.
    case tooManySources
    /// The key has opened as many packets as it may (2^48).
    case keyExpired
    /// It is not RTP or RTCP: STUN and DTLS, say (RFC 7983).
    case notRTP
    /// The library failed; `code` is its `srtp_err_status_t`.
    case failed(code: UInt32)
}

/// What an ``SRTPUnprotector`` has done so far.
public struct UnprotectStatistics: Codable, Hashable, Sendable {
    /// RTP packets opened.
    public var rtpPackets = 0
    /// RTCP packets opened.
    public var rtcpPackets = 0
    /// Packets that had been opened before.
    public var replayed = 0
    /// Packets too far behind the newest.
    public var tooOld = 0
    /// Packets whose tag was wrong.
    public var authenticationFailed = 0
    /// Datagrams too short for what they say.
    public var malformed = 0
    /// RTCP packets that were not encrypted.
    public var notEncrypted = 0
    /// Packets under a key that is not known.
    public var unknownKey = 0
    /// Packets from sources of our own.
    public var ownSource = 0
    /// Packets from one source too many.
    public var tooManySources = 0
    /// Packets for which the key has expired.
    public var keyExpired = 0
    /// Datagrams that were not RTP or RTCP.
    public var notRTP = 0
    /// Packets on which the library failed.
    public var failed = 0
    /// Searches for the rollover counter of a source that was there before us.
    public var rolloverSearches = 0

    /// Datagrams of RTP or RTCP that were not opened.
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
