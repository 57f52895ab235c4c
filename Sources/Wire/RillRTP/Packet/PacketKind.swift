/// The kind of a datagram on a port shared by RTP and RTCP (RFC 5761 §4).
///
/// The second byte decides: RTCP packet types are 192 to 223. RTP payload types 64 to 95, which with the marker bit
/// set would look the same, must not be used on a shared port.
public enum PacketKind: Equatable, Sendable {
    /// An RTP packet, according to its first two bytes.
    case rtp
    /// A compound RTCP packet, according to its first two bytes.
    case rtcp
    /// Neither: shorter than two bytes, or not version 2 (STUN and DTLS, RFC 7983, are among these).
    case other

    /// Classifies a datagram by its first two bytes.
    public init(of datagram: Span<UInt8>) {
        guard datagram.count >= 2, datagram[0] >> 6 == RTPHeader.version else {
            self = .other
            return
        }
        self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    }
}

extension SSRC {
    /// The SSRC of an RTP or RTCP packet's sender, read from its first bytes (RFC 3550 §5.1, §6.4); `nil` for other
    /// datagrams and for packets that are too short.
    public init?(ofSenderOf datagram: Span<UInt8>) {
        switch PacketKind(of: datagram) {
        case .rtp: self.init(of: datagram, at: 8)
        case .rtcp: self.init(of: datagram, at: 4)
        case .other: return nil
        }
    }

    /// The SSRC of an RTP packet, whose kind the caller has checked; `nil` if the packet is too short.
    @inline(__always)
    package init?(ofRTP datagram: Span<UInt8>) { self.init(of: datagram, at: 8) }

    /// The SSRC at a place of a datagram; `nil` if that is too short.
    @inline(__always)
    init?(of datagram: Span<UInt8>, at offset: Int) {
        guard datagram.count >= offset + 4 else { return nil }
        self.init(
            UInt32(datagram[offset]) << 24 | UInt32(datagram[offset + 1]) << 16 | UInt32(datagram[offset + 2]) << 8
                | UInt32(datagram[offset + 3]))
    }
}

extension SequenceNumber {
    /// The sequence number of an RTP packet, whose kind the caller has checked; `nil` if the packet is too short.
    @inline(__always)
    package init?(ofRTP datagram: Span<UInt8>) {
        guard datagram.count >= 4 else { return nil }
        self.init(UInt16(datagram[2]) << 8 | UInt16(datagram[3]))
    }
}

/// The protocol of a datagram, according to its first two bytes (RFC 7983).
///
/// On a port shared by several protocols, the first byte distinguishes them (RFC 7983 §7):
///
/// ```text
/// +----------------+
/// |        [0..3] -+--> STUN
/// |      [16..19] -+--> ZRTP
/// |      [20..63] -+--> DTLS
/// |      [64..79] -+--> TURN channel
/// |    [128..191] -+--> RTP or RTCP, distinguished by the second byte (RFC 5761 §4)
/// +----------------+
/// ```
public enum DatagramKind: Hashable, Sendable, CaseIterable {
    /// An RTP packet.
    case rtp
    /// A compound RTCP packet.
    case rtcp
    /// STUN: ICE connectivity checks.
    case stun
    /// ZRTP.
    case zrtp
    /// DTLS.
    case dtls
    /// Data on a TURN channel.
    case turnChannel
    /// None of these, or fewer than two bytes.
    case unknown

    /// Classifies a datagram by its first two bytes.
    @inlinable
    public init(of datagram: Span<UInt8>) {
        guard datagram.count >= 2 else {
            self = .unknown
            return
        }
        self =
            switch datagram[0] {
            case 128...191: (192...223).contains(datagram[1]) ? .rtcp : .rtp
            case 0...3: .stun
            case 16...19: .zrtp
            case 20...63: .dtls
            case 64...79: .turnChannel
            default: .unknown
            }
    }
}
