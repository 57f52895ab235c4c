import RillCore
import RillTestSupport
import Testing

@testable import RillThreads

/// The hand-offs between threads; run under the thread sanitizer by the test script.
struct BoundedQueueTests {
    @Test func `Nothing is lost, and the order stays`() throws {
        let queue = BoundedQueue<Int>(capacity: 3)
        let sum = Monitor([Int]())
        let consumer = try NamedThread("consumer") {
            while let value = queue.next() { sum.withLock { $0.append(value) } }
        }
        for value in 0..<1000 { #expect(queue.append(value)) }
        queue.close()
        consumer.join()
        #expect(sum.withLock { $0 } == Array(0..<1000))
    }

    @Test func `A closed queue rejects new values and still returns its own`() {
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(queue.append(1))
        queue.close()
        #expect(!queue.append(2))
        #expect(queue.next() == 1)
        #expect(queue.next() == nil)
    }

    @Test func `Closing frees a producer that waits`() throws {
        let queue = BoundedQueue<Int>(capacity: 1)
        #expect(queue.append(1))
        let producer = try NamedThread("producer") { #expect(!queue.append(2)) }
        queue.close()
        producer.join()
    }
}

struct LatestValuesTests {
    @Test func `The newest values win, and each learns what it replaced`() {
        let one = LatestValues<Int>(capacity: 1)
        #expect(one.put(1) { new, _ in new } == nil)
        #expect(one.put(20) { new, dropped in new + dropped } == 1)
        #expect(one.put(300) { new, dropped in new + dropped } == 21)
        #expect(one.take() == 321)
        #expect(one.dropped == 2)
        let two = LatestValues<Int>(capacity: 2)
        #expect(two.put(1) { new, _ in new } == nil)
        #expect(two.put(20) { new, _ in new } == nil)
        // The oldest gives way to the newest, and its successor takes over what it asked for.
        #expect(two.put(300) { new, dropped in new + dropped } == 1)
        #expect([two.take(), two.take()] == [21, 300])
        #expect(two.dropped == 1)
    }

    @Test(arguments: [1, 2, 3])
    func `Taken and dropped values add up, in order`(capacity: Int) throws {
        let values = LatestValues<Int>(capacity: capacity)
        let taken = Monitor([Int]())
        let consumer = try NamedThread("consumer") {
            while let value = values.take() { taken.withLock { $0.append(value) } }
        }
        for value in 1...2000 { values.put(value) { new, _ in new } }
        values.close()
        consumer.join()
        let all = taken.withLock { $0 }
        #expect(all.count + values.dropped == 2000)
        // The last ones stay, however late they are taken.
        #expect(all.suffix(capacity) == Array(1...2000).suffix(capacity))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
    }
}
