/// The bytes that loss repair adds to packets. A packetizer leaves them free so that no packet exceeds the path's
/// limit.
///
/// ```swift
/// let overhead = RepairOverhead(usesRTX: true, usesRED: true, usesULPFEC: true)
/// let packetizer = VP8Packetizer(
///     frameByteCount: frame.count, header: header, descriptor: descriptor, reservedByteCount: overhead.byteCount)
/// ```
public struct RepairOverhead: Equatable, Sendable {
    /// Whether lost packets are retransmitted as RTX (RFC 4588).
    public var usesRTX: Bool
    /// Whether all packets are wrapped in RED.
    public var usesRED: Bool
    /// Whether ULPFEC protects the packets.
    public var usesULPFEC: Bool

    /// The overhead of a session that uses these mechanisms.
    public init(usesRTX: Bool = false, usesRED: Bool = false, usesULPFEC: Bool = false) {
        self.usesRTX = usesRTX
        self.usesRED = usesRED
        self.usesULPFEC = usesULPFEC
    }

    /// The number of bytes to leave free in each packet: the largest overhead of any packet derived from it.
    ///
    /// FEC packets are not retransmitted, so RTX and ULPFEC do not add up.
    public var byteCount: Int {
        let red = usesRED ? REDPayload.primaryHeaderByteCount : 0
        return red
            + max(usesRTX ? RetransmittedPacket.headerByteCount : 0, usesULPFEC ? ULPFECPayload.maximumOverhead : 0)
    }
}
