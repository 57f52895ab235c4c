import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct RingTests {
    @Test func `A full ring forgets its oldest element`() {
        var ring = Ring(capacity: 4, filler: 0)
        for value in 1...6 { ring.append(value) }
        #expect((0..<ring.count).map { ring[$0] } == [3, 4, 5, 6] && ring.first == 3 && ring.last == 6)
    }

    @Test func `Any order of calls gives what an array gives`() {
        var generator = SeededGenerator(seed: 3)
        var (ring, array) = (Ring(capacity: 8, filler: -1), [Int]())
        for step in 0..<10_000 {
            if Int.random(in: 0..<3, using: &generator) > 0 {
                ring.append(step)
                array.append(step)
                if array.count > 8 { array.removeFirst() }
            } else if !array.isEmpty {
                ring.removeFirst()
                array.removeFirst()
            }
            #expect(ring.count == array.count && ring.first == array.first && ring.last == array.last)
        }
        ring.removeAll()
        #expect(ring.isEmpty && ring.first == nil)
    }
}

@Suite struct WindowedMinimumTests {
    private func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    @Test(arguments: [0.0, -50, 1_000_000]) func `A minimum is forgotten after 20 to 21 seconds`(start: Double) {
        var minimum = WindowedMinimum()
        minimum.add(1, bits: 8, at: seconds(start))
        minimum.add(5, at: seconds(start + 1.5))
        #expect(minimum.smallest.value == 1 && minimum.smallest.bits == 8)
        minimum.add(7, at: seconds(start + 19.9))
        #expect(minimum.smallest.value == 1)
        minimum.add(7, at: seconds(start + 21))
        #expect(minimum.smallest.value == 5)
        minimum.add(9, at: seconds(start + 100))
        #expect(minimum.smallest.value == 9)
    }

    @Test func `What is older than a time can be forgotten`() {
        var minimum = WindowedMinimum()
        for second in 0..<10 { minimum.add(Double(second), at: seconds(Double(second) + 0.5)) }
        minimum.forget(before: seconds(7))
        #expect(minimum.smallest.value == 7)
    }

    @Test func `It is the minimum of a list`() {
        var generator = SeededGenerator(seed: 9)
        var (minimum, list, time) = (WindowedMinimum(), [(Int, Double)](), 0.0)
        for _ in 0..<5000 {
            time += .random(in: 0...0.3, using: &generator)
            let value = Double.random(in: 0...1, using: &generator)
            minimum.add(value, at: seconds(time))
            list.append((Int(time), value))
            list.removeAll { $0.0 < Int(time) - 20 }
            #expect(minimum.smallest.value == list.map(\.1).min())
        }
    }
}
