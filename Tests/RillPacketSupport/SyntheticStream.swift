package import RillCore
package import RillRTP

/// Makes the packets of a VP8 stream whose frames hold noise behind a true frame header.
package struct SyntheticStream {
    package var ssrc = SSRC(0xCAFE)
    package var payloadType = PayloadType(96)
    package var sequence = SequenceNumber(1000)
    package var timestamp = RTPTimestamp(90_000)
    /// The fields of the next frame's packets, except start and partition.
    package var descriptor = VP8PayloadDescriptor(startsPartition: false, pictureID: .long(100))
    package var setsMarker = true
    /// What the last packet of the next frame says in its header extension, if something.
    package var orientation: (id: UInt8, value: [UInt8])?
    package var pieceByteCount = 20
    private var generator = SeededGenerator(seed: 1)

    package init() {}

    package struct Frame {
        package var isKey: Bool
        package var timestamp: RTPTimestamp
        package var descriptor: VP8PayloadDescriptor
        package var bytes: [UInt8]
        package var packets: [[UInt8]]
    }

    package static let resolution = Resolution(width: 160, height: 120)

    /// The next frame, in that many packets; the counters then go on to the frame after it, `ticks` later.
    package mutating func frame(
        isKey: Bool = false, packets count: Int = 1, ticks: Int64 = 3000, resolution: Resolution = resolution
    ) -> Frame {
        let header = VP8FrameHeader(
            firstPartitionByteCount: 10,
            keyFrame: isKey ? .init(width: resolution.width, height: resolution.height) : nil)
        var bytes = [UInt8](capacity: header.byteCount) { header.write(into: &$0) }
        while bytes.count < count * pieceByteCount { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
        var frame = Frame(isKey: isKey, timestamp: timestamp, descriptor: descriptor, bytes: bytes, packets: [])
        for index in 0..<count {
            let start = index * pieceByteCount
            let end = index == count - 1 ? bytes.count : start + pieceByteCount
            frame.packets.append(packet(bytes[start..<end], isFirst: index == 0, isLast: index == count - 1))
        }
        timestamp = timestamp.advanced(by: ticks)
        descriptor.pictureID = descriptor.pictureID?.next
        return frame
    }

    /// A key frame and `count - 1` delta frames after it, each in `packets` packets.
    package mutating func frames(_ count: Int, packets: Int = 1, ticks: Int64 = 3000) -> [Frame] {
        (0..<count).map { frame(isKey: $0 == 0, packets: packets, ticks: ticks) }
    }

    /// A packet of padding alone, stamped like the frame before.
    package mutating func padding() -> [UInt8] {
        let header = RTPHeader(
            marker: false, payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp.advanced(by: -3000),
            ssrc: ssrc)
        sequence = sequence.next
        let none: [UInt8] = []
        let packet = RTPPacket(header: header, payload: none.span, paddingByteCount: 200)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }

    private mutating func packet(_ piece: ArraySlice<UInt8>, isFirst: Bool, isLast: Bool) -> [UInt8] {
        var descriptor = descriptor
        descriptor.startsPartition = isFirst
        let payload =
            [UInt8](capacity: descriptor.byteCount) { descriptor.write(into: &$0) } + piece
        let header = RTPHeader(
            marker: isLast && setsMarker, payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp,
            ssrc: ssrc)
        sequence = sequence.next
        var block: [UInt8] = []
        if let orientation, isLast {
            var layout = HeaderExtensionLayout()
            layout.add(id: orientation.id, byteCount: orientation.value.count)
            let whole = layout
            block = [UInt8](capacity: whole.byteCount) { output in
                let writer = HeaderExtensionWriter(whole, into: &output)
                writer.append(data: orientation.value.span, id: orientation.id, into: &output)
                writer.finish(into: &output)
            }
        }
        let packet = RTPPacket(
            // Written above, so it can be read; no bytes are no extension.
            header: header, headerExtension: try? RTPHeaderExtension(parsing: block.span), payload: payload.span)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }
}

extension PictureID {
    /// The next number of the same width.
    package var next: PictureID {
        switch self {
        case .short(let value): .short((value + 1) & 0x7F)
        case .long(let value): .long((value + 1) & 0x7FFF)
        }
    }
}
