import RillCore
import RillRTP
import Testing

@Suite struct ReceptionTests {
    @Test(arguments: interestingStarts)
    func `Losses are counted across the end of the numbers`(start: UInt16) {
        var count = ReceptionCount()
        #expect(count.expected == 0 && count.takeFractionLost() == 0)
        // Of each ten, the fourth is lost.
        for step in 0..<200_000 where step % 10 != 3 { count.note(SequenceNumber(start &+ UInt16(step % 65536))) }
        #expect(count.expected == 200_000 && count.received == 180_000 && count.cumulativeLost == 20_000)
        #expect(count.extendedHighestSequenceNumber == UInt32(start) + 199_999)
        #expect(count.takeFractionLost() == 25)
        #expect(count.takeFractionLost() == 0)
    }

    @Test func `Copies and late packets count as received, as the RFC has it`() {
        var count = ReceptionCount()
        for number in [10, 11, 11, 11, 9] as [UInt16] { count.note(SequenceNumber(number)) }
        #expect(count.expected == 3 && count.cumulativeLost == -2)
        #expect(count.takeFractionLost() == 0)
    }

    @Test(arguments: [
        (0, 0, 0), (4, 3, 64), (4, 0, 255), (1000, 999, 0), (256, 255, 1), (3, 5, 0), (-5, 1, 0), (0, -3, 0),
    ])
    func `The fraction lost is that of RFC 3550 A 3`(expected: Int, received: Int, fraction: UInt8) {
        #expect(ReceptionCount.fractionLost(expected: expected, received: received) == fraction)
    }

    @Test func `Jitter is that of RFC 3550 A 8`() {
        // The RFC's lines, with its own names, beside ours.
        var random = SeededGenerator(seed: 54)
        var (transit, jitter): (Int32, UInt32) = (0, 0)
        var ours = InterarrivalJitter()
        var (timestamp, arrival): (UInt32, UInt32) = (0xFFFF_0000, 77)
        for turn in 0..<5000 {
            timestamp &+= 3000
            arrival &+= 3000 &+ UInt32(truncatingIfNeeded: Int.random(in: -900...900, using: &random))
            let now = Int32(bitPattern: arrival &- timestamp)
            if turn > 0 {
                let d = abs(now &- transit)
                jitter = jitter &+ UInt32(d) &- ((jitter &+ 8) >> 4)
            }
            transit = now
            ours.note(RTPTimestamp(timestamp), arrival: RTPTimestamp(arrival))
            #expect(ours.ticks == jitter >> 4, "packet \(turn)")
        }
        #expect((350..<550).contains(ours.ticks), "\(ours.ticks)")
    }

    @Test func `Extreme timestamps do not overflow`() {
        var jitter = InterarrivalJitter()
        for turn in 0..<100_000 {
            jitter.note(RTPTimestamp(0), arrival: RTPTimestamp(turn % 2 == 0 ? 0 : 0x8000_0000))
        }
        #expect(jitter.ticks > 0x7FFF_0000 && jitter.ticks <= 0x8000_0000)
    }
}
