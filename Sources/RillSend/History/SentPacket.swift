public import RillCore

/// A packet that was sent, in the memory of the sender's history. The view must not outlive a call that changes that.
public struct SentPacket: ~Escapable {
    /// The whole RTP packet; where packets go in RED, as it was before.
    public let bytes: Span<UInt8>
    /// When it was sent.
    public let sentAt: MediaTime

    /// When it was last sent again; `nil` if it never was.
    public let retransmittedAt: MediaTime?
    /// It is an FEC packet of other packets.
    public let isFEC: Bool

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, sentAt: MediaTime, retransmittedAt: MediaTime?, isFEC: Bool) {
        self.bytes = bytes
        self.sentAt = sentAt
        self.retransmittedAt = retransmittedAt
        self.isFEC = isFEC
    }
}
