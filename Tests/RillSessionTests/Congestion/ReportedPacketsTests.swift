import RillCore
import RillRTP
import Testing

@testable import RillSession

@Suite struct ReportedPacketsTests {
    private func block(_ highest: UInt32, lost: Int = 0, echo: UInt32? = nil) -> ReportBlock {
        ReportBlock(
            ssrc: SSRC(1), cumulativeLost: lost, extendedHighestSequenceNumber: highest,
            lastSenderReport: echo.map { NTPShort(rawValue: $0) })
    }

    private func take(
        _ packets: inout ReportedPackets, _ block: ReportBlock, first: UInt16, newest: UInt16
    ) -> ReportedPackets.Progress? {
        let now = NTPTimestamp.unixEpoch.advanced(byNanoseconds: 1 << 40)
        return packets.take(block, sent: (SequenceNumber(first), SequenceNumber(newest)), at: now)
    }

    @Test(arguments: [0, 1, 127, 128, 32_767, 32_768, 65_500, 65_535] as [UInt16], [true, false])
    func `Differences are right from every number, with and without wraps`(first: UInt16, hasWraps: Bool) {
        var (packets, expected, lost) = (ReportedPackets(), 0, 0)
        for index in 1...50 {
            let newest = Int(first) + 100 * index
            let number = UInt32(truncatingIfNeeded: hasWraps ? newest : newest & 0xFFFF)
            let progress = take(
                &packets, block(number, lost: 3 * index), first: first, newest: UInt16(truncatingIfNeeded: newest + 7))
            expected += progress?.packetsExpected ?? 0
            lost += progress?.packetsLost ?? 0
        }
        #expect(expected == 5001 && lost == 150)
    }

    @Test func `Copies add nothing, and overtaken reports are ignored`() {
        var packets = ReportedPackets()
        #expect(take(&packets, block(110, lost: 2), first: 100, newest: 120)?.packetsExpected == 11)
        let copy = take(&packets, block(110, lost: 2), first: 100, newest: 130)
        #expect(copy == ReportedPackets.Progress(packetsExpected: 0, packetsLost: 0))
        #expect(take(&packets, block(105, lost: 1), first: 100, newest: 130) == nil)
        let next = take(&packets, block(125, lost: 4), first: 100, newest: 130)
        #expect(next == ReportedPackets.Progress(packetsExpected: 15, packetsLost: 2))
    }

    @Test func `Packets that were never sent are not reported`() {
        var packets = ReportedPackets()
        #expect(take(&packets, block(121), first: 100, newest: 120) == nil)
        #expect(take(&packets, block(0xFFFF_FFFF, lost: 0x7F_FFFF), first: 100, newest: 120) == nil)
        #expect(take(&packets, block(120), first: 100, newest: 120)?.packetsExpected == 21)
    }

    @Test func `More cannot be lost than was expected`() {
        var packets = ReportedPackets()
        let first = take(&packets, block(109, lost: 0x7F_FFFF), first: 100, newest: 120)
        #expect(first?.packetsLost == 10)
        #expect(take(&packets, block(119, lost: -0x80_0000), first: 100, newest: 120)?.packetsLost == -10)
    }

    @Test func `One answer to a sender report gives one round trip`() {
        var packets = ReportedPackets()
        let now = NTPTimestamp.unixEpoch.advanced(byNanoseconds: 1 << 40).short.rawValue
        let first = take(&packets, block(100, echo: now &- 6554), first: 100, newest: 120)
        #expect(first?.roundTripTime.map { abs($0.seconds - 0.1) < 0.001 } == true)
        #expect(take(&packets, block(101, echo: now &- 6554), first: 100, newest: 120)?.roundTripTime == nil)
        #expect(take(&packets, block(102, echo: now &- 655), first: 100, newest: 120)?.roundTripTime != nil)
    }
}
