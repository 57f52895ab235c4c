import RillTestSupport
import Testing

@testable import Rill

/// The hand-offs between threads; run under the thread sanitizer by the test script.
struct BoundedQueueTests {
    @Test func nothingIsLostAndTheOrderStays() {
        let queue = BoundedQueue<Int>(capacity: 3)
        let sum = Monitor([Int]())
        let consumer = NamedThread("consumer") {
            while let value = queue.next() { sum.withLock { $0.append(value) } }
        }
        for value in 0..<1000 { #expect(queue.append(value)) }
        queue.close()
        consumer.join()
        #expect(sum.withLock { $0 } == Array(0..<1000))
    }

    @Test func aClosedQueueTakesNothingAndGivesOutWhatItHas() {
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(queue.append(1))
        queue.close()
        #expect(!queue.append(2))
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
    }

    @Test func closingFreesAProducerThatWaits() {
        let queue = BoundedQueue<Int>(capacity: 1)
        #expect(queue.append(1))
        let producer = NamedThread("producer") { #expect(!queue.append(2)) }
        queue.close()
        producer.join()
    }
}

struct LatestValueTests {
    @Test func theNewestWinsAndIsToldWhatItReplaced() {
        let place = LatestValue<Int>()
        place.put(1) { new, _ in new }
        place.put(20) { new, dropped in new + dropped }
        place.put(300) { new, dropped in new + dropped }
        #expect(place.take() == 321)
        #expect(place.dropped == 2)
    }

    @Test func whatIsTakenAndWhatIsDroppedAddUp() {
        let place = LatestValue<Int>()
        let taken = Monitor([Int]())
        let consumer = NamedThread("consumer") {
            while let value = place.take() { taken.withLock { $0.append(value) } }
        }
        for value in 1...2000 { place.put(value) { new, _ in new } }
        place.close()
        consumer.join()
        let values = taken.withLock { $0 }
        #expect(values.count + place.dropped == 2000)
        #expect(values.last == 2000)
        #expect(values == values.sorted())
    }
}
