public import RillCore

/// A packet that was sent, in the memory of the sender's history. The view must not outlive a call that changes that.
public struct SentPacket: ~Escapable {
    /// The whole RTP packet.
    public let bytes: Span<UInt8>
    /// When it was sent.
    public let sentAt: MediaTime

    @_lifetime(copy bytes)
    init(bytes: Span<UInt8>, sentAt: MediaTime) {
        self.bytes = bytes
        self.sentAt = sentAt
    }
}
