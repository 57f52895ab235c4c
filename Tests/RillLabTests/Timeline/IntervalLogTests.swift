import RillCore
import Testing

@testable import RillLab

@Suite struct IntervalLogTests {
    @Test func `Each frame of a short call has its own interval`() {
        var log = IntervalLog()
        for frame in 0..<30 { log.change(at: FrameRate(30).time(ofFrame: frame)) { $0.framesShown += 1 } }
        #expect(log.intervals.count { $0.framesShown > 0 } == 30)
    }

    @Test func `A day takes no more memory than a minute, and nothing is lost`() {
        var log = IntervalLog()
        for minute in 0..<24 * 60 {
            log.change(at: .zero + .seconds(60 * minute)) { interval in
                interval.framesSent += 1
                interval.frameDelay.add(Double(minute))
            }
        }
        #expect(log.length == .seconds(64) && log.intervals.count <= IntervalLog.capacity)
        let sum = TimelineInterval(sumOf: log.intervals)
        #expect(sum.framesSent == 24 * 60)
        #expect(sum.frameDelay.count == 24 * 60 && sum.frameDelay.minimum == 0 && sum.frameDelay.maximum == 1439)
        #expect(sum.frameDelay.mean == 719.5)
    }

    @Test func `What happened stays where it happened when intervals are joined`() {
        var log = IntervalLog()
        let times: [MediaDuration] = [.milliseconds(1), .seconds(3), .milliseconds(15_990)]
        for time in times { log.change(at: .zero + time) { $0.keyFramesSent += 1 } }
        // The last moment that the shortest intervals reach to, and the first beyond it.
        for end in [MediaDuration.milliseconds(15_999), .seconds(16), .seconds(1000)] {
            log.change(at: .zero + end) { $0.packetsSent += 1 }
            for time in times {
                let index = Int(time.nanoseconds / log.length.nanoseconds)
                #expect(log.intervals[index].keyFramesSent > 0, "\(time) of \(end)")
            }
            #expect(TimelineInterval(sumOf: log.intervals).keyFramesSent == 3)
        }
    }

    @Test func `Times before the start count to it`() {
        var log = IntervalLog()
        log.change(at: .zero - .seconds(1)) { $0.packetsLost += 1 }
        #expect(log.intervals.map(\.packetsLost) == [1])
    }
}
