import RillCore
import Testing

@testable import RillReceive

@Suite struct PlayoutTimingTests {
    @Test func `Of a fixed delay the smallest transit and the delay make the playout time`() {
        var timing = PlayoutTiming(.fixed(.milliseconds(100)))
        let times = [(0, 50.0), (90_000, 1020), (180_000, 2400)].map { timestamp, now in
            timing.noteFrame(
                timestamp: timestamp, byteCount: 1000, isKey: false, frameInterval: .seconds(1), at: .milliseconds(now))
        }
        #expect(times == [150, 1120, 2120].map { MediaTime.milliseconds($0) })
        let provisional = timing.provisionalPlayout(timestamp: 270_000)
        #expect(provisional == .milliseconds(3120))
    }

    @Test func `Before a frame is complete its first packet is used`() {
        var timing = PlayoutTiming(.fixed(.milliseconds(100)))
        timing.notePacket(timestamp: 90_000, .seconds(1), at: .milliseconds(1030))
        timing.notePacket(timestamp: 180_000, .seconds(2), at: .milliseconds(2010))
        var playout = timing.provisionalPlayout(timestamp: 90_000)
        #expect(playout == .milliseconds(1130))
        playout = timing.provisionalPlayout(timestamp: 180_000)
        #expect(playout == .milliseconds(2130))
        timing.restart()
        timing.notePacket(timestamp: 0, .zero, at: .seconds(1))
        playout = timing.provisionalPlayout(timestamp: 0)
        #expect(playout == .milliseconds(1100))
    }
}
