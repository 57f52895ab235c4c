import RillCore
import Testing

@testable import RillSend

@Suite struct RoundTripWindowTests {
    private func window(_ milliseconds: [Int]) -> RoundTripWindow {
        var window = RoundTripWindow()
        for time in milliseconds { window.add(.milliseconds(time)) }
        return window
    }

    private func times(_ value: Int, _ count: Int) -> [Int] { [Int](repeating: value, count: count) }

    @Test func `The smallest of the last eight is returned`() {
        #expect(window([]).smallest == nil)
        #expect(window([70, 40, 90]).smallest == .milliseconds(40))
        #expect(window([40] + times(90, 7)).smallest == .milliseconds(40))
        #expect(window([40] + times(90, 8)).smallest == .milliseconds(90))
    }

    @Test func `Eight consecutive reports at twice the minimum of a minute mean congestion`() {
        #expect(!window([]).hasStandingQueue)
        #expect(!window(times(900, 64)).hasStandingQueue)
        #expect(!window([100] + times(300, 7)).hasStandingQueue)
        #expect(window([100] + times(300, 8)).hasStandingQueue)
        #expect(window([100] + times(300, 63)).hasStandingQueue)
        // After a minute it is how the way is.
        #expect(!window([100] + times(300, 64)).hasStandingQueue)
        // One report that took no longer than the way: nothing stands.
        #expect(!window([100] + times(300, 20) + [110]).hasStandingQueue)
        // Near by, a few milliseconds more are no queue.
        #expect(!window([2] + times(50, 8)).hasStandingQueue)
        #expect(window([2] + times(53, 8)).hasStandingQueue)
    }
}
