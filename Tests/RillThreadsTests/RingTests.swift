import Testing

@testable import RillThreads

@Suite struct RingTests {
    @Test(arguments: 1...5)
    func `Values leave in insertion order, however often the ring wraps around`(capacity: Int) {
        var ring = Ring<Int>(capacity: capacity)
        var (next, expected) = (0, 0)
        for step in 0..<50 {
            while !ring.isFull {
                ring.append(next)
                next += 1
            }
            #expect(ring.count == capacity && ring.oldest == expected)
            for _ in 0...(step % capacity) {
                #expect(ring.popFirst() == expected)
                expected += 1
            }
        }
        while let value = ring.popFirst() {
            #expect(value == expected)
            expected += 1
        }
        #expect(expected == next && ring.count == 0)
    }

    @Test func `Removed values are released at once`() {
        final class Held {}
        var ring = Ring<Held>(capacity: 2)
        weak var held: Held?
        do {
            let value = Held()
            held = value
            ring.append(value)
        }
        #expect(held != nil)
        _ = ring.popFirst()
        #expect(held == nil)
    }
}
