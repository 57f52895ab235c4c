// RFC 3711 §3.4 and RFC 7714 §9.1: the trailer of an RTCP packet, before the authentication tag (counter mode) or
// after it (GCM):
//
//     +-+-------------------------------+
//     |E|         SRTCP index           |
//     +-+-------------------------------+
//
// E is set if the packet is encrypted.

/// The word at the end of a protected RTCP packet.
enum SRTCPTrailer {
    /// The size of the trailer: 4 bytes.
    static let byteCount = 4

    /// Returns its offset in a packet of `count` bytes, from which the master key identifier was removed.
    static func offset(_ profile: SRTPProfile, count: Int) -> Int {
        count - byteCount - (profile.isAEAD ? 0 : profile.tagByteCount(.rtcp))
    }

    /// Returns the SRTCP index of a packet of `count` bytes, from which the master key identifier was removed.
    @unsafe static func index(_ profile: SRTPProfile, _ base: UnsafeMutablePointer<UInt8>, count: Int) -> UInt32 {
        let start = offset(profile, count: count)
        var word: UInt32 = 0
        // The caller has checked that the trailer is there.
        for place in start..<start + byteCount { word = unsafe word << 8 | UInt32(base[place]) }
        return word & 0x7FFF_FFFF
    }

    /// Returns whether the E bit is set in the first byte of the trailer.
    static func isEncrypted(_ first: UInt8) -> Bool { first & 0x80 != 0 }
}
