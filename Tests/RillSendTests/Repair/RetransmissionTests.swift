import RillCore
import RillRTP
import RillSend
import Testing

@Suite struct RetransmissionTests {
    private let rtxSSRC = SSRC(0xABCD)

    private func settings(hasRTX: Bool = true, start: UInt16 = 0) -> RTPStreamSettings {
        var settings = sampleSettings()
        settings.maximumPacketByteCount = 200
        settings.firstSequenceNumber = SequenceNumber(start)
        if hasRTX {
            settings.retransmission = RetransmissionSettings(
                ssrc: rtxSSRC, payloadType: PayloadType(97), firstSequenceNumber: SequenceNumber(start &- 3))
        }
        return settings
    }

    private func original(of bytes: [UInt8]) throws -> [UInt8] {
        let packet = try RetransmittedPacket(parsing: bytes.span)
        return [UInt8](capacity: packet.originalByteCount) { output in
            packet.writeOriginal(payloadType: PayloadType(96), ssrc: sampleSSRC, into: &output)
        }
    }

    @Test(arguments: [0, 1, 32767, 32768, 65534, 65535] as [UInt16])
    func `What is missed is sent again on its own stream, counted on across every end`(start: UInt16) throws {
        var sender = try RTPStreamSender(settings(start: start))
        let (sink, again) = (CollectingSink(), CollectingSink())
        let payload = [UInt8](repeating: 7, count: 1500)
        sender.send(.sample(0), payload: payload.span, at: .zero, to: sink)
        #expect(sink.packets.allSatisfy { $0.count <= 198 })
        let lost = [7, 0, 3, 4].map { SequenceNumber(start).advanced(by: $0) }
        let count = sender.retransmit(lost, at: .zero + .milliseconds(10), to: again)
        #expect(count == 4)
        for (index, bytes) in again.packets.enumerated() {
            let packet = try RTPPacket(parsing: bytes.span)
            #expect(packet.header.ssrc == rtxSSRC && packet.header.payloadType == PayloadType(97))
            #expect(packet.header.sequenceNumber == SequenceNumber(start &- 3).advanced(by: index))
            #expect(bytes.count <= 200)
        }
        #expect(try again.packets.map(original) == [7, 0, 3, 4].map { sink.packets[$0] })
    }

