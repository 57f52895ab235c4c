/// Splits one encoded VP9 frame into RTP packets (RFC 9628 §4).
///
/// A value made for each frame. It knows the number of packets and writes any of them into memory that the caller
/// provides.
///
/// ```swift
/// let descriptor = VP9PayloadDescriptor(pictureID: .long(7), startsFrame: true, endsFrame: true)
/// let packetizer = VP9Packetizer(frameByteCount: frame.count, header: header, descriptor: descriptor)
/// for index in 0..<packetizer.packetCount {
///     let packet = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
///         packetizer.writePacket(index, of: frame, into: &output)
///     }
/// }
/// ```
///
/// Every packet carries the whole descriptor, so that the loss of one packet loses nothing of it. Only the first
/// packet carries the scalability structure.
///
/// Allocates nothing; writes each byte once.
public struct VP9Packetizer: Sendable {
    private let plan: PacketPlan
    /// Of packets that are neither the first nor the last.
    private let descriptor: DescriptorBytes
    private let scalabilityStructureByteCount: Int

    /// A plan for one frame. Traps if the limit leaves no byte for the frame.
    ///
    /// - Parameters:
    ///   - frameByteCount: the size of the encoded frame in bytes; an empty frame makes no packets.
    ///   - header: the header of the first packet. Sequence numbers count up from it, and the last packet gets the
    ///     marker bit.
    ///   - descriptor: the properties of the frame. The packetizer sets `startsFrame` on the first packet only,
    ///     `endsFrame` on the last only.
    ///   - scalabilityStructureByteCount: the size of the first packet's ``VP9ScalabilityStructure`` in bytes; 0 for
    ///     none.
    ///   - maximumPacketByteCount: the maximum size of an RTP packet in bytes, headers included.
    ///   - headerExtensionByteCount: the size of the packets' ``RTPHeaderExtension`` in bytes; 0 for none. Each
    ///     packet has room for it, even a packet that is written without one.
    ///   - reservedByteCount: the bytes to leave free in every packet for later additions; see ``RepairOverhead``.
    public init(
        frameByteCount: Int, header: RTPHeader, descriptor: VP9PayloadDescriptor,
        scalabilityStructureByteCount: Int = 0,
        maximumPacketByteCount: Int = PayloadPacketizer.defaultMaximumPacketByteCount,
        headerExtensionByteCount: Int = 0, reservedByteCount: Int = 0
    ) {
        var descriptor = descriptor
        (descriptor.startsFrame, descriptor.endsFrame) = (false, false)
        self.descriptor = descriptor.bytes
        self.scalabilityStructureByteCount = scalabilityStructureByteCount
        plan = PacketPlan(
            frameByteCount: frameByteCount, header: header, descriptorByteCount: self.descriptor.count,
            firstExtraByteCount: scalabilityStructureByteCount, maximumPacketByteCount: maximumPacketByteCount,
            headerExtensionByteCount: headerExtensionByteCount, reservedByteCount: reservedByteCount)
    }

    /// The range of the frame that each packet carries.
    public var split: FrameSplit { plan.split }

    /// The number of packets for the frame.
    public var packetCount: Int { plan.packetCount }

    /// The size of all payloads in bytes: the frame, a descriptor per packet, and the scalability structure.
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
    ///   - scalabilityStructure: the scalability structure, of the planned size; written into the first packet only.
    ///   - headerExtension: the header extension, of the planned size, or `nil`.
    ///   - output: where to append. Traps unless there is room for `byteCount(ofPacket:)` bytes.
    @_lifetime(output: copy output)
    public func writePacket(
        _ index: Int, of frame: Span<UInt8>, sequenceNumberOffset: Int = 0,
        scalabilityStructure: VP9ScalabilityStructure? = nil, headerExtension: RTPHeaderExtension? = nil,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            (scalabilityStructure?.byteCount ?? 0) == scalabilityStructureByteCount,
            "the scalability structure differs in size from the plan")
        plan.writeHeader(
            ofPacket: index, of: frame, sequenceNumberOffset: sequenceNumberOffset, headerExtension, into: &output)
        typealias Descriptor = VP9PayloadDescriptor
        let hasStructure = index == 0 && scalabilityStructure != nil
        var bits = hasStructure ? Descriptor.structureBit : 0
        if index == 0 { bits |= Descriptor.startBit }
        if index == plan.packetCount - 1 { bits |= Descriptor.endBit }
        descriptor.write(settingBits: bits, into: &output)
        if hasStructure { scalabilityStructure?.write(into: &output) }
        output.append(copying: frame.extracting(plan.split[index]))
    }
}
