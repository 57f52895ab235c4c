import RillCore
import RillRTP
import RillTestSupport
import Testing

@testable import Rill
@testable import RillReceive

/// A receiver that sends no media knows how far away its sender is.
struct RoundTripTests {
    @Test(arguments: [10, 50, 150])
    func `The round trip is known early and right`(delay: Int) throws {
        let call = try RepairedCall(frames: 300, network: "delay=\(delay)ms")
        let (time, first) = try #require(call.firstRoundTrip)
        // There and, 20 ms later, back; the sender waits at most 100 ms, and the echo takes the forward path.
        let limit = MediaDuration.milliseconds(20 + 3 * delay + 100 + 40)
        #expect(time - .zero <= limit, "\(time)")
        for value in [first, try #require(call.received.roundTrip.roundTripTime)] {
            #expect(abs((value - .milliseconds(2 * delay)).nanoseconds) < 100_000, "\(value)")
        }
        let statistics = call.received.roundTrip
        #expect((9...12).contains(statistics.roundTripTimeMeasurements))
        let mean = statistics.totalRoundTripTime.seconds / Double(statistics.roundTripTimeMeasurements)
        #expect(abs(mean - Double(2 * delay) / 1000) < 0.0001)
    }

    @Test func `The first echo counts at once, and later ones by a quarter`() {
        var meter = RoundTripMeter()
        func echo(_ milliseconds: Int, at seconds: Int) -> MediaDuration? {
            let sent = meter.referenceTime(at: .zero + .seconds(seconds))
            let delay = ReceiverDelay(ssrc: SSRC(1), lastReceiverReport: sent.short)
            return meter.note(delay, at: .zero + .seconds(seconds) + .milliseconds(milliseconds))
        }
        let estimates = [(200, 1), (200, 2), (40, 3), (40, 4)].map(echo)
        for (estimate, expected) in zip(estimates, [200, 200, 160, 130]) {
            #expect(abs((estimate ?? .zero).milliseconds - Double(expected)) < 0.1, "\(estimates)")
        }
    }

    @Test func `What echoes nothing of late is passed over`() {
        var meter = RoundTripMeter()
        let early = ReceiverDelay(ssrc: SSRC(1), lastReceiverReport: NTPShort(rawValue: 77))
        #expect(meter.note(early, at: .zero + .seconds(1)) == nil)
        let sent = meter.referenceTime(at: .zero + .seconds(100))
        let echo = ReceiverDelay(ssrc: SSRC(1), lastReceiverReport: sent.short)
        // Of the future, of long ago, and of no time at all.
        let results = [
            meter.note(echo, at: .zero + .seconds(99)), meter.note(echo, at: .zero + .seconds(111)),
            meter.note(ReceiverDelay(ssrc: SSRC(1), lastReceiverReport: nil), at: .zero + .seconds(100)),
        ]
        #expect(results == [nil, nil, nil] && meter.statistics == RoundTripStatistics())
        // A delay that is longer than the time since then is rounding at best.
        let late = ReceiverDelay(
            ssrc: SSRC(1), lastReceiverReport: sent.short, delaySinceLastReceiverReport: NTPShort(rawValue: 1 << 20))
        #expect(meter.note(late, at: .zero + .seconds(101)) == .zero)
    }

    /// The time from a request to its answer is the round trip too: it would say nothing that the echoes do not.
    @Test func `An answer takes the round trip that the echoes tell`() throws {
        var random = SeededGenerator(seed: 2)
        let call = try RepairedCall(frames: 300, network: "delay=40ms,jitter=10ms,seed=3") { frame, _, _ in
            frame < 290 && random.next() % 50 == 0
        }
        let turnarounds = call.turnarounds.map(\.milliseconds).sorted()
        try #require(turnarounds.count > 10)
        let median = turnarounds[turnarounds.count / 2]
        let estimate = try #require(call.received.roundTrip.roundTripTime).milliseconds
        note("turnaround median \(median) ms, echoes \(estimate) ms, \(turnarounds.count) of them")
        #expect(abs(median - estimate) < 20)
    }
}
