import RillCore
import RillThreads
import Testing

@Suite struct LiveClockTests {
    @Test func `A clock in virtual time stands where a test has set it, for all copies`() {
        let time = LiveClock.VirtualTime()
        let clock = LiveClock(time)
        let copy = clock
        #expect(clock.now == .zero)
        time.now = .zero + .seconds(90)
        #expect(clock.now == .zero + .seconds(90) && copy.now == clock.now)
    }
}
