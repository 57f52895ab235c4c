import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct AcknowledgedRateTests {
    /// Packets of 1250 bytes every 5 ms, which arrive every `gap`.
    private func rate(packets: Int, gap: MediaDuration) -> AcknowledgedRate {
        var rate = AcknowledgedRate()
        for index in 0..<packets {
            let packet = PacketRecord(
                number: Int64(index), sendTime: .zero + .milliseconds(5 * index), byteCount: 1250, kind: .media,
                train: 0)
            rate.add(packet, arrival: .zero + gap * index)
            if index % 10 == 9 { rate.update() }
        }
        return rate
    }

    @Test func `It is the rate of arrivals`() {
        #expect(abs(rate(packets: 400, gap: .milliseconds(5)).smoothed - 2e6) < 2e4)
        #expect(abs(rate(packets: 400, gap: .milliseconds(20)).smoothed - 5e5) < 1e4)
    }

    @Test func `A slowdown has the ratio of the times, and the rate of arrivals`() throws {
        let slowdown = try #require(rate(packets: 60, gap: .milliseconds(20)).slowdown)
        #expect(abs(slowdown.ratio - 0.25) < 0.01 && abs(slowdown.rate - 5e5) < 1000)
    }

    @Test func `Few packets, or a pause, say nothing`() {
        #expect(rate(packets: 5, gap: .milliseconds(20)).slowdown == nil)
        var paused = rate(packets: 60, gap: .milliseconds(5))
        paused.forgetPackets()
        #expect(paused.slowdown == nil)
    }
}

@Suite struct LossEstimateTests {
    @Test func `The share is that of the last seconds`() {
        var loss = LossEstimate()
        var time = MediaTime.zero
        for index in 0..<400 {
            time = time + .milliseconds(10)
            loss.add(isLost: index >= 200 && index % 2 == 0)
            loss.update(at: time)
            if index == 199 { #expect(loss.share == 0) }
        }
        #expect(abs(loss.share - 0.5) < 0.05)
    }

    @Test func `A dozen packets are too few`() {
        var loss = LossEstimate()
        for _ in 0..<12 { loss.add(isLost: true) }
        #expect(loss.share == 0)
    }
}

@Suite struct RoundTripTests {
    @Test func `It is the newest packet's, and the longest of the last feedbacks`() {
        var trip = RoundTrip()
        for feedback in 0..<40 {
            trip.add(0.3)
            trip.add(feedback == 35 ? 0.2 : 0.1)
            trip.update()
        }
        #expect(trip.seconds == 0.2)
        for _ in 0..<16 {
            trip.add(0.1)
            trip.update()
        }
        #expect(trip.seconds == 0.1)
    }
}
