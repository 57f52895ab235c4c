import RillRTP

extension SRTPProfile {
    /// Bytes of the authentication tag.
    func tagByteCount(_ kind: PacketKind) -> Int {
        if isAEAD { return 16 }
        return self == .aesCM128Tag32 && kind == .rtp ? 4 : 10
    }

    /// Bytes that a packet grows by, its key's identifier left out: the tag, and in RTCP the E bit with the packet's index.
    func overhead(_ kind: PacketKind) -> Int {
        tagByteCount(kind) + (kind == .rtcp ? SRTCPTrailer.byteCount : 0)
    }
}
