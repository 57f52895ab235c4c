import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

@Suite struct ReportTests {
    @Test func `The first report is due with the first frame, the next an interval later`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        #expect(sender.poll(at: .zero + .seconds(100)) == .idle(until: .distantFuture))
        let start = MediaTime.zero + .milliseconds(500)
        send(0, with: &sender, at: start)
        #expect(sender.poll(at: start) == .reportDue)
        _ = report(of: &sender, at: start)
        #expect(sender.poll(at: start) == .idle(until: start + .seconds(1)))
        send(1, with: &sender, at: start + .milliseconds(33))
        #expect(sender.poll(at: start + .milliseconds(999)) == .idle(until: start + .seconds(1)))
        // A driver that comes late gets one report, not two.
        let late = start + .milliseconds(2500)
        send(2, with: &sender, at: late)
        #expect(sender.poll(at: late) == .reportDue)
        _ = report(of: &sender, at: late)
        #expect(sender.poll(at: late) == .idle(until: late + .seconds(1)))
        #expect(sender.statistics.reportsSent == 2)
    }

    @Test func `A sender silent for two intervals sends no report until the next frame`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        send(0, with: &sender, at: .zero)
        for second in 0...2 { _ = report(of: &sender, at: .zero + .seconds(second)) }
        #expect(sender.poll(at: .zero + .seconds(3)) == .reportDue)
        _ = report(of: &sender, at: .zero + .seconds(3))
        #expect(sender.poll(at: .zero + .seconds(1000)) == .idle(until: .distantFuture))
        send(1, with: &sender, at: .zero + .seconds(1000))
        #expect(sender.poll(at: .zero + .seconds(1000)) == .reportDue)
    }

    @Test func `A report is a compound of SR and CNAME, and as long as predicted`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        send(0, with: &sender, at: .zero, byteCount: 3000)
        let bytes = report(of: &sender, at: .zero)
        #expect(bytes.count == sender.reportByteCount && bytes.count == 28 + 16)

        var compound = RTCPCompound(bytes.span)
        var names: [String] = []
        while let packet = try compound.next() {
            switch try RTCPMessage(parsing: packet) {
            case .senderReport(let report):
                names.append("SR of \(report.ssrc)")
                #expect(report.packetCount == 3 && report.octetCount == 3012)
                #expect(report.blocks.count == 0)
            case .sourceDescription(var description):
                while let item = try description.next() {
                    let text = String(decoding: item.text.array, as: UTF8.self)
                    names.append("\(item.type == .canonicalName ? "CNAME" : "?") \(text) of \(item.ssrc)")
                }
            default:
                Issue.record("another packet in the report")
            }
        }
        #expect(names == ["SR of \(sampleSSRC)", "CNAME a@b of \(sampleSSRC)"])
    }

    @Test(arguments: [0, 5_000_000_000, -123_456_789] as [Int64])
    func `Both timestamps of a report denote the same instant`(sourceLag: Int64) throws {
        // A source whose clock is behind the pipeline's by `sourceLag`.
        var settings = sampleSettings()
        settings.timestampOffset = RTPTimestamp(0xFFFF_FF00)
        settings.wallClockAtZero = NTPTimestamp(seconds: 0xFFFF_FFFF, fraction: 0x8000_0000)
        var sender = try RTPStreamSender(settings)
        let captured = MediaTime.zero + .milliseconds(40)
        var frame = EncodedFrame.sample(0, captureTime: captured - MediaDuration(nanoseconds: sourceLag))
        if sourceLag != 0 { frame.timestamps[.captured] = captured }
        let payload: [UInt8] = [1, 2, 3]
        let sent = sender.send(frame, payload: payload.span, at: captured + .milliseconds(25), to: CollectingSink())

        for milliseconds in [40, 100, 1000, 50_000_000] {
            let report = try senderReport(of: &sender, at: .zero + .milliseconds(milliseconds))
            // By wall time the report comes this long after the capture; by the media clock it must, too.
            let wall = settings.wallClockAtZero.advanced(byNanoseconds: captured.nanoseconds)
            let elapsed = report.ntpTimestamp.nanoseconds(since: wall)
            #expect(elapsed == Int64(milliseconds - 40) * 1_000_000, "\(milliseconds) ms")
            let ticks = report.rtpTimestamp.rawValue &- sent.timestamp.rawValue
            let expected = UInt32(truncatingIfNeeded: Int64(milliseconds - 40) * 90)
            #expect(abs(Int32(bitPattern: ticks &- expected)) <= 1, "\(milliseconds) ms: \(ticks) for \(expected)")
        }
    }

    @Test func `A report block gives the round-trip time`() throws {
        var sender = try RTPStreamSender(sampleSettings())
        let start = MediaTime.zero + .seconds(7)
        send(0, with: &sender, at: start)
        let report = try senderReport(of: &sender, at: start)
        let block = ReportBlock(
            ssrc: sampleSSRC, extendedHighestSequenceNumber: 0, lastSenderReport: report.ntpTimestamp.short,
            delaySinceLastSenderReport: NTPShort(nanoseconds: 500_000_000))
        let bytes = receiverReport(block)
        sender.receive(bytes.span, at: start + .milliseconds(580)) { _ in }
        let time = try #require(sender.statistics.roundTripTime)
        // 80 ms, within the resolution of 15 µs.
        #expect(abs(time.nanoseconds - 80_000_000) < 16_000, "\(time)")
    }

    private func send(
        _ number: Int64, with sender: inout RTPStreamSender, at now: MediaTime, byteCount: Int = 100
    ) {
        let payload = [UInt8](repeating: 1, count: byteCount)
        sender.send(.sample(number, captureTime: now), payload: payload.span, at: now, to: CollectingSink())
    }

    private func report(of sender: inout RTPStreamSender, at now: MediaTime) -> [UInt8] {
        let byteCount = sender.reportByteCount
        return [UInt8](capacity: byteCount) { output in sender.writeReport(at: now, into: &output) }
    }

    private func senderReport(of sender: inout RTPStreamSender, at now: MediaTime) throws -> Stamps {
        let bytes = report(of: &sender, at: now)
        var compound = RTCPCompound(bytes.span)
        guard let packet = try compound.next() else { throw RTPError.truncated(needed: 4, available: 0) }
        let report = try SenderReport(parsing: packet)
        return Stamps(ntpTimestamp: report.ntpTimestamp, rtpTimestamp: report.rtpTimestamp)
    }

    private struct Stamps {
        var ntpTimestamp: NTPTimestamp
        var rtpTimestamp: RTPTimestamp
    }
}
