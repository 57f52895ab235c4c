/// Splits one encoded VP8 frame into RTP packets (RFC 7741 §4).
///
/// A value made for each frame. It knows the number of packets and writes any of them into memory that the caller
/// provides.
///
/// ```swift
/// let packetizer = VP8Packetizer(
///     frameByteCount: frame.count, header: header, descriptor: VP8PayloadDescriptor(startsPartition: true))
/// for index in 0..<packetizer.packetCount {
///     let packet = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
///         packetizer.writePacket(index, of: frame, into: &output)
///     }
/// }
/// ```
///
/// The frame counts as one partition: PID "MAY be kept at 0 for all packets", and finding the other partitions
/// requires decoding the frame's header. Every packet carries the whole descriptor, so that the loss of one packet
/// loses nothing of it.
///
/// Allocates nothing; writes each byte once.
public struct VP8Packetizer: Sendable {
    private let plan: PacketPlan
    /// Of all packets but the first.
    private let descriptor: DescriptorBytes

    /// A plan for one frame. Traps if the limit leaves no byte for the frame.
    ///
    /// - Parameters:
    ///   - frameByteCount: the size of the encoded frame in bytes; an empty frame makes no packets.
    ///   - header: the header of the first packet. Sequence numbers count up from it, and the last packet gets the
    ///     marker bit.
    ///   - descriptor: the properties of the frame. The packetizer sets `startsPartition` on the first packet only,
    ///     and `partitionIndex` to 0.
    ///   - maximumPacketByteCount: the maximum size of an RTP packet in bytes, headers included.
    ///   - headerExtensionByteCount: the size of the packets' ``RTPHeaderExtension`` in bytes; 0 for none. Each
    ///     packet has room for it, even a packet that is written without one.
    ///   - reservedByteCount: the bytes to leave free in every packet for later additions; see ``RepairOverhead``.
    public init(
        frameByteCount: Int, header: RTPHeader, descriptor: VP8PayloadDescriptor,
        maximumPacketByteCount: Int = PayloadPacketizer.defaultMaximumPacketByteCount,
        headerExtensionByteCount: Int = 0, reservedByteCount: Int = 0
    ) {
        var descriptor = descriptor
        descriptor.startsPartition = false
        descriptor.partitionIndex = 0
        self.descriptor = descriptor.bytes
        plan = PacketPlan(
            frameByteCount: frameByteCount, header: header, descriptorByteCount: self.descriptor.count,
            maximumPacketByteCount: maximumPacketByteCount, headerExtensionByteCount: headerExtensionByteCount,
            reservedByteCount: reservedByteCount)
    }

    /// The range of the frame that each packet carries.
    public var split: FrameSplit { plan.split }

    /// The number of packets for the frame.
    public var packetCount: Int { plan.packetCount }

    /// The size of all payloads in bytes: the frame, and a descriptor per packet.
    public var payloadByteCount: Int { plan.payloadByteCount }

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
        descriptor.write(settingBits: index == 0 ? VP8PayloadDescriptor.startBit : 0, into: &output)
        output.append(copying: frame.extracting(plan.split[index]))
    }
}
