/// Cuts one coded VP8 frame into RTP packets (RFC 7741 §4).
///
/// A pure value made for each frame: it says how many packets there are and writes any of them, into memory of the
/// caller's choice.
///
///     let packetizer = VP8Packetizer(
///         frameByteCount: frame.count, header: header, descriptor: VP8PayloadDescriptor(startsPartition: true))
///     for index in 0..<packetizer.packetCount {
///         let packet = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
///             packetizer.writePacket(index, of: frame, into: &output)
///         }
///     }
///
/// The frame counts as one partition: PID "MAY be kept at 0 for all packets", and where the others begin is known only
/// to who decodes the frame's header. Every packet bears the whole descriptor, so that what it says of the frame
/// survives the loss of the others.
///
/// Allocates nothing; writes each byte once.
public struct VP8Packetizer: Sendable {
    /// Which bytes of the frame each packet carries.
    public let split: FrameSplit
    private let header: RTPHeader
    private let descriptor: VP8PayloadDescriptor
    private let headerExtensionByteCount: Int

    /// Bytes of a packet that pass every path in practice, with room for UDP, IPv6, SRTP and a tunnel in 1500.
    public static let defaultMaximumPacketByteCount = 1200

    /// A plan for a frame of that many bytes.
    ///
    /// - Parameters:
    ///   - frameByteCount: length of the coded frame; a frame of no bytes makes no packets.
    ///   - header: the first packet's. Sequence numbers count up from it, and the marker is set on the last packet.
    ///   - descriptor: what is said of the frame; `startsPartition` is set on the first packet alone, `partitionIndex`
    ///     is 0.
    ///   - maximumPacketByteCount: the most that an RTP packet may have, headers and all.
    ///   - headerExtensionByteCount: bytes of the ``RTPHeaderExtension`` that each packet will be given; 0 for none.
    ///   - reservedByteCount: bytes to leave free for what is added later: two for retransmission (RFC 4588).
    ///
    /// A limit that leaves no byte for the frame is the programmer's mistake.
    public init(
        frameByteCount: Int, header: RTPHeader, descriptor: VP8PayloadDescriptor,
        maximumPacketByteCount: Int = VP8Packetizer.defaultMaximumPacketByteCount,
        headerExtensionByteCount: Int = 0, reservedByteCount: Int = 0
    ) {
        self.header = header
        self.descriptor = descriptor
        self.headerExtensionByteCount = headerExtensionByteCount
        let overhead = header.byteCount + headerExtensionByteCount + descriptor.byteCount + reservedByteCount
        split = FrameSplit(byteCount: frameByteCount, maximumPieceByteCount: maximumPacketByteCount - overhead)
    }

    /// How many packets the frame makes.
    public var packetCount: Int { split.count }

    /// Bytes of payload of all packets: the frame, and a descriptor in each.
    public var payloadByteCount: Int { split.byteCount + split.count * descriptor.byteCount }

    /// Bytes of packet `index`.
    public func byteCount(ofPacket index: Int) -> Int {
        header.byteCount + headerExtensionByteCount + descriptor.byteCount + split[index].count
    }

    /// Appends packet `index`.
    ///
    /// - Parameters:
    ///   - frame: the whole frame, of the length that was told.
    ///   - headerExtension: as long as was told.
    ///   - output: has room for `byteCount(ofPacket:)` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func writePacket(
        _ index: Int, of frame: Span<UInt8>, headerExtension: RTPHeaderExtension? = nil,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            frame.count == split.byteCount && (headerExtension?.byteCount ?? 0) == headerExtensionByteCount,
            "frame or header extension is not as long as was told")
        var header = header
        header.sequenceNumber = header.sequenceNumber.advanced(by: index)
        header.marker = index == split.count - 1
        header.write(into: &output, hasExtension: headerExtension != nil)
        headerExtension?.write(into: &output)

        var descriptor = descriptor
        descriptor.startsPartition = index == 0
        descriptor.partitionIndex = 0
        descriptor.write(into: &output)
        output.append(copying: frame.extracting(split[index]))
    }
}
