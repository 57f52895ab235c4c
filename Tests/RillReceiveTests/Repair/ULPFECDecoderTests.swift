import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@Suite struct ULPFECDecoderTests {
    /// Packets of one frame, bare.
    private func packets(_ count: Int, from start: UInt16, timestamp: UInt32 = 9000) -> [[UInt8]] {
        (0..<count).map { index in
            let header = RTPHeader(
                marker: index == count - 1, payloadType: ProtectedStream.media,
                sequenceNumber: SequenceNumber(start).advanced(by: index), timestamp: RTPTimestamp(timestamp),
                ssrc: ProtectedStream.ssrc)
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: 20 + index % 17)
            let packet = RTPPacket(header: header, payload: payload.span)
            return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
        }
    }

    /// An FEC packet of some of `packets`, in RED where it is wanted.
    private func fecPacket(
        of packets: [[UInt8]], number: UInt16, timestamp: UInt32 = 9000, isInRED: Bool = true, level0Limit: Int = 1500
    ) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 2000)
        var fecPacket = ULPFECBuilder(
            base: SequenceNumber(ProtectedStream.number(of: packets[0])), level0Limit: level0Limit)
        for packet in packets {
            var memory = buffer.mutableSpan
            fecPacket.add(packet.span, levels: level0Limit < 1500 ? [.zero, .one] : .zero, in: &memory)
        }
        let bytes = buffer
        var payload = [UInt8](capacity: fecPacket.byteCount) { fecPacket.write(bytes.span, into: &$0) }
        if isInRED { payload.insert(ProtectedStream.fec.rawValue, at: 0) }
        let header = RTPHeader(
            marker: false, payloadType: isInRED ? ProtectedStream.red : ProtectedStream.fec,
            sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(timestamp), ssrc: ProtectedStream.ssrc)
        let packet = RTPPacket(header: header, payload: payload.span)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }

    @Test(arguments: [0, 1, 32767, 65530, 65535] as [UInt16], [true, false])
    func `Any one packet of an FEC packet's group is restored once`(start: UInt16, isInRED: Bool) {
        for count in [1, 2, 16, 17, 48] {
            let media = packets(count, from: start)
            let fecPacket = fecPacket(of: media, number: start &+ UInt16(count), isInRED: isInRED)
            for lost in media.indices {
                var log = RestorerLog()
                for index in media.indices where index != lost { log.insert(media[index]) }
                #expect(log.bytes(.fec).isEmpty)
                log.insert(fecPacket)
                log.insert(fecPacket)
                #expect(log.bytes(.fec) == [media[lost]], "\(lost) of \(count)")
                // Late, it passes: the buffer knows its duplicates.
                log.insert(media[lost])
                #expect(log.media.last?.bytes == media[lost] && log.media.last?.origin == .network)
                #expect(log.statistics.packetsRecovered == 1 && log.statistics.fecPacketsDiscarded == 1)
            }
        }
    }

    @Test func `An early FEC packet restores as soon as only one packet is missing`() {
        let media = packets(5, from: 65533)
        var log = RestorerLog()
        log.insert(fecPacket(of: media, number: 2))
        for index in [4, 0, 3] { log.insert(media[index]) }
        #expect(log.bytes(.fec).isEmpty)
        log.insert(media[1])
        #expect(log.bytes(.fec) == [media[2]])
    }

    @Test func `One packet restored frees the next FEC packet`() {
        let media = packets(6, from: 100)
        var log = RestorerLog()
        // Each FEC packet shares a packet with the next; only the last has one loss.
        for index in 0..<5 { log.insert(fecPacket(of: Array(media[index...index + 1]), number: UInt16(106 + index))) }
        #expect(log.media.isEmpty)
        log.insert(media[5])
        #expect(log.bytes(.fec) == [4, 3, 2, 1, 0].map { media[$0] })
    }

    @Test func `A retransmitted packet completes an FEC packet's group`() throws {
        let stream = try ProtectedStream(frames: 1, percent: 1, largestFrame: 3000)
        let numbers = stream.datagrams.map(ProtectedStream.number).filter { !stream.fecPackets.contains($0) }
        try #require(numbers.count > 2 && stream.fecPackets.count == 1)
        var log = RestorerLog()
        for datagram in stream.datagrams where !numbers[0...1].contains(ProtectedStream.number(of: datagram)) {
            log.insert(datagram)
        }
        #expect(log.bytes(.fec).isEmpty)
        log.insert(try #require(stream.again[numbers[1]]))
        #expect(log.bytes(.retransmission) == [stream.originals[numbers[1]]])
        #expect(log.bytes(.fec) == [stream.originals[numbers[0]]])
    }

    @Test func `An FEC packet of two levels restores whole packets`() {
        let media = packets(4, from: 7)
        for lost in media.indices {
            var log = RestorerLog()
            for index in media.indices where index != lost { log.insert(media[index]) }
            log.insert(fecPacket(of: media, number: 11, level0Limit: 10))
            #expect(log.bytes(.fec) == [media[lost]])
        }
    }

    // MARK: What is of no use

    @Test func `Old FEC packets fall out`() {
        var log = RestorerLog()
        let media = packets(4, from: 10)
        log.insert(media[0])
        // Two are missing; 64 more such FEC packets take its place.
        log.insert(fecPacket(of: media, number: 14))
        for index in 0..<64 {
            let others = packets(3, from: UInt16(20 + index))
            log.insert(fecPacket(of: others, number: UInt16(30 + index)))
        }
        #expect(log.statistics.fecPacketsDiscarded == 1)
        log.insert(media[1])
        log.insert(media[2])
        #expect(!log.bytes(.fec).contains(media[3]))
    }

    @Test func `Packets before the window are not waited for`() {
        var log = RestorerLog()
        let media = packets(4, from: 65000)
        log.insert(fecPacket(of: media, number: 65004))
        for packet in packets(300, from: 65010) { log.insert(packet) }
        #expect(log.statistics.fecPacketsDiscarded == 1)
        for packet in media.dropLast() { log.insert(packet) }
        log.insert(fecPacket(of: media, number: 65004))
        #expect(log.bytes(.fec).isEmpty && log.statistics.fecPacketsDiscarded == 2)
    }

    @Test func `A stream that jumps is protected again soon`() {
        for jump in [40_000, 65_000, 300] as [UInt16] {
            var log = RestorerLog()
            let before = packets(20, from: 1000)
            for packet in before { log.insert(packet) }
            log.insert(fecPacket(of: packets(3, from: 1020), number: 1023))
            let after = packets(40, from: 1000 &+ jump)
            for packet in after where packet != after[30] { log.insert(packet) }
            log.insert(fecPacket(of: Array(after[25...]), number: 1040 &+ jump))
            #expect(log.bytes(.fec) == [after[30]], "by \(jump)")
            #expect(log.statistics.fecPacketsDiscarded == 1, "by \(jump)")
        }
    }

    @Test func `What is not a packet of the stream is not given out`() {
        let media = packets(3, from: 50)
        // An FEC packet of another payload type, of another time, and of a packet that came damaged.
        var foreign = media
        for index in foreign.indices { foreign[index][1] = foreign[index][1] & 0x80 | 111 }
        var damaged = media[0]
        damaged[1] ^= 0x40
        for (fecPacket, first) in [
            (fecPacket(of: [foreign[0], media[1], media[2]], number: 53), media[1]),
            (fecPacket(of: media, number: 53, timestamp: 9000 + 11 * 90_000), media[1]),
            (fecPacket(of: [damaged, media[1], media[2]], number: 53), media[1]),
        ] {
            var log = RestorerLog()
            log.insert(first)
            log.insert(media[2])
            log.insert(fecPacket)
            #expect(log.bytes(.fec).isEmpty)
            #expect(log.statistics.malformedPackets == 1 && log.statistics.packetsRecovered == 0)
        }
    }
}
