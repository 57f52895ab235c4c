import RillRTP

extension SRTPProfile {
    /// Returns the size of the authentication tag in bytes.
    func tagByteCount(_ kind: PacketKind) -> Int {
        if isAEAD { return 16 }
        return self == .aesCM128Tag32 && kind == .rtp ? 4 : 10
    }

    /// Returns the bytes that protection adds to a packet, without the master key identifier: the tag, and in RTCP
    /// the trailer.
    func overhead(_ kind: PacketKind) -> Int {
        tagByteCount(kind) + (kind == .rtcp ? SRTCPTrailer.byteCount : 0)
    }
}
