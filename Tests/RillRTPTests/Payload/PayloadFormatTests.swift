import RillCore
import RillTestSupport
import Testing

@testable import RillRTP

struct PayloadFormatTests {
    private static let frames: [PayloadFrame] = {
        var two = FrameDistances()
        two.append(1)
        two.append(255)
        return [
            PayloadFrame(number: 0, isKey: true, width: 640, height: 480),
            PayloadFrame(number: 65535, isKey: true, isDiscardable: true, width: 16383, height: 1),
            PayloadFrame(number: 7, isKey: false),
            PayloadFrame(number: 300, isKey: false, isDiscardable: true, temporalIndex: 3, distances: two),
        ]
    }()

    private func written(_ frame: PayloadFrame, isFirst: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        PayloadFormat.numbered.write(frame, isFirst, &bytes)
        return bytes
    }

    @Test(arguments: frames, [true, false])
    func `Written values are parsed back`(frame: PayloadFrame, isFirst: Bool) throws {
        let bytes = written(frame, isFirst: isFirst) + [0xAB]
        let piece = try PayloadFormat.numbered.parse(bytes.span)
        var expected = frame
        // Only the first packet of a key frame has its size.
        if !isFirst { (expected.width, expected.height) = (0, 0) }
        #expect(piece == PayloadPiece(expected, startsFrame: isFirst, offset: bytes.count - 1))
    }

    @Test(arguments: frames, [true, false])
    func `Truncated packets are refused`(frame: PayloadFrame, isFirst: Bool) {
        let bytes = written(frame, isFirst: isFirst)
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            #expect(throws: RTPError.self, "\(count) of \(bytes.count) bytes") {
                try PayloadFormat.numbered.parse(part.span)
            }
        }
        #expect(throws: RTPError.emptyPayload) { try PayloadFormat.numbered.parse(bytes.span) }
    }

    @Test func `A frame that refers to itself is refused`() {
        let bytes: [UInt8] = [0x81, 0, 7, 0, 0xAB]
        #expect(throws: RTPError.invalidReference(distance: 0)) { try PayloadFormat.numbered.parse(bytes.span) }
    }

    @Test func `A frame that an app's format lets refer to itself is refused`() throws {
        let codec = try #require(VideoCodec(rawValue: "own"))
        let format = PayloadFormat("own", write: { _, _, _ in }) { _ throws(RTPError) in
            PayloadPiece(
                PayloadFrame(number: 7, isKey: false, distances: FrameDistances(0)), startsFrame: true, offset: 0)
        }
        let bytes: [UInt8] = [1]
        #expect(throws: RTPError.invalidReference(distance: 0)) {
            try FrameFormat(codec, own: format).parse(bytes.span)
        }
    }

    @Test func `Any bytes are taken`() {
        for first in UInt8.min ... .max {
            for count in 1...12 {
                let bytes = [first] + [UInt8](repeating: 1, count: count - 1)
                guard let piece = try? PayloadFormat.numbered.parse(bytes.span) else { continue }
                #expect((1..<count).contains(piece.offset))
            }
        }
    }

    @Test(arguments: [1, 60, 1000, 5000], [64, 200, 1200])
    func `Pieces make the frame again`(byteCount: Int, limit: Int) throws {
        let frame = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
        for told in Self.frames {
            let packetizer = PayloadPacketizer(
                frameByteCount: byteCount,
                header: RTPHeader(
                    marker: false, payloadType: PayloadType(102), sequenceNumber: SequenceNumber(65535),
                    timestamp: RTPTimestamp(1), ssrc: SSRC(1)),
                first: written(told, isFirst: true), others: written(told, isFirst: false),
                maximumPacketByteCount: limit)
            var joined: [UInt8] = []
            for index in 0..<packetizer.packetCount {
                let bytes = [UInt8](capacity: limit) { packetizer.writePacket(index, of: frame.span, into: &$0) }
                #expect(bytes.count == packetizer.byteCount(ofPacket: index) && bytes.count <= limit)
                let packet = try RTPPacket(parsing: bytes.span)
                #expect(packet.header.marker == (index == packetizer.packetCount - 1))
                let piece = try PayloadFormat.numbered.parse(packet.payload)
                #expect(piece.startsFrame == (index == 0))
                for index in piece.offset..<packet.payload.count { joined.append(packet.payload[index]) }
            }
            #expect(joined == frame)
        }
    }
}
