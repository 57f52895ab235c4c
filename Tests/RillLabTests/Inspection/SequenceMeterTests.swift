import RillCore
import RillRTP
import Testing

@testable import RillLab

@Suite struct SequenceMeterTests {
    @Test(arguments: [UInt16(0), 1, 127, 128, 32767, 32768, 65534, 65535])
    func `New, late, repeated and missing packets are distinguished across every wraparound`(start: UInt16) {
        var meter = SequenceMeter()
        func add(_ offset: UInt16) -> SequenceMeter.Arrival { meter.add(SequenceNumber(start &+ offset)) }
        let first = Int64(start)
        #expect(add(0) == .new(first) && !meter.hasSequence)
        #expect(add(2) == .new(first + 2) && !meter.hasSequence && meter.missing == 1)
        #expect(add(3) == .new(first + 3) && meter.hasSequence)
        #expect(add(1) == .reordered(first + 1) && meter.missing == 0)
        #expect(add(1) == .duplicate && add(3) == .duplicate)
        #expect(add(100) == .new(first + 100) && meter.missing == 96)
        #expect(add(.max) == .reordered(first - 1) && meter.missing == 96)
    }

    @Test func `Long streams are counted with the numbers of the newest round alone`() {
        var meter = SequenceMeter()
        var missing = 0
        for number in 0..<200_000 {
            if number % 7 == 3 {
                missing += 1
                continue
            }
            let arrival = meter.add(SequenceNumber(UInt16(truncatingIfNeeded: number)))
            guard arrival != .new(Int64(number)) else { continue }
            Issue.record("packet \(number): \(arrival)")
            return
        }
        #expect(meter.missing == missing)
    }

    @Test func `A jump over nearly half the number range forgets the skipped ones`() {
        var meter = SequenceMeter()
        for number in [0, 32767, 65534, 98_000] as [Int64] {
            #expect(meter.add(SequenceNumber(UInt16(truncatingIfNeeded: number))) == .new(number))
        }
        #expect(meter.missing == 98_001 - 4)
    }
}

@Suite struct PacketSorterTests {
    /// The first bytes of the packets, in the order in which they come out.
    private func sorted(_ numbers: [Int64], drains: Bool = true) -> [UInt8] {
        var sorter = PacketSorter()
        var order: [UInt8] = []
        for number in numbers {
            sorter.insert([UInt8(number)].span, number: number, at: .zero) { bytes, _ in order.append(bytes[0]) }
        }
        if drains { sorter.drain { bytes, _ in order.append(bytes[0]) } }
        return order
    }

    @Test func `Packets come out in the order of their numbers`() {
        #expect(sorted([1, 2, 3]) == [1, 2, 3])
        #expect(sorted([1, 3, 2, 4], drains: false) == [1, 2, 3, 4])
        #expect(sorted([1, 5, 4, 3, 2], drains: false) == [1, 2, 3, 4, 5])
        #expect(sorted([1, 5, 3]) == [1, 3, 5])
    }

    @Test func `A gap is given up when too many packets wait after it, and late ones are dropped`() {
        let behind = (3...Int64(3 + PacketSorter.capacity)).map { $0 }
        let order = sorted([1] + behind + [2], drains: false)
        #expect(order == [1] + behind.map { UInt8($0) })
        #expect(sorted([1] + behind.dropLast(), drains: false) == [1])
    }
}
