import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP8PacketizerTests {
    private let header = RTPHeader(
        marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(65534),
        timestamp: RTPTimestamp(1234), ssrc: SSRC(5))
    private let descriptor = VP8PayloadDescriptor(startsPartition: true, pictureID: .long(300))

    @Test func `The first packet starts the frame, the last has the marker bit, all have the picture ID`() throws {
        let frame = Array(0..<250).map(UInt8.init)
        let packets = packets(of: frame, limit: 100)
        #expect(packets.map(\.count) == [100, 99, 99])
        for (index, bytes) in packets.enumerated() {
            let packet = try RTPPacket(parsing: bytes.span)
            #expect(packet.header.sequenceNumber == SequenceNumber(65534).advanced(by: index))
            #expect(packet.header.marker == (index == 2))
            #expect(packet.header.timestamp == header.timestamp && packet.header.ssrc == header.ssrc)
            let descriptor = try VP8Payload(parsing: packet.payload).descriptor
            #expect(descriptor.startsPartition == (index == 0))
            #expect(descriptor.pictureID == .long(300))
            #expect(descriptor.partitionIndex == 0)
        }
    }

    @Test func `Any frame at any packet size round-trips byte-exact, with no packet over the limit`() throws {
        var random = SeededGenerator(seed: 7)
        var cases: [(byteCount: Int, limit: Int)] = [
            (1, 64), (1, 9000), (300_000, 64), (300_000, 9000), (300_000, 1200),
        ]
        // Around the sizes at which one more packet is needed.
        for limit in [64, 65, 1200] {
            for pieces in 1...3 {
                for difference in -1...1 { cases.append((pieces * (limit - 16) + difference, limit)) }
            }
        }
        for _ in 0..<60 {
            cases.append((.random(in: 1...20_000, using: &random), .random(in: 64...9000, using: &random)))
            cases.append((.random(in: 1...300_000, using: &random), .random(in: 600...9000, using: &random)))
        }
        for (byteCount, limit) in cases {
            let frame = random.bytes(byteCount)
            let packets = packets(of: frame, limit: limit)
            let sizes = packets.map(\.count)
            #expect(sizes.max()! <= limit, "\(byteCount) by \(limit)")
            #expect(sizes.max()! - sizes.min()! <= 1, "\(byteCount) by \(limit)")
            #expect(rejoined(packets) == frame, "\(byteCount) by \(limit)")
        }
    }

    @Test(arguments: interestingStarts)
    func `A frame that crosses the wraparound of sequence numbers round-trips`(start: UInt16) {
        var random = SeededGenerator(seed: 8)
        let frame = random.bytes(1000)
        var header = header
        header.sequenceNumber = SequenceNumber(start)
        #expect(rejoined(packets(of: frame, limit: 64, header: header)) == frame, "start \(start)")
    }

    @Test func `An extension and reserved bytes are reckoned with`() throws {
        let data: [UInt8] = [0x10, 0xFF, 0, 0]
        let frame = [UInt8](repeating: 7, count: 1000)
        let packetizer = VP8Packetizer(
            frameByteCount: frame.count, header: header, descriptor: descriptor, maximumPacketByteCount: 140,
            headerExtensionByteCount: 8, reservedByteCount: 2)
        // 140 - 12 - 8 - 4 - 2 leaves 114.
        #expect(packetizer.packetCount == 9)
        for index in 0..<packetizer.packetCount {
            let bytes = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
                packetizer.writePacket(
                    index, of: frame.span, headerExtension: RTPHeaderExtension(profile: 0xBEDE, data: data.span),
                    into: &output)
            }
            #expect(bytes.count <= 138 && bytes.count == packetizer.byteCount(ofPacket: index))
            let packet = try RTPPacket(parsing: bytes.span)
            let extensionData = packet.headerExtension?.data.array
            #expect(extensionData == data)
        }
    }

    @Test func `A frame of no bytes makes no packets`() {
        let packetizer = VP8Packetizer(frameByteCount: 0, header: header, descriptor: descriptor)
        #expect(packetizer.packetCount == 0)
    }

    private func packets(of frame: [UInt8], limit: Int, header: RTPHeader? = nil) -> [[UInt8]] {
        let packetizer = VP8Packetizer(
            frameByteCount: frame.count, header: header ?? self.header, descriptor: descriptor,
            maximumPacketByteCount: limit)
        return (0..<packetizer.packetCount).map { index in
            [UInt8](capacity: limit) { output in packetizer.writePacket(index, of: frame.span, into: &output) }
        }
    }

    /// The payloads of the packets, joined.
    private func rejoined(_ packets: [[UInt8]]) -> [UInt8]? {
        var depacketizer = FrameDepacketizer(.vp8)
        var frame: [UInt8] = []
        for (index, bytes) in packets.enumerated() {
            guard let packet = try? RTPPacket(parsing: bytes.span) else { return nil }  // nil fails the test
            let outcome = depacketizer.insert(packet, into: &frame)
            let isLast = index == packets.count - 1
            guard outcome == (isLast ? .completed : index == 0 ? .started : .continued) else { return nil }
        }
        return frame
    }
}
