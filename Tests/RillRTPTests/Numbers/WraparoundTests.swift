import RillRTP
import Testing

@Suite struct WraparoundTests {
    @Test(arguments: interestingStarts)
    func `A sequence number counts on across its end`(start: UInt16) {
        var number = SequenceNumber(start)
        for step in 1...70_000 {
            let next = number.next
            #expect(next.rawValue == UInt16(truncatingIfNeeded: Int(start) + step), "start \(start) step \(step)")
            #expect(next.isNewer(than: number) && !number.isNewer(than: next), "start \(start) step \(step)")
            number = next
        }
    }

    @Test(arguments: interestingStarts)
    func `Sequence numbers are compared the short way round`(start: UInt16) {
        let number = SequenceNumber(start)
        for distance in [-32768, -32767, -1000, -1, 0, 1, 2, 999, 32766, 32767] {
            let other = number.advanced(by: distance)
            #expect(other.distance(since: number) == distance, "start \(start)")
            #expect(other.isNewer(than: number) == (distance > 0), "start \(start) distance \(distance)")
        }
        #expect(number.advanced(by: 65536) == number)
        #expect(number.advanced(by: -65536 * 3 - 1) == number.advanced(by: 65535))
    }

    @Test(arguments: [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] as [UInt32])
    func `Timestamps are compared over the shorter distance`(start: UInt32) {
        let stamp = RTPTimestamp(start)
        for ticks in [-2_147_483_648, -90_000, -1, 0, 1, 3000, 2_147_483_647] {
            let other = stamp.advanced(by: Int64(ticks))
            #expect(other.distance(since: stamp) == ticks, "start \(start)")
            #expect(other.isNewer(than: stamp) == (ticks > 0), "start \(start) ticks \(ticks)")
        }
        #expect(stamp.advanced(by: 1 << 32) == stamp)
        #expect(stamp.advanced(by: .min) == stamp)
    }

    @Test(arguments: interestingStarts)
    func `A picture ID counts on across its end, in either width`(start: UInt16) {
        var long = PictureID.long(start & 0x7FFF)
        var short = PictureID.short(UInt8(start & 0x7F))
        for step in 1...33_000 {
            long = long.advanced(by: 1)
            short = short.advanced(by: 1)
            #expect(long == .long(UInt16((Int(start) + step) % 32768)), "start \(start) step \(step)")
            #expect(short == .short(UInt8((Int(start) + step) % 128)), "start \(start) step \(step)")
        }
        #expect(long.advanced(by: -33_000) == .long(start & 0x7FFF))
        #expect(short.advanced(by: .min) == short)
    }

    @Test(arguments: [7, 8, 15, 16, 32], interestingStarts)
    func `An extended counter never wraps`(bitWidth: Int, start: UInt16) {
        var extender = CounterExtender(bitWidth: bitWidth)
        let mask = (Int64(1) << bitWidth) - 1
        let first = Int64(start) & mask
        // Steps large enough to wrap 32 bits several times, and below half of every range.
        let step = max(1, mask / 3)
        for turn in 0..<20 {
            let value = first + Int64(turn) * step
            #expect(extender.extend(UInt32(value & mask)) == value, "\(bitWidth) bits from \(start), turn \(turn)")
            let late = value - mask / 4
            #expect(extender.extend(UInt32(late & mask)) == late, "\(bitWidth) bits from \(start), turn \(turn)")
            #expect(extender.newest == value)
        }
    }

    @Test func `A counter half its range away counts as late`() {
        var extender = CounterExtender(bitWidth: 16)
        _ = extender.extend(0)
        #expect(extender.peek(32767) == 32767)
        #expect(extender.peek(32768) == -32768)
    }

    @Test func `A payload type has seven bits`() {
        #expect(PayloadType(rawValue: 127)?.rawValue == 127)
        #expect(PayloadType(rawValue: 128) == nil)
    }

    @Test func `A source is shown in eight hexadecimal digits`() {
        #expect("\(SSRC(0xCAFE))" == "0x0000cafe")
    }
}
