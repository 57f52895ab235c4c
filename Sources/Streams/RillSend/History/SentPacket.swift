public import RillCore

/// A packet that was sent, in the memory of the sender's history. The view must not outlive a call that changes the
/// history.
public struct SentPacket: ~Escapable {
    /// The whole RTP packet; if packets are wrapped in RED, the packet before wrapping.
    public let bytes: Span<UInt8>
    /// The time when it was sent.
    public let sentAt: MediaTime

    /// The time of its latest retransmission; `nil` if it was never retransmitted.
    public let retransmittedAt: MediaTime?
    /// Whether it is an FEC packet.
    public let isFEC: Bool

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, sentAt: MediaTime, retransmittedAt: MediaTime?, isFEC: Bool) {
        self.bytes = bytes
        self.sentAt = sentAt
        self.retransmittedAt = retransmittedAt
        self.isFEC = isFEC
    }
}
