import RillCore
import RillPacketSupport
import Testing

@testable import RillReceive

@Suite struct JitterEstimatorTests {
    private static let interval = MediaDuration.seconds(1.0 / 30)

    private func target(_ estimator: inout JitterEstimator, at time: MediaTime) -> Double? {
        estimator.target(frameInterval: Self.interval, at: time).map { Double($0) / 1e6 }
    }

    /// Notes frames of one packet, 30 a second from `first` on, of these transits in milliseconds.
    private func note(_ transits: [Double], from first: Int, _ estimator: inout JitterEstimator) {
        for (index, transit) in transits.enumerated() {
            estimator.notePacket(
                timestamp: Int64(first + index) * 3000, transit: Int64(transit * 1e6), at: .frame(first + index))
        }
    }

    @Test func `It has no effect before five frames`() {
        var estimator = JitterEstimator()
        // Of the frame whose packets are coming nothing is known yet.
        note([10, 10, 10, 10, 10], from: 0, &estimator)
        #expect(target(&estimator, at: .frame(5)) == nil && estimator.arrivalQuantile == nil)
        note([10], from: 5, &estimator)
        // It is worked out ten times a second.
        #expect(target(&estimator, at: .frame(6)) == nil)
        #expect(target(&estimator, at: .frame(8)) == 10)
    }

    @Test func `The latest packet of a frame counts`() {
        var estimator = JitterEstimator()
        for frame in 0..<30 {
            for transit in [10.0, 35, 20] {
                estimator.notePacket(timestamp: Int64(frame) * 3000, transit: Int64(transit * 1e6), at: .frame(frame))
            }
        }
        #expect(target(&estimator, at: .frame(30)) == 35)
    }

    @Test func `Stragglers of earlier frames count by themselves`() {
        var estimator = JitterEstimator()
        note([Double](repeating: 10, count: 30), from: 0, &estimator)
        for frame in 20..<29 {
            estimator.notePacket(timestamp: Int64(frame) * 3000, transit: 90_000_000, at: .frame(30))
        }
        // One entry holds them all, the largest, for they came at one moment.
        #expect(target(&estimator, at: .frame(30)) == 10)
        for frame in 20..<29 {
            let now: MediaTime = .frame(30) + .milliseconds(30 * (frame - 19))
            estimator.notePacket(timestamp: Int64(frame) * 3000, transit: 90_000_000, at: now)
        }
        #expect(target(&estimator, at: .frame(42)) ?? 0 > 60)
    }

    @Test func `The worst delay counts only up to the length of a freeze`() {
        var estimator = JitterEstimator()
        note([Double](repeating: 10, count: 60) + [400], from: 0, &estimator)
        note([11], from: 61, &estimator)
        // 150 ms behind its time a frame freezes the picture; 30 ms to spare.
        #expect(target(&estimator, at: .frame(62)) == 280)
        // At five frames a second two intervals.
        let slow = estimator.target(frameInterval: .milliseconds(200), at: .frame(66))
        #expect(slow == 30_000_000)
    }

    @Test func `After five seconds the worst is forgotten`() {
        var estimator = JitterEstimator()
        note([Double](repeating: 10, count: 10) + [400] + [Double](repeating: 10, count: 140), from: 0, &estimator)
        #expect(target(&estimator, at: .frame(151)) == 280)
        note([Double](repeating: 10, count: 12), from: 151, &estimator)
        #expect(target(&estimator, at: .frame(163)) == 10)
    }

    @Test func `Frames that are faster than before end the queue of before`() {
        var estimator = JitterEstimator()
        note((0..<60).map { 300 + Double($0 % 5) }, from: 0, &estimator)
        #expect(target(&estimator, at: .frame(60)) ?? 0 > 302)
        // Six frames are not enough: it takes 400 ms, thirteen of them.
        note([Double](repeating: 20, count: 7), from: 60, &estimator)
        #expect(target(&estimator, at: .frame(67)) ?? 0 > 280)
        note([Double](repeating: 20, count: 10), from: 67, &estimator)
        #expect(target(&estimator, at: .frame(77)) == 20)
    }

    @Test func `Large key frames that come often have their time`() {
        var estimator = JitterEstimator()
        // A link of 500 kbit/s: 16 µs a byte. Every second a key frame of 10,000 bytes, the others have 1000 to 2000.
        var random = SeededGenerator(seed: 3)
        for frame in 0..<180 {
            let isKey = frame % 30 == 0
            let byteCount = isKey ? 10_000 : 1000 + Int(random.next() % 1000)
            let transit = 10_000_000 + Int64(byteCount) * 16_000
            estimator.notePacket(timestamp: Int64(frame) * 3000, transit: transit, at: .frame(frame))
            estimator.noteSize(byteCount, isKey: isKey, transit: transit, at: .frame(frame))
        }
        let target = target(&estimator, at: .frame(180)) ?? 0
        #expect(target > 165 && target < 175, "\(target)")
    }

    @Test func `A wait for repairs of repairs counts as one`() {
        var estimator = JitterEstimator()
        for frame in 0..<600 {
            note([10], from: frame, &estimator)
            let isRepaired = frame % 150 == 100
            estimator.noteReady(
                transit: isRepaired ? 900_000_000 : 10_000_000, isRepaired: isRepaired, repairTime: .milliseconds(120),
                at: .frame(frame))
            _ = target(&estimator, at: .frame(frame))
        }
        #expect(target(&estimator, at: .frame(610)) == 130)
    }

    /// A clock that runs 500 ppm too fast or too slow moves transits by 30 ms in the minute that repairs count.
    @Test(arguments: [-0.000_5, 0.000_5])
    func `Repairs of a minute ago are carried along with the clocks`(skew: Double) {
        var estimator = JitterEstimator()
        for frame in 0..<2100 {
            estimator.noteSkew(skew, at: .frame(frame))
            // Jitter hides the drift from what takes faster frames for the end of a queue.
            let transit = 10 + Double(frame) / 30 * skew * 1000 + Double(frame % 3 * 2)
            note([transit], from: frame, &estimator)
            let isRepaired = frame < 600 && frame % 150 == 100
            estimator.noteReady(
                transit: Int64(transit * 1e6) + (isRepaired ? 120_000_000 : 0), isRepaired: isRepaired,
                repairTime: .milliseconds(120), at: .frame(frame))
        }
        // The last repair was 50 seconds ago: 120 ms behind the way as it was then, and as it is now.
        let now = 10 + 70 * skew * 1000 + Double(550 % 3 * 2)
        let excess = (target(&estimator, at: .frame(2100)) ?? 0) - now - 120
        #expect(abs(excess) < 0.1, "\(excess) ms")
    }

    @Test func `Restart forgets all`() {
        var estimator = JitterEstimator()
        note([Double](repeating: 500, count: 60), from: 0, &estimator)
        for frame in 0..<30 {
            estimator.noteReady(
                transit: 500_000_000, isRepaired: true, repairTime: .milliseconds(100),
                at: .seconds(Double(frame) * 3))
        }
        estimator.restart()
        #expect(target(&estimator, at: .seconds(90)) == nil)
        note([Double](repeating: 10, count: 10), from: 2700, &estimator)
        #expect(target(&estimator, at: .frame(2710)) == 10)
    }
}
