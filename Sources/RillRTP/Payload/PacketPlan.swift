/// What the packetizers of all payload formats share: how many packets a frame makes, how long each is, and the headers
/// before its payload.
struct PacketPlan: Sendable {
    /// Which bytes of the frame each packet carries.
    let split: FrameSplit
    private let header: RTPHeader
    private let headerExtensionByteCount: Int
    private let descriptorByteCount: Int
    private let firstExtraByteCount: Int

    /// A plan for a frame of that many bytes.
    ///
    /// - Parameters:
    ///   - descriptorByteCount: what stands before the frame's bytes in every packet.
    ///   - firstExtraByteCount: what stands there besides in the first packet.
    ///   - reservedByteCount: what is left free in every packet.
    init(
        frameByteCount: Int, header: RTPHeader, descriptorByteCount: Int, firstExtraByteCount: Int = 0,
        maximumPacketByteCount: Int, headerExtensionByteCount: Int, reservedByteCount: Int
    ) {
        self.header = header
        self.headerExtensionByteCount = headerExtensionByteCount
        self.descriptorByteCount = descriptorByteCount
        self.firstExtraByteCount = firstExtraByteCount
        let overhead = header.byteCount + headerExtensionByteCount + descriptorByteCount + reservedByteCount
        split = FrameSplit(
            byteCount: frameByteCount, maximumPieceByteCount: maximumPacketByteCount - overhead,
            firstPieceReservation: firstExtraByteCount)
    }

    /// How many packets the frame makes.
    var packetCount: Int { split.count }

    /// Bytes of payload of all packets: the frame, and what stands before its bytes.
    var payloadByteCount: Int {
        split.isEmpty ? 0 : split.byteCount + split.count * descriptorByteCount + firstExtraByteCount
    }

    /// Bytes of packet `index`, its header extension included.
    func byteCount(ofPacket index: Int) -> Int {
        header.byteCount + headerExtensionByteCount + descriptorByteCount + (index == 0 ? firstExtraByteCount : 0)
            + split[index].count
    }

    /// Appends the header of packet `index`, with its number (`numbersTaken` went to other packets) and marker, and its
    /// extension, if it has one: a packet without it is that much shorter.
    @_lifetime(output: copy output)
    func writeHeader(
        ofPacket index: Int, of frame: Span<UInt8>, numbersTaken: Int, _ headerExtension: RTPHeaderExtension?,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            frame.count == split.byteCount
                && (headerExtension?.byteCount ?? headerExtensionByteCount) == headerExtensionByteCount,
            "frame or header extension is not as long as was told")
        var header = header
        header.sequenceNumber = header.sequenceNumber.advanced(by: index + numbersTaken)
        header.marker = index == split.count - 1
        header.write(into: &output, hasExtension: headerExtension != nil)
        headerExtension?.write(into: &output)
    }
}
