/// The number of packets for a frame, their sizes, and the headers before their payloads. The packetizers of all
/// payload formats share it.
struct PacketPlan: Sendable {
    /// Which bytes of the frame each packet carries.
    let split: FrameSplit
    private let header: RTPHeader
    private let headerExtensionByteCount: Int
    private let descriptorByteCount: Int
    private let firstExtraByteCount: Int

    /// A plan for one frame.
    ///
    /// - Parameters:
    ///   - frameByteCount: the size of the frame in bytes.
    ///   - header: the header of the first packet.
    ///   - descriptorByteCount: the size of the payload descriptor of every packet in bytes.
    ///   - firstExtraByteCount: the size of additional data after the descriptor of the first packet in bytes.
    ///   - maximumPacketByteCount: the maximum size of an RTP packet in bytes, headers included.
    ///   - headerExtensionByteCount: the size of the header extension of every packet in bytes.
    ///   - reservedByteCount: the bytes to leave free in every packet.
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

    /// The number of packets for the frame.
    var packetCount: Int { split.count }

    /// The size of all payloads in bytes: the frame, the descriptors and the additional data.
    var payloadByteCount: Int {
        split.isEmpty ? 0 : split.byteCount + split.count * descriptorByteCount + firstExtraByteCount
    }

    /// The size of packet `index` in bytes, including its header extension.
    func byteCount(ofPacket index: Int) -> Int {
        header.byteCount + headerExtensionByteCount + descriptorByteCount + (index == 0 ? firstExtraByteCount : 0)
            + split[index].count
    }

    /// Appends the header of packet `index` with its sequence number and marker bit, and its extension.
    ///
    /// A packet without an extension is shorter by the extension's size. `sequenceNumberOffset` is the number of
    /// sequence numbers that other packets have used since the frame's first packet.
    @_lifetime(output: copy output)
    func writeHeader(
        ofPacket index: Int, of frame: Span<UInt8>, sequenceNumberOffset: Int, _ headerExtension: RTPHeaderExtension?,
        into output: inout OutputSpan<UInt8>
    ) {
        precondition(
            frame.count == split.byteCount
                && (headerExtension?.byteCount ?? headerExtensionByteCount) == headerExtensionByteCount,
            "the frame or the header extension differs in size from the plan")
        var header = header
        header.sequenceNumber = header.sequenceNumber.advanced(by: index + sequenceNumberOffset)
        header.marker = index == split.count - 1
        header.write(into: &output, hasExtension: headerExtension != nil)
        headerExtension?.write(into: &output)
    }
}

/// A payload descriptor as bytes, one to eight. The packets of a frame have the same but for bits of the first byte, so
/// it is made once for each frame.
struct DescriptorBytes: Sendable {
    /// The first byte is the lowest one.
    private var bits: UInt64
    private(set) var count = 1

    init(_ first: UInt8) { bits = UInt64(first) }

    mutating func append(_ byte: UInt8) {
        precondition(count < 8, "a descriptor of more than 8 bytes")
        bits |= UInt64(byte) << UInt64(8 * count)
        count += 1
    }

    /// Appends the bytes to a packet, the first one with these bits too. Traps unless there is room.
    @_lifetime(output: copy output)
    func write(settingBits bits: UInt8 = 0, into output: inout OutputSpan<UInt8>) {
        var rest = self.bits | UInt64(bits)
        for _ in 0..<count {
            output.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
