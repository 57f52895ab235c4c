import RillCore
import RillPacketSupport
import RillTestSupport
import Testing

@testable import RillReceive

@Suite struct RecentValuesTests {
    /// The same, written to be believed: the values in the order in which they came.
    private struct Model {
        let span: MediaDuration
        var entries: [(time: MediaTime, value: Int64)] = []

        mutating func add(_ value: Int64, at now: MediaTime) {
            forget(before: now - span)
            if let newest = entries.last, now - newest.time < span / RecentValues.capacity {
                entries[entries.count - 1].value = max(newest.value, value)
                return
            }
            if entries.count == RecentValues.capacity { entries.removeFirst() }
            entries.append((now, value))
        }

        mutating func forget(before time: MediaTime) { entries.removeAll { $0.time < time } }

        var sorted: [Int64] { entries.map(\.value).sorted() }

        /// By how much the values exceed `bound`, all together.
        func excess(over bound: Int64) -> Int64 { entries.reduce(0) { $0 + max(0, $1.value - bound) } }
    }

    /// From far fewer than the ring holds to far more.
    @Test(arguments: [1, 5, 20, 30, 43, 60, 200, 1000])
    func `They are those of the plain model`(perSecond: Int) {
        var values = RecentValues(span: .seconds(6))
        var model = Model(span: .seconds(6))
        var random = SeededGenerator(seed: UInt64(perSecond))
        var now = MediaTime.zero
        for step in 0..<2000 {
            now += random.duration(below: .seconds(2.0 / Double(perSecond)))
            // Values that repeat, and times that do; a silence now and then.
            if random.unitInterval() < 0.1 { now += .zero } else if random.unitInterval() < 0.001 { now += .seconds(4) }
            let value = Int64(random.next() % 1000) * (step % 3 == 0 ? 1 : 1_000_000) - 500
            values.add(value, at: now)
            model.add(value, at: now)
            if random.unitInterval() < 0.01 {
                let time = now - random.duration(below: .seconds(6))
                values.forget(before: time)
                model.forget(before: time)
            }
            let sorted = (0..<values.count).map { values.value(rank: $0) }
            guard sorted == model.sorted else {
                #expect(sorted == model.sorted, "step \(step) at \(perSecond) a second")
                return
            }
            guard let largest = sorted.last else { continue }
            let count = sorted.count
            let mean = Int64(random.next() % 5_000_000)
            let bound = values.bound(exceededBy: mean)
            let least = sorted[count - 1 - count / 8]
            let isBound = bound >= least && bound <= largest && model.excess(over: bound) <= mean * Int64(count)
            let isLeast = bound == least || model.excess(over: bound - 1) > mean * Int64(count)
            guard isBound && isLeast && values.largest == largest else {
                Issue.record("step \(step) at \(perSecond) a second: bound \(bound), mean \(mean) of \(sorted)")
                return
            }
        }
    }

    @Test func `A value counts for the span and no longer`() {
        var values = RecentValues(span: .seconds(6))
        values.add(9, at: .zero)
        values.add(1, at: .seconds(6))
        #expect(values.count == 2 && values.largest == 9)
        values.add(2, at: .seconds(6.1))
        #expect(values.count == 2 && values.largest == 2)
        values.removeAll()
        #expect(values.count == 0)
        values.add(5, at: .seconds(6.1))
        #expect(values.count == 1 && values.largest == 5)
    }

    @Test func `Of a fast stream the largest of each moment counts`() {
        var values = RecentValues(span: .seconds(6))
        for index in 0..<6000 { values.add(Int64(index % 24), at: .milliseconds(Double(index))) }
        // A 256th of six seconds is 23.4 ms, so 24 values share an entry.
        #expect(values.count == 250)
        #expect(values.value(rank: 0) == 23 && values.largest == 23)
    }

    @Test func `A bound may be exceeded by few a lot, or by many a little`() {
        // Sixteen values, so two may lie above.
        func bound(_ all: [Int64], _ mean: Int64) -> Int64 {
            var values = RecentValues(span: .seconds(60))
            for (index, value) in all.enumerated() { values.add(value, at: .seconds(Double(index))) }
            return values.bound(exceededBy: mean)
        }
        let flat = [Int64](repeating: 10, count: 14)
        #expect(bound(flat + [10, 26], 1) == 10)
        #expect(bound(flat + [10, 27], 1) == 11)
        #expect(bound(flat + [20, 30], 1) == 17)
        #expect(bound([Int64](repeating: 0, count: 13) + [5, 6, 7], 100) == 5)
        #expect(bound([1, 2, 3], 1000) == 3)
    }

    @Test func `Values an age apart are beyond any budget`() {
        var values = RecentValues(span: .seconds(5))
        for index in 0..<40 {
            values.add(index < 36 ? 0 : 1 << 61, at: .zero + .milliseconds(100 * index))
        }
        let bound = values.bound(exceededBy: 2_000_000)
        // Four of them share what all forty may exceed it by.
        #expect(bound == (1 << 61) - 20_000_000)
    }
}
