import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct RingTests {
    private func elements(_ ring: Ring<Int>) -> [Int] { (ring.first..<ring.end).map { ring[$0] } }

    @Test func `A full ring forgets its oldest element`() {
        var ring = Ring(capacity: 4, filler: 0)
        for value in 1...6 { ring.append(value) }
        #expect(elements(ring) == [3, 4, 5, 6] && ring.newest == 6 && ring.first == 2 && ring.end == 6)
    }

    @Test func `Any order of calls gives what an array gives`() {
        var generator = SeededGenerator(seed: 3)
        var (ring, array) = (Ring(capacity: 8, filler: -1), [Int]())
        for step in 0..<10_000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let count = Int.random(in: 0...2, using: &generator)
                ring.forget(before: ring.first + count)
                array.removeFirst(min(count, array.count))
            case 1:
                ring.update { contents in
                    for value in step..<step + 3 { contents.append(value) }
                }
                array = (array + (step..<step + 3)).suffix(8)
            default:
                ring.append(step)
                array = (array + [step]).suffix(8)
            }
            #expect(elements(ring) == array && ring.count == array.count && ring.newest == array.last)
        }
        ring.removeAll()
        #expect(ring.count == 0 && ring.newest == nil)
    }

    @Test func `It finds where a condition ends, up to the newest element`() {
        var ring = Ring(capacity: 16, filler: 0)
        for value in 0..<20 { ring.append(value) }
        for start in 0...19 {
            for limit in 0...25 {
                let expected = min(max(start, limit, ring.first), 19)
                #expect(ring.skip(from: start) { $0 < limit } == expected)
            }
        }
    }
}

@Suite struct NumberedRingTests {
    @Test func `A number takes the place of the one that is a capacity before it`() {
        var ring = NumberedRing<Int64>(capacity: 8, filler: -1)
        for number in -20...20 as ClosedRange<Int64> { ring[number] = number }
        let found = (13...20).map { ring[$0] }
        #expect(found == Array(13...20))
        let (before, capacity) = (ring[12], ring.capacity)
        #expect(before == 20 && capacity == 8)
    }

    @Test func `It grows, and keeps the numbers of a range`() {
        var ring = NumberedRing<Int64>(capacity: 8, filler: -1)
        for number in 0..<12 as Range<Int64> { ring[number] = number }
        ring.grow(to: 32, keeping: 6..<12, filler: -2)
        let found = (4..<14).map { ring[$0] }
        #expect(found == [-2, -2, 6, 7, 8, 9, 10, 11, -2, -2])
    }
}

@Suite struct OwnedListTests {
    /// Counts the living instances.
    private struct Guest: ~Copyable {
        final class Count { var value = 0 }

        let name: Int
        let count: Count

        init(_ name: Int, _ count: Count) {
            (self.name, self.count) = (name, count)
            count.value += 1
        }

        deinit { count.value -= 1 }
    }

    @Test func `It holds each value once, and destroys them at its end`() {
        let count = Guest.Count()
        do {
            var list = OwnedList<Guest>()
            for name in 0..<100 { list.append(Guest(name, count)) }
            var names: [Int] = []
            for index in list.indices { names.append(list[index].name) }
            #expect(names == Array(0..<100) && count.value == 100)
            list[7] = Guest(700, count)
            let name = list[7].name
            #expect(name == 700 && count.value == 100)
        }
        #expect(count.value == 0)
    }
}

@Suite struct WindowedMinimumTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test(arguments: [0.0, -50, 1_000_000]) func `A minimum is forgotten after 20 to 21 seconds`(start: Double) {
        var minimum = WindowedMinimum()
        minimum.add(1, byteCount: 8, at: seconds(start))
        minimum.add(5, at: seconds(start + 1.5))
        #expect(minimum.smallest.value == 1 && minimum.smallest.byteCount == 8)
        minimum.add(7, at: seconds(start + 19.9))
        #expect(minimum.smallest.value == 1)
        minimum.add(7, at: seconds(start + 21))
        #expect(minimum.smallest.value == 5)
        minimum.add(9, at: seconds(start + 100))
        #expect(minimum.smallest.value == 9)
    }

    @Test func `Values from before a time can be forgotten`() {
        var minimum = WindowedMinimum()
        for second in 0..<10 { minimum.add(Int64(second), at: seconds(Double(second) + 0.5)) }
        minimum.forget(before: seconds(7))
        #expect(minimum.smallest.value == 7)
    }

    @Test func `It equals the minimum of a list`() {
        var generator = SeededGenerator(seed: 9)
        var (minimum, list, time) = (WindowedMinimum(), [(Int, Int64)](), 0.0)
        for _ in 0..<5000 {
            time += .random(in: 0...0.3, using: &generator)
            let value = Int64.random(in: 0...1_000_000, using: &generator)
            minimum.add(value, at: seconds(time))
            list.append((Int(time), value))
            list.removeAll { $0.0 < Int(time) - 20 }
            #expect(minimum.smallest.value == list.map(\.1).min())
        }
    }
}
