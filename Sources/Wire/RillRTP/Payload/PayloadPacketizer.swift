/// Splits one encoded frame into RTP packets of a ``PayloadFormat``.
///
/// A value made for each frame. It knows the number of packets and writes any of them into memory that the caller
/// provides. Allocates nothing except the descriptors that the caller passes; writes each byte once.
public struct PayloadPacketizer: Sendable {
    private let plan: PacketPlan
    private let first: [UInt8]
    private let others: [UInt8]

    /// A packet size in bytes that works on practically every path: it leaves room for UDP, IPv6, SRTP and a tunnel
    /// in 1500.
    public static let defaultMaximumPacketByteCount = 1200

    /// A plan for one frame.
    ///
    /// Traps if the limit leaves no byte for the frame, or if a descriptor is too long.
    ///
    /// - Parameters:
    ///   - frameByteCount: the size of the encoded frame in bytes; an empty frame makes no packets.
    ///   - header: the header of the first packet. Sequence numbers count up from it, and the last packet gets the
    ///     marker bit.
    ///   - first: the format's bytes before the frame's data in the first packet, at most
    ///     ``PayloadFormat/maximumByteCount``.
    ///   - others: the format's bytes in each other packet, no more than in the first.
    ///   - maximumPacketByteCount: the maximum size of an RTP packet in bytes, headers included.
    ///   - headerExtensionByteCount: the size of the packets' ``RTPHeaderExtension`` in bytes; 0 for none.
    ///   - reservedByteCount: the bytes to leave free in every packet for later additions; see ``RepairOverhead``.
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

    /// The number of packets for the frame.
    public var packetCount: Int { plan.packetCount }

    /// Returns the size of packet `index` in bytes, including its header extension.
    public func byteCount(ofPacket index: Int) -> Int { plan.byteCount(ofPacket: index) }

    /// Appends packet `index`.
    ///
    /// - Parameters:
    ///   - index: the packet, 0 to `packetCount - 1`.
    ///   - frame: the whole frame, of the planned size.
    ///   - sequenceNumberOffset: the number of sequence numbers that other packets (FEC packets) have used since the
    ///     frame's first packet.
    ///   - headerExtension: the header extension, of the planned size, or `nil`.
    ///   - output: where to append. Traps unless there is room for `byteCount(ofPacket:)` bytes.
    @_lifetime(output: copy output)
    public func writePacket(
        _ index: Int, of frame: Span<UInt8>, sequenceNumberOffset: Int = 0, headerExtension: RTPHeaderExtension? = nil,
        into output: inout OutputSpan<UInt8>
    ) {
        plan.writeHeader(
            ofPacket: index, of: frame, sequenceNumberOffset: sequenceNumberOffset, headerExtension, into: &output)
        output.append(copying: index == 0 ? first.span : others.span)
        output.append(copying: frame.extracting(plan.split[index]))
    }
}
