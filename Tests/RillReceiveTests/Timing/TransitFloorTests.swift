import RillCore
import Testing

@testable import RillReceive

@Suite struct TransitFloorTests {
    @Test func `The floor falls at once, and rises after a minute`() {
        var floor = TransitFloor()
        #expect(floor.smallest == nil)
        floor.add(100, at: .zero, skew: 0)
        #expect(floor.smallest == 100)
        floor.add(50, at: .seconds(1), skew: 0)
        #expect(floor.smallest == 50)
        for second in 2..<55 {
            floor.add(80, at: .seconds(Double(second)), skew: 0)
            #expect(floor.smallest == 50, "\(second) s")
        }
        for second in 55..<62 { floor.add(80, at: .seconds(Double(second)), skew: 0) }
        #expect(floor.smallest == 80)
    }

    @Test(arguments: [-0.0002, 0.0002])
    func `A clock that runs away is followed`(skew: Double) {
        var floor = TransitFloor()
        let followed = MediaDuration.milliseconds(1).nanoseconds + 100
        for index in 0..<36_000 {
            let seconds = Double(index) / 5
            let transit = Int64(20e6 + seconds * skew * 1e9)
            floor.add(transit, at: .seconds(seconds), skew: skew)
            // Within one of the minute's buckets nothing is carried forward: 5 s of 200 ppm are 1 ms.
            let lag = transit - (floor.smallest ?? 0)
            guard lag >= 0 && lag <= followed else {
                Issue.record("after \(seconds) s the floor lies \(lag) ns below")
                return
            }
        }
    }

    @Test func `A silence keeps the floor, and the clocks continue`() {
        for skew in [0, -0.0002, 0.0002] {
            var floor = TransitFloor()
            floor.add(50_000_000, at: .zero, skew: skew)
            floor.add(90_000_000, at: .seconds(120), skew: skew)
            let expected = 50_000_000 + Int64(120e9 * skew)
            let smallest = floor.smallest ?? 0
            #expect(abs(smallest - expected) <= 1, "skew \(skew): \(smallest)")
            // From there on it is a minute old.
            for second in 121..<190 {
                floor.add(90_000_000, at: .seconds(Double(second)), skew: 0)
            }
            #expect(floor.smallest == 90_000_000)
        }
    }

    @Test(arguments: [5.0, 59, 61, 3600])
    func `Looking after a silence finds the same as without one`(silence: Double) {
        var floor = TransitFloor()
        floor.add(70, at: .zero, skew: 0)
        floor.add(90, at: .seconds(silence), skew: 0)
        #expect(floor.smallest == 70)
        floor.add(60, at: .seconds(silence), skew: 0)
        #expect(floor.smallest == 60)
    }
}