    @Test func `A generic NACK is answered at once, with what is kept of the stream that it names`() throws {
        var sender = try RTPStreamSender(settings())
        let (sink, again) = (CollectingSink(), CollectingSink())
        sender.send(.sample(0), payload: [UInt8](repeating: 7, count: 1500).span, at: .zero, to: sink)
        func request(_ numbers: [Int], of media: SSRC) -> [UInt8] {
            let lost = numbers.map { SequenceNumber(UInt16($0)) }
            return [UInt8](capacity: 100) { output in
                GenericNACK.write(lost: lost.span, of: media, from: SSRC(9), into: &output)
            }
        }
        var heard: [StreamFeedback] = []
        let now = MediaTime.zero + .milliseconds(10)
        sender.receive(request([1], of: SSRC(77)).span, at: now, resendingTo: again) { heard.append($0) }
        #expect(heard.isEmpty && again.packets.isEmpty)
        sender.receive(request([1, 3, 5, 900], of: sampleSSRC).span, at: now, resendingTo: again) { heard.append($0) }
        sender.receive(request([3], of: sampleSSRC).span, at: now, resendingTo: again) { heard.append($0) }
        sender.receive(request([2], of: sampleSSRC).span, at: now) { heard.append($0) }
        #expect(
            heard == [
                .packetsRequested(count: 4, resent: 3), .packetsRequested(count: 1, resent: 0),
                .packetsRequested(count: 1, resent: 0),
            ])
        #expect(try again.packets.map(original) == [1, 3, 5].map { sink.packets[$0] })
        #expect(sender.statistics.nackCount == 3 && sender.statistics.retransmittedPacketsSent == 3)
    }

    @Test func `Without a stream of its own the same packet is sent again`() throws {
        var sender = try RTPStreamSender(settings(hasRTX: false))
        let (sink, again) = (CollectingSink(), CollectingSink())
        let payload = [UInt8](repeating: 7, count: 8 * 184)
        sender.send(.sample(0), payload: payload.span, at: .zero, to: sink)
        #expect(sink.packets.contains { $0.count == 200 })
        let result = sender.retransmit(SequenceNumber(2), at: .zero, to: again)
        #expect(result == .resent)
        #expect(again.packets == [sink.packets[2]])
    }

    @Test func `A packet is sent again once a round trip, which reports tell`() throws {
        var sender = try RTPStreamSender(settings())
        let sink = CollectingSink()
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 300).span, at: .zero, to: sink)
        func ask(_ milliseconds: Int) -> RTPStreamSender.RetransmitResult {
            sender.retransmit(SequenceNumber(0), at: .zero + .milliseconds(milliseconds), to: sink)
        }
        // 100 ms are assumed.
        #expect([5, 5, 50, 104, 105, 204].map(ask) == [.resent, .tooSoon, .tooSoon, .tooSoon, .resent, .tooSoon])
        let block = ReportBlock(
            ssrc: sampleSSRC, extendedHighestSequenceNumber: 0,
            lastSenderReport: sender.settings.wallClockAtZero.short)
        sender.receive(receiverReport(block).span, at: .zero + .milliseconds(250)) { _ in }
        #expect([300, 354, 355, 604, 605].map(ask) == [.tooSoon, .tooSoon, .resent, .tooSoon, .resent])
        // Another packet has its own time.
        let other = sender.retransmit(SequenceNumber(1), at: .zero + .milliseconds(605), to: sink)
        #expect(other == .resent)
    }

    @Test func `What is no longer kept, or was never sent, is not sent again`() throws {
        var settings = settings()
        settings.historyCapacity = 4
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        let before = sender.retransmit(SequenceNumber(0), at: .zero, to: again)
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 1500).span, at: .zero, to: sink)
        let count = UInt16(sink.packets.count)
        let results = [0, count - 5, count, 40_000].map { sender.retransmit(SequenceNumber($0), at: .zero, to: again) }
        #expect(before == .notKept && results == [.notKept, .notKept, .notKept, .notKept])
        #expect(again.packets.isEmpty)
        let kept = sender.retransmit(SequenceNumber(count - 4), at: .zero, to: again)
        #expect(kept == .resent)
    }

    @Test(arguments: [false, true])
    func `It is counted, and the report leaves a stream of its own out`(hasRTX: Bool) throws {
        var sender = try RTPStreamSender(settings(hasRTX: hasRTX))
        let sink = CollectingSink()
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 1000).span, at: .zero, to: sink)
        let (packets, bytes) = (sender.statistics.packetsSent, sender.statistics.bytesSent)
        _ = sender.retransmit(SequenceNumber(1), at: .zero, to: sink)
        let sent = try #require(sink.packets.last)
        let statistics = sender.statistics
        #expect(statistics.packetsSent == packets + 1 && statistics.retransmittedPacketsSent == 1)
        #expect(statistics.bytesSent == bytes + sent.count - 12)
        #expect(statistics.retransmittedBytesSent == sent.count - 12)
        #expect(statistics.headerBytesSent == 12 * statistics.packetsSent)
        let report = written { output in sender.writeReport(at: .zero, into: &output) }
        var compound = RTCPCompound(report.span)
        guard let first = try compound.next() else {
            Issue.record("no report")
            return
        }
        let told = try SenderReport(parsing: first)
        #expect(Int(told.packetCount) == (hasRTX ? packets : packets + 1))
        #expect(Int(told.octetCount) == (hasRTX ? bytes : bytes + sent.count - 12))
    }
}
