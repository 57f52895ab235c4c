/// Cuts one coded VP9 frame into RTP packets (RFC 9628 §4).
///
/// A pure value made for each frame: it says how many packets there are and writes any of them, into memory of the
/// caller's choice.
///
///     let descriptor = VP9PayloadDescriptor(pictureID: .long(7), startsFrame: true, endsFrame: true)
///     let packetizer = VP9Packetizer(frameByteCount: frame.count, header: header, descriptor: descriptor)
///     for index in 0..<packetizer.packetCount {
///         let packet = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
///             packetizer.writePacket(index, of: frame, into: &output)
///         }
///     }
///
/// Every packet bears the whole descriptor, so that what it says of the frame survives the loss of the others; the
/// scalability structure stands in the first alone.
///
/// Allocates nothing; writes each byte once.
public struct VP9Packetizer: Sendable {
    private let plan: PacketPlan
    private let descriptor: VP9PayloadDescriptor
    private let scalabilityStructureByteCount: Int

    /// A plan for a frame of that many bytes.
    ///
    /// - Parameters:
    ///   - frameByteCount: length of the coded frame; a frame of no bytes makes no packets.
    ///   - header: the first packet's. Sequence numbers count up from it, and the marker is set on the last packet.
    ///   - descriptor: what is said of the frame; `startsFrame` is set on the first packet alone, `endsFrame` on the last.
    ///   - scalabilityStructureByteCount: bytes of the ``VP9ScalabilityStructure`` that the first packet will be given.
    ///   - maximumPacketByteCount: the most that an RTP packet may have, headers and all.
    ///   - headerExtensionByteCount: bytes of the ``RTPHeaderExtension`` that packets will be given; 0 for none. Each
    ///     packet has room for it, also one that then gets none.
    ///   - reservedByteCount: bytes to leave free for what is added later: see ``RepairOverhead``.
    ///
    /// A limit that leaves no byte for the frame is the programmer's mistake.
    public init(
        frameByteCount: Int, header: RTPHeader, descriptor: VP9PayloadDescriptor,
        scalabilityStructureByteCount: Int = 0,
        maximumPacketByteCount: Int = PayloadPacketizer.defaultMaximumPacketByteCount,
        headerExtensionByteCount: Int = 0, reservedByteCount: Int = 0
    ) {
        self.descriptor = descriptor
        self.scalabilityStructureByteCount = scalabilityStructureByteCount
        plan = PacketPlan(
            frameByteCount: frameByteCount, header: header, descriptorByteCount: descriptor.byteCount,
            firstExtraByteCount: scalabilityStructureByteCount, maximumPacketByteCount: maximumPacketByteCount,
            headerExtensionByteCount: headerExtensionByteCount, reservedByteCount: reservedByteCount)
    }

    /// Which bytes of the frame each packet carries.
    public var split: FrameSplit { plan.split }

    /// How many packets the frame makes.
    public var packetCount: Int { plan.packetCount }

    /// Bytes of payload of all packets: the frame, a descriptor in each, the scalability structure.
    public var payloadByteCount: Int { plan.payloadByteCount }

    /// Bytes of packet `index`, its header extension included.
    public func byteCount(ofPacket index: Int) -> Int { plan.byteCount(ofPacket: index) }

    /// Appends packet `index`.
    ///
    /// - Parameters:
    ///   - frame: the whole frame, of the length that was told.
    ///   - numbersTaken: sequence numbers that went to other packets (FEC packets) since the frame's first one.
    ///   - scalabilityStructure: as long as was told; it goes into the first packet.
    ///   - headerExtension: as long as was told, or none.
    ///   - output: has room for `byteCount(ofPacket:)` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func writePacket(
        _ index: Int, of frame: Span<UInt8>, numbersTaken: Int = 0,
        scalabilityStructure: VP9ScalabilityStructure? = nil, headerExtension: RTPHeaderExtension? = nil,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            (scalabilityStructure?.byteCount ?? 0) == scalabilityStructureByteCount,
            "the scalability structure is not as long as was told")
        plan.writeHeader(ofPacket: index, of: frame, numbersTaken: numbersTaken, headerExtension, into: &output)
        var descriptor = descriptor
        descriptor.startsFrame = index == 0
        descriptor.endsFrame = index == plan.packetCount - 1
        let hasStructure = index == 0 && scalabilityStructure != nil
        descriptor.write(into: &output, hasScalabilityStructure: hasStructure)
        if hasStructure { scalabilityStructure?.write(into: &output) }
        output.append(copying: frame.extracting(plan.split[index]))
    }
}
