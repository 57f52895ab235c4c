import RillCongestion
import RillTestSupport
import Testing

/// Feedback of both kinds that was lost, repeated, delayed, reordered, mutated or forged, through the history and the
/// estimate.
///
/// With SRTP only the peer itself can forge feedback. It may lower the rate, or raise it to the rate that it claims
/// to receive. It must not crash the sender, nor raise the rate far beyond the send rate.
@Suite struct ForgedFeedbackTests {
    @Test(arguments: FeedbackKind.allCases, [1, 2, 3] as [UInt64])
    func `Lost, repeated and reordered feedback costs neither outcomes nor rate`(kind: FeedbackKind, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let call = FeedbackCall(kind)
        var waiting: [[UInt8]] = []
        var (lost, repeated, reordered, unread) = (0, 0, 0, 0)
        for _ in 0..<5000 {
            guard let datagram = call.step() else { continue }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: lost += 1
            case 3:
                repeated += 1
                unread += call.take(datagram) && call.take(datagram) ? 0 : 1
            case 4:
                reordered += 1
                waiting.append(datagram)
            default:
                unread += call.take(datagram) ? 0 : 1
                while let late = waiting.popLast() { unread += call.take(late) ? 0 : 1 }
            }
        }
        #expect(unread == 0)
        #expect(
            lost > 200 && repeated > 80 && reordered > 80, "\(lost) lost, \(repeated) repeated, \(reordered) reordered")
        // 30 % of 1000 feedbacks: three in a row are lost 2.7 % of the time.
        let (known, sent) = (call.outcomeCount, call.sentCount)
        #expect(known > sent * 99 / 100 - 50, "\(known) of \(sent)")
        let (isSound, refusals) = (call.isSound(), call.history.refusals)
        #expect(isSound && refusals.neverSent == 0, "\(refusals)")
        // 2.4 Mbit/s are sent and arrive: the rate is not kept down.
        let rate = call.estimate.rate
        #expect(rate > .megabits(1), "\(rate)")
    }

    @Test(arguments: FeedbackKind.allCases)
    func `Mutated feedback leaves everything consistent`(kind: FeedbackKind) throws {
        var random = SeededGenerator(seed: 29)
        let call = FeedbackCall(kind)
        var (read, refused, last) = (0, 0, [UInt8]())
        // With --all five million of each kind.
        let count = isLongRun ? 5_000_000 : 50_000
        var byteCount = 0
        for turn in 0..<count {
            if turn == count / 10 { byteCount = try residentByteCount() }
            // Feedback of a running call, sometimes unchanged.
            if turn % 8 == 0, let datagram = call.step() { last = datagram }
            guard last.count > 20 else { continue }
            var bytes = last
            for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&bytes, &random) }
            if call.take(bytes) { read += 1 } else { refused += 1 }
            if !call.isSound() {
                Issue.record("\(kind), turn \(turn): \(call.estimate.rate), \(call.history.bytesInFlight)")
                return
            }
        }
        #expect(read > count / 4 && refused > count / 100, "\(read) read, \(refused) refused")
        let refusals = call.history.refusals
        #expect(refusals.neverSent > count / 10 && refusals.outdated > 10, "\(refusals)")
        let highest = call.highest
        #expect(highest <= 2_500_000)
        let growth = (try residentByteCount() - byteCount) / 1_000_000
        #expect(isSanitized || growth < 64, "\(growth) MB")
        note(
            "\(kind): \(read) mutated feedback packets read, \(refused) refused; "
                + "\(call.outcomeCount) outcomes of \(call.sentCount); \(refusals); \(growth) MB more"
        )
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = Int.random(in: 8..<bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1...4: bytes[place] = .random(in: 0 ... .max, using: &random)
        case 5: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
        case 6:
            // Whole words less, or a copy of some more; the length field agrees.
            let words = Int.random(in: 1...3, using: &random)
            if Bool.random(using: &random) {
                bytes.removeLast(min(4 * words, bytes.count - 20))
            } else {
                bytes += bytes.suffix(4 * words)
            }
            bytes[2] = UInt8(truncatingIfNeeded: (bytes.count / 4 - 1) >> 8)
            bytes[3] = UInt8(truncatingIfNeeded: bytes.count / 4 - 1)
        default: bytes[1] = .random(in: 203...207, using: &random)
        }
    }

    @Test func `A clock that leaps by days with each feedback never overflows`() {
        let call = FeedbackCall(.transportWide)
        var (time, read) = (Int32(0), 0)
        // Half of the counter's range, 6 days, each time: 100 000 of them are 1700 years.
        for turn in 0..<100_000 {
            _ = call.step()
            let number = SequenceNumber(UInt16(truncatingIfNeeded: call.sentCount - 1))
            time = ((time &+ 0x7F_FFFF) << 8) >> 8
            let packets = [TransportFeedback.PacketStatus.received(delta: .max), .received(delta: .min)]
            let feedback = TransportFeedback(
                sender: SSRC(9), media: SSRC(1), baseSequenceNumber: number.advanced(by: -1), referenceTime: time,
                feedbackCount: UInt8(truncatingIfNeeded: turn), packets: packets.span)
            let datagram = [UInt8](capacity: feedback.byteCount) { output in feedback.write(into: &output) }
            read += call.take(datagram) ? 1 : 0
            if !call.isSound() { Issue.record("turn \(turn): \(call.estimate.rate)") }
        }
        let known = call.outcomeCount
        #expect(read == 100_000 && known > 200_000)
    }

    @Test func `A wall clock that leaps by hours with each feedback never overflows`() {
        let call = FeedbackCall(.byStream)
        var (time, read) = (UInt32(0), 0)
        // Half of the counter's range, 9 hours, each time: 300 000 of them are more years than a time can be.
        for turn in 0..<300_000 {
            _ = call.step()
            let number = SequenceNumber(UInt16(truncatingIfNeeded: 65_000 + call.sentCount - 1))
            time &+= 0x7FFF_FFFF
            let datagram = [UInt8](capacity: 28) { output in
                var writer = CongestionControlFeedbackWriter(sender: SSRC(9), into: &output)
                writer.beginReport(on: SSRC(1), from: number.advanced(by: -1), into: &output)
                writer.append(.received(.init(nanoseconds: 7_900_000_000), .notCapable), into: &output)
                writer.append(.received(.init(nanoseconds: 0), .notCapable), into: &output)
                writer.finish(at: NTPShort(rawValue: time), into: &output)
            }
            read += call.take(datagram) ? 1 : 0
            if !call.isSound() { Issue.record("turn \(turn): \(call.estimate.rate)") }
        }
        let known = call.outcomeCount
        #expect(read == 300_000 && known > 600_000)
    }

    /// A peer that reports trains as arrived at once, or backwards, or hours apart, while little is sent.
    @Test(arguments: FeedbackKind.allCases, [0, 1, 2, 3])
    func `Forged arrival times do not raise the rate much above the send rate`(kind: FeedbackKind, lie: Int) {
        let call = FeedbackCall(kind)
        call.estimate = BandwidthEstimate(start: .kilobits(300), range: .kilobits(50) ... .megabits(50))
        var count = 0
        for turn in 0..<4000 {
            guard var datagram = call.step() else { continue }
            lies(&datagram, kind, lie, turn)
            if call.take(datagram) { count += 1 }
            if !call.isSound() { Issue.record("turn \(turn): \(call.estimate.rate)") }
        }
        #expect(count > 500, "\(count) lies")
        // 2.456 Mbit/s are sent; a probe cluster or the pacing gain may double that.
        let highest = call.highest
        note("\(kind), lie \(lie): \(highest) bit/s at most while 2456000 are sent")
        #expect(highest < 5_000_000, "\(kind), lie \(lie): \(highest) bit/s")
    }

    private func lies(_ bytes: inout [UInt8], _ kind: FeedbackKind, _ lie: Int, _ turn: Int) {
        switch (kind, lie) {
        case (.transportWide, 0):
            // All deltas are zero: everything arrived at once.
            for place in 22..<bytes.count { bytes[place] = 0 }
        case (.transportWide, 1): bytes[16] = UInt8(truncatingIfNeeded: turn * 37)
        case (.transportWide, 2): (bytes[17], bytes[18]) = (UInt8(truncatingIfNeeded: 255 - turn), 0)
        case (.transportWide, _):
            for place in 22..<bytes.count { bytes[place] = UInt8(truncatingIfNeeded: turn &* place) }
        case (.byStream, 0):
            for place in stride(from: 16, to: bytes.count - 4, by: 2) { (bytes[place], bytes[place + 1]) = (0x80, 0) }
        case (.byStream, 1): bytes[bytes.count - 4] = UInt8(truncatingIfNeeded: turn * 37)
        case (.byStream, 2): (bytes[bytes.count - 3], bytes[bytes.count - 2]) = (UInt8(truncatingIfNeeded: turn / 8), 0)
        case (.byStream, _):
            for place in stride(from: 16, to: bytes.count - 4, by: 2) {
                (bytes[place], bytes[place + 1]) = (0x80 | UInt8(place % 31), UInt8(truncatingIfNeeded: turn &* place))
            }
        }
    }
}
