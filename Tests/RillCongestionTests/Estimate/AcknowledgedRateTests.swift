import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct AcknowledgedRateTests {
    /// A rate, and the packets of 1250 bytes that left every 5 ms and arrived every `gap`.
    private struct Arrivals {
        var rate = AcknowledgedRate()
        var packets = Ring(capacity: 512, filler: ReceivedPacket())

        init(count: Int, gap: MediaDuration) {
            for index in 0..<count {
                let (sent, arrival) = (MediaTime.zero + .milliseconds(5 * index), MediaTime.zero + gap * index)
                packets.append(ReceivedPacket(sendTime: sent, arrival: arrival, byteCount: rate.byteCount))
                rate.add(
                    PacketRecord(number: Int64(index), sendTime: sent, byteCount: 1250, kind: .media, train: 0))
                if index % 10 == 9 { rate.update(newest: arrival) }
            }
        }

        var slowdown: AcknowledgedRate.Slowdown? { rate.slowdown(of: packets) }
    }

    @Test func `The acknowledged rate is the rate of arrivals`() {
        #expect(abs(Arrivals(count: 400, gap: .milliseconds(5)).rate.smoothed - 2e6) < 2e4)
        #expect(abs(Arrivals(count: 400, gap: .milliseconds(20)).rate.smoothed - 5e5) < 1e4)
    }

    @Test func `A slowdown reports the ratio of send and arrival spans, and the delivery rate`() throws {
        let slowdown = try #require(Arrivals(count: 60, gap: .milliseconds(20)).slowdown)
        #expect(abs(slowdown.ratio - 0.25) < 0.01 && abs(slowdown.rate - 5e5) < 1000)
    }

    @Test func `Few packets, or a pause, give no slowdown`() {
        #expect(Arrivals(count: 5, gap: .milliseconds(20)).slowdown == nil)
        var paused = Arrivals(count: 60, gap: .milliseconds(5))
        paused.rate.forgetPackets(before: paused.packets.end)
        #expect(paused.slowdown == nil)
    }
}

@Suite struct LossEstimateTests {
    @Test func `The loss fraction covers the last one to two seconds`() {
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

    @Test func `A dozen packets give no loss fraction`() {
        var loss = LossEstimate()
        for _ in 0..<12 { loss.add(isLost: true) }
        #expect(loss.share == 0)
    }
}

@Suite struct RoundTripTests {
    @Test func `The RTT is the newest packet's, and the maximum of sixteen feedbacks`() {
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
