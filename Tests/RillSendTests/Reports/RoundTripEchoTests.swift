import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

/// Receivers that send nothing tell their time, and get it back (RFC 3611 §4.4 and §4.5).
@Suite struct RoundTripEchoTests {
    private let start = NTPTimestamp(seconds: 1000, fraction: 0)

    /// What a receiver sends: a report on `media`, and its time.
    private func compound(
        of receiver: SSRC, on media: SSRC = sampleSSRC, at milliseconds: Int
    ) -> [UInt8] {
        let blocks = [ReportBlock(ssrc: media, extendedHighestSequenceNumber: 0)]
        return written { output in
            ReceiverReport(ssrc: receiver, blocks: WireList(blocks.span)).write(into: &output)
            let writer = ExtendedReportWriter(ssrc: receiver, into: &output)
            writer.append(.receiverReferenceTime(time(milliseconds)), into: &output)
            writer.finish(into: &output)
        }
    }

    private func time(_ milliseconds: Int) -> NTPTimestamp {
        start.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// The echoes in the report that is due.
    private func echoes(_ sender: inout RTPStreamSender, at milliseconds: Int) throws -> [ReceiverDelay] {
        let byteCount = sender.reportByteCount
        let now = MediaTime.zero + .milliseconds(milliseconds)
        let report = [UInt8](capacity: byteCount) { output in sender.writeReport(at: now, into: &output) }
        #expect(report.count == byteCount)
        var compound = RTCPCompound(report.span)
        var found: [ReceiverDelay] = []
        while let packet = try compound.next() {
            guard case .extendedReport(var extended) = try RTCPMessage(parsing: packet) else { continue }
            #expect(extended.ssrc == sampleSSRC)
            while let block = try extended.next() {
                guard case .delaySinceLastReceiverReport(let delays) = block else { continue }
                for index in delays.indices { found.append(delays[index]) }
            }
        }
        return found
    }

    private func sender() throws -> RTPStreamSender {
        var sender = try RTPStreamSender(sampleSettings())
        sender.send(.sample(0), payload: [1, 2, 3].span, at: .zero, to: CollectingSink())
        let first = try echoes(&sender, at: 0)
        #expect(first.isEmpty)
        return sender
    }

    private func wake(_ sender: borrowing RTPStreamSender, at milliseconds: Int) -> RTPStreamSender.PollResult {
        sender.poll(at: .zero + .milliseconds(milliseconds))
    }

    @Test(arguments: [(10, 100), (99, 100), (250, 250)])
    func `A new receiver's time is echoed soon, its later ones with the next report`(arrival: Int, due: Int) throws {
        var sender = try sender()
        sender.receive(compound(of: SSRC(1), at: 77).span, at: .zero + .milliseconds(arrival)) { _ in }
        let waiting = wake(sender, at: arrival - 1)
        #expect(waiting == .idle(until: .zero + .milliseconds(due)))
        let answered = try echoes(&sender, at: due)
        let roundTrip = answered.first?.roundTripTime(at: time(77 + 30 + due - arrival))
        #expect(answered.map(\.ssrc) == [SSRC(1)] && answered[0].lastReceiverReport == time(77).short)
        // 30 ms on the way, in steps of 15 µs.
        #expect(abs((roundTrip?.nanoseconds ?? 0) - 30_000_000) < 40_000)

        sender.receive(compound(of: SSRC(1), at: 400).span, at: .zero + .milliseconds(450)) { _ in }
        let later = wake(sender, at: 460)
        #expect(later == .idle(until: .zero + .milliseconds(due + 1000)))
        let second = try echoes(&sender, at: due + 1000)
        #expect(second.map(\.lastReceiverReport) == [time(400).short])
        // Once echoed is enough.
        #expect(try echoes(&sender, at: due + 2000).isEmpty)
    }

    @Test func `Only receivers that report on this stream are answered`() throws {
        var sender = try sender()
        sender.receive(compound(of: SSRC(1), on: SSRC(5), at: 7).span, at: .zero + .milliseconds(10)) { _ in }
        let bare = written { output in
            let writer = ExtendedReportWriter(ssrc: SSRC(2), into: &output)
            writer.append(.receiverReferenceTime(time(7)), into: &output)
            writer.finish(into: &output)
        }
        sender.receive(bare.span, at: .zero + .milliseconds(10)) { _ in }
        let waiting = wake(sender, at: 20)
        #expect(waiting == .idle(until: .zero + .seconds(1)))
        #expect(try echoes(&sender, at: 1000).isEmpty)
    }

    @Test func `However many receivers come, reports stay apart and eight are answered`() throws {
        var sender = try sender()
        for index in 0..<50 {
            let bytes = compound(of: SSRC(UInt32(index)), at: index)
            sender.receive(bytes.span, at: .zero + .milliseconds(50)) { _ in }
        }
        let waiting = wake(sender, at: 60)
        #expect(waiting == .idle(until: .zero + .milliseconds(100)))
        let answered = try echoes(&sender, at: 100)
        #expect(Set(answered.map(\.ssrc.rawValue)) == Set(42..<50 as Range<UInt32>))
        sender.receive(compound(of: SSRC(99), at: 3).span, at: .zero + .milliseconds(110)) { _ in }
        let spaced = wake(sender, at: 120)
        #expect(spaced == .idle(until: .zero + .milliseconds(200)))
    }

    @Test func `Before the first packet there is nothing to answer with`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        sender.receive(compound(of: SSRC(1), at: 7).span, at: .zero) { _ in }
        let poll = sender.poll(at: .zero + .seconds(5))
        #expect(poll == .idle(until: .distantFuture))
    }
}
