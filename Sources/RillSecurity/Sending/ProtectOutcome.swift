/// What came of a packet that was to be protected. All but the first leave nothing in the datagram.
public enum ProtectOutcome: Hashable, Sendable {
    /// It is in the datagram, encrypted and authenticated, and has so many bytes there.
    case protected(byteCount: Int)
    /// A packet of this source with this number was protected before. A second one would give the key away: a packet is
    /// retransmitted by RTX (RFC 4588), with a number of its own, or as the bytes that were sent.
    case repeated
    /// The packet's number lies further behind the newest than the window.
    case tooOld
    /// It is not an RTP or RTCP packet, or its header is longer than it, or than 2048 bytes.
    case malformed
    /// The key has protected as many packets as it may (2^48 of RTP, 2^31 of RTCP a source).
    case keyExpired
    /// The library failed; `code` is its `srtp_err_status_t`.
    case failed(code: UInt32)
}

/// What an ``SRTPProtector`` has done so far.
public struct ProtectStatistics: Codable, Hashable, Sendable {
    /// RTP packets protected.
    public var rtpPackets = 0
    /// RTCP packets protected.
    public var rtcpPackets = 0
    /// Packets that had a number for the second time.
    public var repeated = 0
    /// Packets too far behind the newest.
    public var tooOld = 0
    /// Packets that were none.
    public var malformed = 0
    /// Packets for which the key has expired.
    public var keyExpired = 0
    /// Packets on which the library failed.
    public var failed = 0
    /// Keys that followed the first one.
    public var keyChanges = 0
}
