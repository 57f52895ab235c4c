import RillCore
import RillPacketSupport
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
    func `Lost packets are retransmitted on a separate stream, across every wraparound`(start: UInt16) throws {
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

    @Test func `A generic NACK is answered at once from the history of its stream`() throws {
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
        sender.receive(request([1], of: SSRC(77)).span, at: now, retransmittingTo: again) { heard.append($0) }
        #expect(heard.isEmpty && again.packets.isEmpty)
        sender.receive(request([1, 3, 5, 900], of: sampleSSRC).span, at: now, retransmittingTo: again) {
            heard.append($0)
        }
        sender.receive(request([3], of: sampleSSRC).span, at: now, retransmittingTo: again) { heard.append($0) }
        sender.receive(request([2], of: sampleSSRC).span, at: now) { heard.append($0) }
        #expect(
            heard == [
                .packetsRequested(count: 4, retransmitted: 3), .packetsRequested(count: 1, retransmitted: 0),
                .packetsRequested(count: 1, retransmitted: 0),
            ])
        #expect(try again.packets.map(original) == [1, 3, 5].map { sink.packets[$0] })
        #expect(sender.statistics.nackCount == 3 && sender.statistics.retransmittedPacketsSent == 3)
    }

    @Test(arguments: [(89, false), (91, true), (400, true)])
    func `Where a round trip is long, all that is missed is sent twice, one round after the other`(
        roundTrip: Int, isTwice: Bool
    ) throws {
        var sender = try RTPStreamSender(settings())
        let (sink, again) = (CollectingSink(), CollectingSink())
        sender.send(.sample(0), payload: [UInt8](repeating: 7, count: 1500).span, at: .zero, to: sink)
        let block = ReportBlock(
            ssrc: sampleSSRC, extendedHighestSequenceNumber: 0, lastSenderReport: sender.settings.wallClockAtZero.short)
        sender.receive(receiverReport(block).span, at: .zero + .milliseconds(roundTrip)) { _ in }
        let lost = [1, 3, 900].map { SequenceNumber($0) }
        let request = [UInt8](capacity: 100) { output in
            GenericNACK.write(lost: lost.span, of: sampleSSRC, from: SSRC(9), into: &output)
        }
        // A copy of the request brings nothing more.
        for delay in [0, 10] {
            let now = MediaTime.zero + .milliseconds(roundTrip + delay)
            sender.receive(request.span, at: now, retransmittingTo: again) { _ in }
        }
        #expect(try again.packets.map(original) == (isTwice ? [1, 3, 1, 3] : [1, 3]).map { sink.packets[$0] })
        #expect(sender.statistics.retransmittedPacketsSent == again.packets.count)
    }

    @Test func `Without a separate stream the same packet is retransmitted`() throws {
        var sender = try RTPStreamSender(settings(hasRTX: false))
        let (sink, again) = (CollectingSink(), CollectingSink())
        let payload = [UInt8](repeating: 7, count: 8 * 184)
        sender.send(.sample(0), payload: payload.span, at: .zero, to: sink)
        #expect(sink.packets.contains { $0.count == 200 })
        let result = sender.retransmit(SequenceNumber(2), at: .zero, to: again)
        #expect(result == .retransmitted)
        #expect(again.packets == [sink.packets[2]])
    }

    @Test func `A packet is not retransmitted within three quarters of the smallest reported round-trip time`()
        throws
    {
        var sender = try RTPStreamSender(settings())
        let sink = CollectingSink()
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 6000).span, at: .zero, to: sink)
        func ask(_ milliseconds: Int) -> RTPStreamSender.RetransmitResult {
            sender.retransmit(SequenceNumber(0), at: .zero + .milliseconds(milliseconds), to: sink)
        }
        func report(_ milliseconds: Int, after roundTrip: Int) {
            sender.receive(
                roundTripReport(of: sender.settings, roundTrip: roundTrip, at: milliseconds).span,
                at: .zero + .milliseconds(milliseconds)
            ) { _ in }
        }
        // 100 ms are assumed.
        #expect(
            [5, 5, 30, 79, 80, 154].map(ask) == [
                .retransmitted, .tooSoon, .tooSoon, .tooSoon, .retransmitted, .tooSoon,
            ])
        report(170, after: 40)
        #expect([170, 199, 201].map(ask) == [.retransmitted, .tooSoon, .retransmitted])
        // One report that was held up changes nothing; eight of them are the truth.
        report(400, after: 240)
        #expect([400, 431].map(ask) == [.retransmitted, .retransmitted])
        for index in 0..<8 { report(500 + index, after: 240) }
        #expect([640, 818, 822].map(ask) == [.retransmitted, .tooSoon, .retransmitted])
        // Another packet has its own time.
        let other = sender.retransmit(SequenceNumber(1), at: .zero + .milliseconds(823), to: sink)
        #expect(other == .retransmitted && sender.statistics.refusedRetransmissions.tooSoon == 6)
    }

    /// A receiver's report that arrives at that time with the given round-trip time.
    private func roundTripReport(of settings: RTPStreamSettings, roundTrip: Int, at milliseconds: Int) -> [UInt8] {
        let sent = settings.wallClockAtZero.advanced(byNanoseconds: Int64(milliseconds - roundTrip) * 1_000_000)
        return receiverReport(
            ReportBlock(ssrc: sampleSSRC, extendedHighestSequenceNumber: 0, lastSenderReport: sent.short))
    }

    @Test(arguments: [(100, 190, false), (100, 210, true), (200, 380, false), (200, 410, true), (10, 55, false)])
    func `During congestion nothing is retransmitted twice, and half as much in all`(
        least: Int, recent: Int, isStanding: Bool
    ) throws {
        var settings = settings()
        settings.longRoundTripTime = .zero
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        for (index, roundTrip) in ([least] + [Int](repeating: recent, count: 8)).enumerated() {
            let time = 1000 * (index + 1)
            sender.receive(
                roundTripReport(of: settings, roundTrip: roundTrip, at: time).span, at: .zero + .milliseconds(time)
            ) { _ in }
        }
        let now = MediaTime.zero + .seconds(10)
        sender.send(.sample(0), payload: [UInt8](repeating: 7, count: 5000).span, at: now, to: sink)
        let lost = (0..<sink.packets.count).map { SequenceNumber(UInt16($0)) }
        let request = [UInt8](capacity: 100) { output in
            GenericNACK.write(lost: lost.span, of: sampleSSRC, from: SSRC(9), into: &output)
        }
        sender.receive(request.span, at: now, retransmittingTo: again) { _ in }
        let sent = sink.packets.reduce(0) { $0 + $1.count }
        let retransmitted = again.packets.reduce(0) { $0 + $1.count - RetransmittedPacket.headerByteCount }
        #expect(
            isStanding ? retransmitted <= sent / 2 && retransmitted > sent * 4 / 10 : retransmitted == sent,
            "\(retransmitted) of \(sent)")
        let numbers = Set(try again.packets.map(original))
        #expect(numbers.count == again.packets.count, "all of them once before any of them twice")
    }

    @Test func `Repeated retransmissions leave half of the budget to first ones`() throws {
        var settings = settings()
        settings.longRoundTripTime = .zero
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        sender.send(.sample(0), payload: [UInt8](repeating: 7, count: 5000).span, at: .zero, to: sink)
        for number in 0..<sink.packets.count {
            let lost = [SequenceNumber(UInt16(number))]
            let request = [UInt8](capacity: 100) { output in
                GenericNACK.write(lost: lost.span, of: sampleSSRC, from: SSRC(9), into: &output)
            }
            sender.receive(request.span, at: .zero + .milliseconds(10), retransmittingTo: again) { _ in }
        }
        // Some twice, until half is used; then each once.
        let originals = try again.packets.map(original)
        let copies = originals.count - Set(originals).count
        #expect((5...8).contains(copies), "\(copies) of \(originals.count)")
        #expect(sender.statistics.refusedRetransmissions.overBudget <= copies + 1)
        #expect(Set(originals).count >= sink.packets.count - copies - 1)
    }

    /// The receiver repeats a request when a round trip has passed as it measures it.
    @Test(arguments: [20, 100, 300])
    func `A NACK repeated after the receiver's own round-trip time is answered`(roundTrip: Int) throws {
        for (jitter, share) in [(0, 1.0), (roundTrip / 5, 1.0), (0, 0.8)] {
            var sender = try RTPStreamSender(settings())
            let sink = CollectingSink()
            sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 300).span, at: .zero, to: sink)
            let block = ReportBlock(
                ssrc: sampleSSRC, extendedHighestSequenceNumber: 0,
                lastSenderReport: sender.settings.wallClockAtZero.short)
            sender.receive(receiverReport(block).span, at: .zero + .milliseconds(roundTrip)) { _ in }
            var random = SeededGenerator(seed: UInt64(roundTrip))
            for index in 0..<20 {
                // Sent evenly, each held up on its way by up to the jitter.
                let time =
                    Double(1000 + index * roundTrip) * share + Double(jitter) * random.unitInterval()
                let result = sender.retransmit(SequenceNumber(0), at: .zero + .seconds(time / 1000), to: sink)
                let isWithinBudget = result != .overBudget
                #expect(result != .tooSoon && (isWithinBudget || index > 3), "\(index) of \(jitter) ms, \(share)")
            }
        }
    }

    @Test func `A storm of NACKs uses no more than the allowed share of the sent bytes`() throws {
        for (percent, seconds) in [(100, 10), (50, 10), (5, 10), (0, 4)] {
            var settings = settings()
            settings.maximumPacketByteCount = 1200
            settings.historyCapacity = 2000
            settings.retransmissionShare = .percent(percent)
            var sender = try RTPStreamSender(settings)
            let (sink, again) = (CollectingSink(), CollectingSink())
            for frame in 0..<30 * seconds {
                let now = MediaTime.zero + .milliseconds(frame * 1000 / 30)
                sender.send(.sample(Int64(frame)), payload: [UInt8](repeating: 1, count: 6000).span, at: now, to: sink)
                // All of the last hundred packets, each frame.
                let newest = SequenceNumber(UInt16(sink.packets.count))
                _ = sender.retransmit((1...100).map { newest.advanced(by: -$0) }, at: now, to: again)
            }
            let sent = sink.packets.reduce(0) { $0 + $1.count }
            let retransmitted = again.packets.reduce(0) { $0 + $1.count - RetransmittedPacket.headerByteCount }
            // A few packets in two seconds are always allowed.
            let limit = max(sent * percent / 100, seconds / 2 * 8 * 1200)
            #expect(retransmitted <= limit, "\(percent) %")
            #expect(retransmitted >= limit * 8 / 10, "\(percent) %")
            #expect(sender.statistics.refusedRetransmissions.overBudget > 0, "\(percent) %")
        }
    }

    @Test func `A slow stream's only packet is retransmitted, also after a long pause`() throws {
        var settings = settings()
        settings.retransmissionShare = .percent(10)
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 100).span, at: .zero, to: sink)
        let results = [100, 200, 10_000, 1_000_000].map { time in
            sender.retransmit(SequenceNumber(0), at: .zero + .milliseconds(time), to: sink)
        }
        #expect(results == [.retransmitted, .retransmitted, .retransmitted, .retransmitted])
    }

    @Test(arguments: [0, 32768, 65533] as [UInt16])
    func `Expired packets and packets never sent are not retransmitted, and counted separately`(start: UInt16) throws {
        var settings = settings(start: start)
        settings.historyCapacity = 4
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        func ask(_ offsets: Int...) -> [RTPStreamSender.RetransmitResult] {
            offsets.map { sender.retransmit(SequenceNumber(start).advanced(by: $0), at: .zero, to: again) }
        }
        #expect(ask(0) == [.neverSent])
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 1500).span, at: .zero, to: sink)
        let count = sink.packets.count
        #expect(ask(0, count - 5) == [.notKept, .notKept])
        #expect(ask(-1, -20_000, count, count + 20_000) == [.neverSent, .neverSent, .neverSent, .neverSent])
        #expect(again.packets.isEmpty)
        #expect(ask(count - 4) == [.retransmitted])
        #expect(sender.statistics.refusedRetransmissions.notKept == 2)
        #expect(sender.statistics.refusedRetransmissions.neverSent == 5)
        #expect(sender.statistics.refusedRetransmissions.total == 7)
    }

    @Test(arguments: [false, true])
    func `Retransmissions are counted, and a separate stream is not in the report`(hasRTX: Bool) throws {
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
