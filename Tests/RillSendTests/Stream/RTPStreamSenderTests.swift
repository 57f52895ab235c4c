import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

@Suite struct RTPStreamSenderTests {
    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535] as [UInt16])
    func `Frames come back byte-exact, their numbers counting on across every end`(start: UInt16) throws {
        var settings = sampleSettings()
        settings.maximumPacketByteCount = 100
        settings.firstSequenceNumber = SequenceNumber(start)
        settings.firstPictureID = start & 0x7FFF
        settings.timestampOffset = RTPTimestamp(UInt32(start) << 16 | 0xFFFF)
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        var random = SeededGenerator(seed: UInt64(start))
        var frames: [[UInt8]] = []
        for number in 0..<200 {
            let bytes = (0..<Int.random(in: 1...500, using: &random)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            frames.append(bytes)
            sender.send(.sample(Int64(number)), payload: bytes.span, at: .zero, to: sink)
        }

        var depacketizer = FrameDepacketizer(.vp8)
        var frame: [UInt8] = []
        var complete = 0
        for (index, bytes) in sink.packets.enumerated() {
            #expect(bytes.count <= 100, "packet \(index)")
            let packet = try RTPPacket(parsing: bytes.span)
            let descriptor = try VP8Payload(parsing: packet.payload).descriptor
            #expect(packet.header.sequenceNumber == SequenceNumber(start).advanced(by: index), "packet \(index)")
            #expect(
                packet.header.timestamp == settings.timestampOffset.advanced(by: Int64(3000 * complete)),
                "packet \(index)")
            #expect(packet.header.ssrc == sampleSSRC && packet.header.payloadType == PayloadType(96))
            #expect(
                descriptor.pictureID == .long(UInt16((Int(start & 0x7FFF) + complete) % 32768)),
                "packet \(index)")
            switch depacketizer.insert(packet, into: &frame) {
            case .started, .continued: break
            case .completed:
                #expect(packet.header.marker && frame == frames[complete], "frame \(complete)")
                complete += 1
            case let outcome: Issue.record("packet \(index): \(outcome)")
            }
        }
        #expect(complete == frames.count)
    }

    @Test(arguments: [64, 65, 1200, 1500, 9000])
    func `No packet is larger than the setting and a frame's packets are of one size`(limit: Int) throws {
        var settings = sampleSettings()
        settings.maximumPacketByteCount = limit
        settings.temporalLayerCount = 2
        var sender = try RTPStreamSender(settings)
        for (number, byteCount) in [1, limit - 19, limit - 18, limit - 17, 10 * limit, 100_000].enumerated() {
            let sink = CollectingSink()
            let payload = [UInt8](repeating: 1, count: byteCount)
            let sent = sender.send(.sample(Int64(number)), payload: payload.span, at: .zero, to: sink)
            let sizes = sink.packets.map(\.count)
            #expect(sizes.count == sent.packetCount)
            #expect(sizes.max()! <= limit && sizes.max()! - sizes.min()! <= 1, "\(byteCount) bytes")
            // 12 of header and 6 of descriptor leave this many packets, and no more.
            #expect(sizes.count == (byteCount + limit - 19) / (limit - 18), "\(byteCount) bytes")
        }
    }

    @Test func `A frame is sent at once, with the given time`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        let sink = CollectingSink()
        let now = MediaTime.zero + .milliseconds(77)
        let payload = [UInt8](repeating: 1, count: 5000)
        let sent = sender.send(.sample(0), payload: payload.span, at: now, to: sink)
        #expect(sent.timestamp == RTPTimestamp(0))
        #expect(sent.firstSequenceNumber == SequenceNumber(0) && sent.packetCount == 5)
        #expect(sink.times == [MediaTime](repeating: now, count: 5))
    }

    @Test func `The timestamp is the capture time in 90 kHz ticks`() throws {
        var settings = sampleSettings()
        settings.timestampOffset = RTPTimestamp(1000)
        var sender = try RTPStreamSender(settings)
        let payload: [UInt8] = [1]
        for (nanoseconds, ticks) in [(0, 0), (11_111, 1), (33_333_333, 3000), (-1_000_000_000, -90_000)] {
            let frame = EncodedFrame.sample(0, captureTime: MediaTime(nanoseconds: Int64(nanoseconds)))
            let sent = sender.send(frame, payload: payload.span, at: .zero, to: CollectingSink())
            #expect(sent.timestamp == RTPTimestamp(1000).advanced(by: Int64(ticks)), "\(nanoseconds) ns")
        }
    }

    @Test func `Sent packets are kept unchanged until the history wraps around`() throws {
        var settings = sampleSettings()
        settings.historyCapacity = 8
        settings.firstSequenceNumber = SequenceNumber(65530)
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        let payload = [UInt8](repeating: 7, count: 50)
        for number in 0..<20 {
            sender.send(
                .sample(Int64(number)), payload: payload.span, at: .zero + .milliseconds(number), to: sink)
        }
        for (index, bytes) in sink.packets.enumerated() {
            let number = SequenceNumber(65530).advanced(by: index)
            let kept = sender.packet(number)?.bytes.array
            let sentAt = sender.packet(number)?.sentAt
            #expect(kept == (index < 12 ? nil : bytes), "packet \(index)")
            #expect(sentAt == (index < 12 ? nil : .zero + .milliseconds(index)), "packet \(index)")
        }
        let future = sender.packet(SequenceNumber(65530).advanced(by: 20)) != nil
        #expect(!future)
    }

    @Test func `Statistics add up to the sink's packets`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        let sink = CollectingSink()
        for number in 0..<10 {
            let payload = [UInt8](repeating: 1, count: 1 + 700 * number)
            sender.send(.sample(Int64(number)), payload: payload.span, at: .zero, to: sink)
        }
        let statistics = sender.statistics
        #expect(statistics.framesSent == 10 && statistics.keyFramesSent == 1)
        #expect(statistics.packetsSent == sink.packets.count)
        #expect(statistics.headerBytesSent == 12 * sink.packets.count)
        #expect(statistics.bytesSent + statistics.headerBytesSent == sink.packets.map(\.count).reduce(0, +))
        // A descriptor with a long picture ID has 4 bytes.
        #expect(statistics.bytesSent == 10 + 700 * 45 + 4 * sink.packets.count)
    }
}
