import RillCore
import Testing

@testable import RillReceive

@Suite struct PlayoutTimingTests {
    @Test func theSmallestTransitAndTheDelayMakeThePlayoutTime() {
        var timing = PlayoutTiming(delay: .milliseconds(100))
        #expect(timing.noteFrame(timestamp: 0, at: .milliseconds(50)) == .milliseconds(150))
        #expect(timing.noteFrame(timestamp: 90_000, at: .milliseconds(1020)) == .milliseconds(1120))
        #expect(timing.noteFrame(timestamp: 180_000, at: .milliseconds(2400)) == .milliseconds(2120))
        #expect(timing.provisionalPlayout(timestamp: 270_000) == .milliseconds(3120))
    }

    @Test func beforeAFrameIsWholeTheFirstPacketStandsIn() {
        var timing = PlayoutTiming(delay: .milliseconds(100))
        timing.notePacket(timestamp: 90_000, at: .milliseconds(30))
        timing.notePacket(timestamp: 180_000, at: .milliseconds(10))
        #expect(timing.provisionalPlayout(timestamp: 90_000) == .milliseconds(130))
        #expect(timing.provisionalPlayout(timestamp: 180_000) == .milliseconds(1130))
        timing.restart()
        timing.notePacket(timestamp: 0, at: .seconds(1))
        #expect(timing.provisionalPlayout(timestamp: 0) == .milliseconds(1100))
    }
}
