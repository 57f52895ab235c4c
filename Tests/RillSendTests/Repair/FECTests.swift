import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

@Suite struct FECTests {
    private let fec = PayloadType(101)
    private let red = PayloadType(100)

    private func settings(_ percent: Int, limit: Int = 1200, start: UInt16 = 65500) -> RTPStreamSettings {
        var settings = sampleSettings()
        settings.maximumPacketByteCount = limit
        settings.historyCapacity = 200
        settings.firstSequenceNumber = SequenceNumber(start)
        settings.fec = FECSettings(
            percentage: .percent(percent), payloadType: fec, redPayloadType: red)
        return settings
    }

    private func payload(_ byteCount: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(byteCount))
        return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// The packets of one frame.
    private func packets(
        _ byteCount: Int, _ settings: RTPStreamSettings
    ) throws -> (datagrams: [[UInt8]], sent: SentFrame, statistics: RTPStreamStatistics) {
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        let sent = sender.send(.sample(0), payload: payload(byteCount).span, at: .zero, to: sink)
        return (sink.packets, sent, sender.statistics)
    }

    @Test(arguments: [(0, 0), (1, 1), (20, 2), (50, 5), (100, 10)])
    func `A frame of ten packets is followed by its percentage of FEC packets`(percent: Int, fecPackets: Int) throws {
        let (datagrams, sent, statistics) = try packets(10 * 1100, settings(percent))
        #expect(datagrams.count == 10 + fecPackets && sent.packetCount == 10 + fecPackets)
        #expect(statistics.fecPacketsSent == fecPackets && statistics.packetsSent == 10 + fecPackets)
        for (index, bytes) in datagrams.enumerated() {
            let packet = try RTPPacket(parsing: bytes.span)
            #expect(packet.header.sequenceNumber == SequenceNumber(65500).advanced(by: index))
            #expect(packet.header.payloadType == red && packet.header.timestamp == sent.timestamp)
            #expect(packet.header.marker == (index == 9))
            #expect(packet.payload[0] == (index < 10 ? 96 : fec.rawValue))
        }
    }

    @Test func `The percentage changes between frames, and packets keep within their size`() throws {
        var sender = try RTPStreamSender(settings(0))
        let sink = CollectingSink()
        var counts: [Int] = []
        for (number, percent) in [0, 20, 100, 0].enumerated() {
            sender.setFECPercentage(.percent(percent))
            #expect(sender.fecPercentage == .percent(percent))
            let before = sender.statistics.fecPacketsSent
            sender.send(.sample(Int64(number)), payload: payload(10 * 1100).span, at: .zero, to: sink)
            counts.append(sender.statistics.fecPacketsSent - before)
        }
        #expect(counts == [0, 2, 10, 0])
        #expect(sink.packets.allSatisfy { $0.count <= 1200 })
        var plain = try RTPStreamSender(sampleSettings())
        plain.setFECPercentage(.all)
        #expect(plain.fecPercentage == .zero)
    }

    @Test func `As many losses in a row as there are FEC packets are repaired`() throws {
        for percent in [10, 20, 34, 100] {
            let (datagrams, _, statistics) = try packets(40 * 1000, settings(percent))
            let mediaCount = datagrams.count - statistics.fecPacketsSent
            let losses = statistics.fecPacketsSent
            for start in 0...mediaCount - losses {
                var receiver = RepairingReceiver(red: red, fec: fec)
                for (index, bytes) in datagrams.enumerated() where !(start..<start + losses).contains(index) {
                    try receiver.insert(bytes)
                }
                try receiver.repair(ssrc: sampleSSRC)
                #expect(receiver.media.count == mediaCount, "\(percent) %, from \(start)")
                #expect(try frame(of: receiver) == payload(40 * 1000), "\(percent) %, from \(start)")
            }
        }
    }

    /// The frame that a receiver's media packets hold.
    private func frame(of receiver: RepairingReceiver) throws -> [UInt8] {
        var depacketizer = FrameDepacketizer(.vp8)
        var frame: [UInt8] = []
        for offset in 0..<400 {
            guard let bytes = receiver.media[65500 &+ UInt16(offset)] else { continue }
            _ = depacketizer.insert(try RTPPacket(parsing: bytes.span), into: &frame)
        }
        return frame
    }

    @Test(arguments: VideoCodec.allCases, [64, 65, 200, 1200, 9000])
    func `No packet exceeds the limit at any frame size, nor does a retransmission`(codec: VideoCodec, limit: Int)
        throws
    {
        var settings = settings(20, limit: limit)
        // The longest headers: with layers, with VP9's structure in the first packet, with an extension in the last.
        try settings.headerExtensions.set(.videoOrientation, id: 4)
        settings.temporalLayerCount = 3
        settings.referenceSignaling = .nonFlexible
        settings.retransmission = RetransmissionSettings(ssrc: SSRC(1), payloadType: PayloadType(102))
        for byteCount in [1, 2, limit - 35, limit - 34, limit, 5 * limit, 47 * (limit - 35), 48 * (limit - 35), 30_000]
        {
            var sender = try RTPStreamSender(settings)
            let (sink, again) = (CollectingSink(), CollectingSink())
            let payload = payload(byteCount)
            var frame = EncodedFrame.sample(0)
            frame.codec = codec
            sender.send(frame, payload: payload.span, at: .zero, to: sink)
            #expect(sink.packets.allSatisfy { $0.count <= limit } as Bool, "\(byteCount) by \(limit)")
            let kept = (0..<sink.packets.count).suffix(100).map { SequenceNumber(65500).advanced(by: $0) }
            let count = sender.retransmit(kept, at: .zero, to: again)
            #expect(count > 0 && again.packets.allSatisfy { $0.count <= limit } as Bool, "\(byteCount) by \(limit)")

            // Any one media packet comes back.
            var lost = SeededGenerator(seed: UInt64(byteCount))
            let missing = Int.random(in: 0..<sink.packets.count, using: &lost)
            var receiver = RepairingReceiver(red: red, fec: fec)
            for (index, bytes) in sink.packets.enumerated() where index != missing { try receiver.insert(bytes) }
            try receiver.repair(ssrc: sampleSSRC)
            let media = sink.packets.count - sender.statistics.fecPacketsSent
            #expect(receiver.media.count == media, "\(byteCount) by \(limit), without \(missing)")
        }
    }

    @Test func `A packet in RED is retransmitted in RED, an FEC packet never`() throws {
        var settings = settings(20)
        settings.retransmission = RetransmissionSettings(ssrc: SSRC(1), payloadType: PayloadType(102))
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        sender.send(.sample(0), payload: payload(5000).span, at: .zero, to: sink)
        let media = sender.retransmit(SequenceNumber(65500), at: .zero, to: again)
        let fecPacket = sender.retransmit(
            SequenceNumber(65500).advanced(by: sink.packets.count - 1), at: .zero, to: again)
        #expect(media == .retransmitted && fecPacket == .fec)
        let bytes = again.packets[0]
        let packet = try RetransmittedPacket(parsing: bytes.span)
        let restored = [UInt8](capacity: packet.originalByteCount) { output in
            packet.writeOriginal(payloadType: red, ssrc: sampleSSRC, into: &output)
        }
        #expect(again.packets.count == 1 && restored == sink.packets[0])
    }

    @Test func `A history too short for a group is refused`() {
        var settings = settings(20)
        settings.historyCapacity = 95
        #expect(throws: SendError.settingOutOfRange(.historyCapacity, value: 95, allowed: 96...32767)) {
            _ = try RTPStreamSender(settings)
        }
    }
}
