// RFC 3711 §3.4 and RFC 7714 §9.1: behind an RTCP packet stands, before the authentication tag (counter mode) or behind it
// (GCM):
//
//     +-+-------------------------------+
//     |E|         SRTCP index           |
//     +-+-------------------------------+
//
// E says that the packet is encrypted.

/// The word behind a protected RTCP packet.
enum SRTCPTrailer {
    /// Four.
    static let byteCount = 4

    /// Where it stands in a packet of `count` bytes, whose key's identifier is taken out.
    static func offset(_ profile: SRTPProfile, count: Int) -> Int {
        count - byteCount - (profile.isAEAD ? 0 : profile.tagByteCount(.rtcp))
    }

    /// Whether the first byte of the word has the E bit.
    static func isEncrypted(_ first: UInt8) -> Bool { first & 0x80 != 0 }
}
