/// Cuts one coded frame into RTP packets of a ``PayloadFormat``.
///
/// A pure value made for each frame: it says how many packets there are and writes any of them, into memory of the
/// caller's choice.
///
/// Allocates nothing but what the caller's descriptors are; writes each byte once.
public struct PayloadPacketizer: Sendable {
    private let plan: PacketPlan
    private let first: [UInt8]
    private let others: [UInt8]

    /// Bytes of a packet that pass every path in practice, with room for UDP, IPv6, SRTP and a tunnel in 1500.
    public static let defaultMaximumPacketByteCount = 1200

    /// A plan for a frame of that many bytes.
    ///
    /// - Parameters:
    ///   - frameByteCount: length of the coded frame; a frame of no bytes makes no packets.
    ///   - header: the first packet's. Sequence numbers count up from it, and the marker is set on the last packet.
    ///   - first: what the format writes before the frame's bytes in the first packet, at most
    ///     ``PayloadFormat/maximumByteCount`` bytes.
    ///   - others: what it writes in each of the others: no more bytes than in the first.
    ///   - maximumPacketByteCount: the most that an RTP packet may have, headers and all.
    ///   - headerExtensionByteCount: bytes of the ``RTPHeaderExtension`` that packets will be given; 0 for none.
    ///   - reservedByteCount: bytes to leave free for what is added later: see ``RepairOverhead``.
    ///
    /// A limit that leaves no byte for the frame, and descriptors that are too long, are violated preconditions.
    public init(
        frameByteCount: Int, header: RTPHeader, first: [UInt8], others: [UInt8],
        maximumPacketByteCount: Int = PayloadPacketizer.defaultMaximumPacketByteCount,
        headerExtensionByteCount: Int = 0, reservedByteCount: Int = 0
    ) {
        precondition(
            others.count <= first.count && first.count <= PayloadFormat.maximumByteCount,
            "\(first.count) bytes before the first piece of a frame, \(others.count) before the others: at most "
                + "\(PayloadFormat.maximumByteCount), and no more than in the first")
        self.first = first
        self.others = others
        plan = PacketPlan(
            frameByteCount: frameByteCount, header: header, descriptorByteCount: others.count,
            firstExtraByteCount: first.count - others.count, maximumPacketByteCount: maximumPacketByteCount,
            headerExtensionByteCount: headerExtensionByteCount, reservedByteCount: reservedByteCount)
    }

    /// How many packets the frame makes.
    public var packetCount: Int { plan.packetCount }

    /// Bytes of packet `index`, its header extension included.
    public func byteCount(ofPacket index: Int) -> Int { plan.byteCount(ofPacket: index) }

    /// Appends packet `index`.
    ///
    /// - Parameters:
    ///   - frame: the whole frame, of the length that was told.
    ///   - numbersTaken: sequence numbers that went to other packets (FEC packets) since the frame's first one.
    ///   - headerExtension: as long as was told, or none.
    ///   - output: has room for `byteCount(ofPacket:)` bytes; too little is a violated precondition.
    @_lifetime(output: copy output)
    public func writePacket(
        _ index: Int, of frame: Span<UInt8>, numbersTaken: Int = 0, headerExtension: RTPHeaderExtension? = nil,
        into output: inout OutputSpan<UInt8>
    ) {
        plan.writeHeader(ofPacket: index, of: frame, numbersTaken: numbersTaken, headerExtension, into: &output)
        output.append(copying: index == 0 ? first.span : others.span)
        output.append(copying: frame.extracting(plan.split[index]))
    }
}
