/// The outcome of protecting a packet. All cases except the first leave the datagram unchanged.
public enum ProtectOutcome: Hashable, Sendable {
    /// The packet is in the datagram, encrypted and authenticated, with a size of `byteCount` bytes.
    case protected(byteCount: Int)
    /// A packet of this source with this number was protected before. Protecting another would reveal the
    /// authentication key. Retransmit a packet by RTX (RFC 4588), with a new sequence number, or as the bytes that
    /// were sent.
    case repeated
    /// The packet's number is further before the newest than the window.
    case tooOld
    /// The packet is not RTP or RTCP, or its header is longer than the packet or than 2048 bytes.
    case malformed
    /// The key has protected the maximum number of packets (2^48 of RTP, 2^31 of RTCP per source).
    case keyExpired
    /// The library failed; `code` is its `srtp_err_status_t`.
    case failed(code: UInt32)
}

/// Statistics of an ``SRTPProtector`` since its start.
public struct ProtectStatistics: Codable, Hashable, Sendable {
    /// RTP packets protected.
    public var rtpPackets = 0
    /// RTCP packets protected.
    public var rtcpPackets = 0
    /// Packets with a number that was used before.
    public var repeated = 0
    /// Packets too far before the newest.
    public var tooOld = 0
    /// Packets that are not RTP or RTCP.
    public var malformed = 0
    /// Packets for which the key has expired.
    public var keyExpired = 0
    /// Packets on which the library failed.
    public var failed = 0
    /// Changes to another key.
    public var keyChanges = 0
}
