/// What a datagram is that came to a port which RTP and RTCP share (RFC 5761 §4).
///
/// The second byte decides: RTCP's packet types are 192 to 223, and RTP's payload types 64 to 95, which would look like
/// them with the marker set, must not be used on a shared port.
public enum PacketKind: Equatable, Sendable {
    /// An RTP packet, as far as its first two bytes tell.
    case rtp
    /// A compound of RTCP packets, as far as the first two bytes tell.
    case rtcp
    /// Neither: shorter than two bytes, or not version 2 (STUN and DTLS, RFC 7983, are among these).
    case other

    /// Looks at the first two bytes of `datagram`.
    public init(of datagram: Span<UInt8>) {
        guard datagram.count >= 2, datagram[0] >> 6 == RTPHeader.version else {
            self = .other
            return
        }
        self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    }
}

extension SSRC {
    /// The sender of an RTP or RTCP packet, as far as its first bytes tell (RFC 3550 §5.1, §6.4); `nil` for others.
    public init?(ofSenderOf datagram: Span<UInt8>) {
        switch PacketKind(of: datagram) {
        case .rtp: self.init(of: datagram, at: 8)
        case .rtcp: self.init(of: datagram, at: 4)
        case .other: return nil
        }
    }

    /// The sender of a packet that is one of RTP by its kind; `nil` for one that is too short.
    @inline(__always)
    package init?(ofRTP datagram: Span<UInt8>) { self.init(of: datagram, at: 8) }

    @inline(__always)
    private init?(of datagram: Span<UInt8>, at offset: Int) {
        guard datagram.count >= offset + 4 else { return nil }
        self.init(
            UInt32(datagram[offset]) << 24 | UInt32(datagram[offset + 1]) << 16 | UInt32(datagram[offset + 2]) << 8
                | UInt32(datagram[offset + 3]))
    }
}
