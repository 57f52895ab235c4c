/// The bytes that repair adds to packets, which a packetizer has to leave free so that none exceeds the path's limit.
///
///     let overhead = RepairOverhead(usesRTX: true, usesRED: true, usesULPFEC: true)
///     VP8Packetizer(…, maximumPacketByteCount: 1200, reservedByteCount: overhead.byteCount)
public struct RepairOverhead: Equatable, Sendable {
    /// Lost packets are sent again as RFC 4588 has it.
    public var usesRTX: Bool
    /// All packets go in RED.
    public var usesRED: Bool
    /// Packets are protected by ULPFEC.
    public var usesULPFEC: Bool

    /// What a session does for repair.
    public init(usesRTX: Bool = false, usesRED: Bool = false, usesULPFEC: Bool = false) {
        self.usesRTX = usesRTX
        self.usesRED = usesRED
        self.usesULPFEC = usesULPFEC
    }

    /// Bytes to leave free in each packet: what the largest of those that come of it has more than itself. FEC packets are
    /// not sent again.
    public var byteCount: Int {
        let red = usesRED ? REDPayload.primaryHeaderByteCount : 0
        return red
            + max(usesRTX ? RetransmittedPacket.headerByteCount : 0, usesULPFEC ? ULPFECPayload.maximumOverhead : 0)
    }
}
