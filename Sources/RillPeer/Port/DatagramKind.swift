/// What a datagram is, where several protocols share a port (RFC 7983 §7). Its first byte tells:
///
///     0…3      STUN
///     16…19    ZRTP
///     20…63    DTLS
///     64…79    TURN channel data
///     128…191  RTP or RTCP; the second byte tells which (RFC 5761 §4)
public enum DatagramKind: Hashable, Sendable {
    /// A message of STUN, for ``ICEAgent``.
    case stun
    /// Records of DTLS, for ``DTLSEndpoint``.
    case dtls
    /// Data in a channel of a TURN server.
    case turnChannel
    /// An RTP or SRTP packet.
    case rtp
    /// An RTCP or SRTCP packet.
    case rtcp
    /// None of these: to be dropped.
    case unknown

    /// Tells what a datagram is. It says nothing about whether it is well formed.
    ///
    /// - Parameter datagram: any bytes.
    public init(_ datagram: Span<UInt8>) {
        guard let first = datagram.isEmpty ? nil : datagram[0] else {
            self = .unknown
            return
        }
        switch first {
        case 0...3: self = .stun
        case 20...63: self = .dtls
        case 64...79: self = .turnChannel
        case 128...191:
            guard datagram.count > 1 else {
                self = .unknown
                return
            }
            // RFC 5761 §4: with its marker bit, a payload type of 64 to 95 would look like a type of RTCP, so that RTP does
            // not use these.
            self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
        default: self = .unknown
        }
    }
}
