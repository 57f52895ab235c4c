import RillCore
import RillPacketSupport

@testable import RillRTP

/// Makes the packets of a VP9 stream whose frames hold noise behind a true frame header.
struct SyntheticVP9Stream {
    var ssrc = SSRC(0xCAFE)
    var payloadType = PayloadType(98)
    var sequence = SequenceNumber(1000)
    var timestamp = RTPTimestamp(90_000)
    /// The fields of the next frame's packets, except its start and end.
    var descriptor = VP9PayloadDescriptor(pictureID: .long(100), isFlexible: true, startsFrame: true, endsFrame: true)
    /// The scalability structure of the next frame's first packet; empty for none.
    var structure: [UInt8] = []
    var pieceByteCount = 20
    private var generator = SeededGenerator(seed: 1)

    enum Kind { case key, inter, intraOnly }

    struct Frame {
        var bytes: [UInt8]
        var packets: [[UInt8]]
    }

    /// The next frame, in that many packets; the counters then go on to the frame after it.
    mutating func frame(_ kind: Kind = .inter, packets count: Int = 1, ticks: Int64 = 3000) -> Frame {
        let picture = VP9FrameHeader.Picture(width: 160, height: 120, colorSpace: 1)
        let header = VP9FrameHeader(
            kind: kind == .key
                ? .key(picture, isShown: true)
                : kind == .intraOnly ? .intraOnly(picture) : .inter(isShown: true, size: nil))
        var bytes = [UInt8](capacity: 64) { header.write(into: &$0) }
        while bytes.count < count * pieceByteCount { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
        // Its last byte is not that of a superframe index.
        bytes[bytes.count - 1] &= 0x7F
        descriptor.isInterPicturePredicted = kind == .inter
        if kind != .inter { descriptor.references = FrameDistances() }
        var frame = Frame(bytes: bytes, packets: [])
        for index in 0..<count {
            let start = index * pieceByteCount
            let end = index == count - 1 ? bytes.count : start + pieceByteCount
            frame.packets.append(packet(bytes[start..<end], isFirst: index == 0, isLast: index == count - 1))
        }
        timestamp = timestamp.advanced(by: ticks)
        descriptor.pictureID = descriptor.pictureID?.next
        structure = []
        return frame
    }

    private mutating func packet(_ piece: ArraySlice<UInt8>, isFirst: Bool, isLast: Bool) -> [UInt8] {
        var descriptor = descriptor
        (descriptor.startsFrame, descriptor.endsFrame) = (isFirst, isLast)
        let hasStructure = isFirst && !structure.isEmpty
        let front = [UInt8](capacity: 64) { descriptor.write(into: &$0, hasScalabilityStructure: hasStructure) }
        let payload = front + (hasStructure ? structure : []) + piece
        let header = RTPHeader(
            marker: isLast, payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp, ssrc: ssrc)
        sequence = sequence.next
        let packet = RTPPacket(header: header, payload: payload.span)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }
}
