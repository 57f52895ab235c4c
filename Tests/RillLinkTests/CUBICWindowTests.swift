import Glibc
import RillCore
import RillLink
import RillTestSupport
import Testing

/// The window against the formulas of RFC 9438.
@Suite struct CUBICWindowTests {
    /// A window with its acknowledgements: one per segment, evenly over the round trip.
    private struct Clocked {
        var window = CUBICWindow()
        var now = MediaTime.zero
        let roundTrip: MediaDuration

        mutating func acknowledge() {
            now += MediaDuration(nanoseconds: Int64(Double(roundTrip.nanoseconds) / window.segments))
            window.acknowledge(at: now, roundTrip: roundTrip)
        }

        mutating func run(until: (CUBICWindow) -> Bool) { while !until(window) { acknowledge() } }
        mutating func run(for duration: MediaDuration) {
            let end = now + duration
            while now < end { acknowledge() }
        }
    }

    @Test func `Slow start doubles the window each round trip`() {
        var clocked = Clocked(roundTrip: .milliseconds(100))
        for _ in 0..<10 { clocked.acknowledge() }
        #expect(clocked.window.segments == 20)
        for _ in 0..<620 { clocked.acknowledge() }
        #expect(clocked.window.segments == 640 && clocked.window.slowStartThreshold == .infinity)
    }

    /// Section 4.2: from 0.7 W the window is at W again after K, the cube root of 0.3 W / 0.4, and follows the cubic on
    /// both sides of that, a round trip ahead at most.
    @Test(arguments: [(500, 100), (2000, 100), (2000, 40), (10_000, 200)])
    func `It follows the cubic function`(maximum: Int, milliseconds: Int) {
        var clocked = Clocked(roundTrip: .milliseconds(milliseconds))
        clocked.run { $0.segments >= Double(maximum) }
        clocked.window.reduce()
        let top = Double(maximum)
        #expect(clocked.window.segments == 0.7 * top && clocked.window.maximum == top)
        let timeToMaximum = cbrt(0.75 * top)
        clocked.acknowledge()
        let start = clocked.now
        func cubic(_ seconds: Double) -> Double {
            let offset = seconds - timeToMaximum
            return 0.4 * offset * offset * offset + top
        }
        for step in 1...40 {
            clocked.run(for: .milliseconds(Int(timeToMaximum * 1000 / 20)))
            let time = (clocked.now - start).seconds
            let low = cubic(time - clocked.roundTrip.seconds / 2) - 0.01
            let high = cubic(time + clocked.roundTrip.seconds) + 0.01
            #expect((low...high).contains(clocked.window.segments), "\(step): \(time) s, \(low) to \(high)")
        }
    }

    /// Section 4.3: with short round trips Reno's 0.53 segments per round trip are more, and one from the last maximum
    /// on.
    @Test func `It is as fast as Reno with a short round trip`() {
        var clocked = Clocked(roundTrip: .milliseconds(10))
        clocked.run { $0.segments >= 20 }
        clocked.window.reduce()
        let increase = 3 * 0.3 / 1.7
        for round in 1...11 {
            clocked.run(for: .milliseconds(10))
            let reno = 14 + increase * Double(round)
            #expect(abs(clocked.window.segments - reno) < 0.2, "\(round): \(clocked.window.segments), not \(reno)")
        }
        clocked.run { $0.segments >= 20 }
        for round in 1...10 {
            clocked.run(for: .milliseconds(10))
            #expect(abs(clocked.window.segments - Double(20 + round)) < 0.6, "\(round): \(clocked.window.segments)")
        }
    }

    /// Section 4.7.
    @Test func `A window that did not reach the last maximum makes room`() {
        var clocked = Clocked(roundTrip: .milliseconds(100))
        clocked.run { $0.segments >= 1000 }
        clocked.window.reduce()
        clocked.run { $0.segments >= 800 }
        let before = clocked.window.segments
        clocked.window.reduce()
        #expect(clocked.window.maximum == before * 1.7 / 2 && clocked.window.segments == before * 0.7)
        // The next maximum is lower: this time the window exceeds it.
        clocked.run { $0.segments >= 750 }
        clocked.window.reduce()
        #expect(clocked.window.maximum >= 750)
    }

    /// Section 4.8: slow start to 0.7 of the window, then the cubic from there, with K = 0.
    @Test func `It starts again after a timeout`() {
        var clocked = Clocked(roundTrip: .milliseconds(100))
        clocked.run { $0.segments >= 1000 }
        clocked.window.timeOut()
        #expect(clocked.window.segments == 1 && clocked.window.slowStartThreshold == 700)
        for _ in 0..<699 { clocked.acknowledge() }
        #expect(clocked.window.segments == 700)
        clocked.acknowledge()
        let start = clocked.now
        clocked.run(for: .seconds(8))
        let time = (clocked.now - start).seconds
        let expected = 700 + 0.4 * time * time * time
        #expect((expected - 1...expected * 1.02).contains(clocked.window.segments), "\(clocked.window.segments)")
    }

    @Test func `It never falls below two for a loss, nor rises above what the receiver takes`() {
        var clocked = Clocked(roundTrip: .milliseconds(100))
        for _ in 0..<20 { clocked.window.reduce() }
        #expect(clocked.window.segments == 2)
        var large = Clocked(roundTrip: .milliseconds(100))
        for _ in 0..<70_000 { large.acknowledge() }
        #expect(large.window.segments == 65_536)
    }
}
