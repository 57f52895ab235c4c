import Glibc
import RillCore
import Testing

/// The one lock; run under the thread sanitizer by the test script.
struct MonitorTests {
    @Test func `Changes from many tasks are not lost`() async {
        let monitor = Monitor(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { monitor.withLock { $0 += 1 } } }
            }
        }
        #expect(monitor.withLock { $0 } == 4000)
    }

    @Test func `A deadline that has passed gives the last answer`() {
        let monitor = Monitor(7)
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        let now = Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
        var asked = 0
        let answer: Int? = monitor.wait(untilMonotonic: now + 2_000_000) { value in
            asked += 1
            return value == 8 ? value : nil
        }
        #expect(answer == nil)
        #expect(asked == 2)
    }

    @Test func `Errors pass through and leave the lock free`() {
        struct Refusal: Error {}
        let monitor = Monitor(1)
        #expect(throws: Refusal.self) { try monitor.change { _ throws(Refusal) in throw Refusal() } }
        #expect(monitor.withLock { $0 } == 1)
    }
}
