import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct BandwidthEstimateTests {
    private func estimate() -> BandwidthEstimate {
        BandwidthEstimate(start: .kilobits(300), range: .kilobits(50) ... .kilobits(2500))
    }

    /// Sends five packets every 33 ms over an empty path of 2 Mbit/s and 50 ms, and reports them at once. Cross
    /// traffic delays each packet by `others`.
    private func call(
        _ estimate: inout BandwidthEstimate, frames: Range<Int>, byteCount: Int = 1000,
        others: MediaDuration = .zero
    ) {
        for frame in frames {
            var (now, arrival) = (FrameRate(30).time(ofFrame: frame), MediaTime.zero)
            arrival = now + .milliseconds(50)
            for index in 0..<5 {
                let packet = PacketRecord(
                    number: Int64(frame * 5 + index), sendTime: now, byteCount: Int32(byteCount), kind: .media,
                    train: Int32(frame))
                estimate.recordSent(byteCount: byteCount, at: now)
                arrival = max(arrival, now + .milliseconds(50)) + .seconds(Double(byteCount * 8) / 2e6)
                now = now + estimate.pacingRate(at: now).duration(ofBytes: byteCount)
                estimate.record(packet, .received(arrival: arrival + others), at: arrival + .milliseconds(50))
            }
            estimate.update(at: arrival + .milliseconds(50))
        }
    }

    @Test func `The rate follows the capacity that trains measure, and the decision reports it`() {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        #expect((1_900_000...2_000_000).contains(estimate.rate.bitsPerSecond), "\(estimate.rate)")
        guard case .follow(let capacity, _) = estimate.decision else {
            Issue.record("\(estimate.decision)")
            return
        }
        #expect(abs(capacity.bitsPerSecond - 2_000_000) < 20_000)
    }

    @Test func `Queued bytes make the next frame smaller`() {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        let later = MediaTime.zero + .seconds(10)
        func rate(queued byteCount: Int) -> Int { estimate.mediaRate(queued: byteCount, at: later).bitsPerSecond }
        #expect(rate(queued: 0) == estimate.rate.bitsPerSecond)
        // The allowed queue: 10 ms.
        #expect(rate(queued: 2500) == estimate.rate.bitsPerSecond)
        #expect(rate(queued: 12_500) < estimate.rate.bitsPerSecond)
        #expect(abs(rate(queued: 12_500) - rate(queued: 25_000) - 400_000) < 2)
    }

    @Test func `Cross traffic lowers the next frames at once, and the rate slowly`() {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        let alone = estimate.rate.bitsPerSecond
        call(&estimate, frames: 120..<180, others: .milliseconds(30))
        guard case .share(let queue, let target) = estimate.decision else {
            Issue.record("\(estimate.decision)")
            return
        }
        #expect(abs(queue.seconds - 0.028) < 0.003 && target < .milliseconds(30))
        let (rate, media) = (
            estimate.rate.bitsPerSecond, estimate.mediaRate(queued: 0, at: .zero + .seconds(8)).bitsPerSecond
        )
        #expect(rate < alone && rate > alone * 7 / 10)
        let lower = 1 - 4 * (estimate.path.queue.expected - target.seconds)
        #expect(lower < 0.95 && abs(Double(media) / Double(rate) - lower) < 0.01, "\(media) of \(rate)")
    }

    @Test func `A feedback timeout halves the rate down to the minimum`() throws {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        #expect(estimate.dueTime == .distantFuture)
        let start = MediaTime.zero + .seconds(4)
        estimate.recordSent(byteCount: 1000, at: start)
        var rates = [estimate.rate.bitsPerSecond]
        while estimate.rate > .kilobits(50) {
            let due = estimate.dueTime
            #expect(due - start <= .seconds(5))
            estimate.update(at: due)
            rates.append(estimate.rate.bitsPerSecond)
        }
        for (before, after) in zip(rates, rates.dropFirst()) { #expect(after == max(before / 2, 50_000)) }
        guard case .silence(let length) = estimate.decision else {
            Issue.record("\(estimate.decision)")
            return
        }
        #expect(length > .seconds(3) && length < .seconds(5))
        // When feedback returns, the old rate is probed.
        call(&estimate, frames: 300..<302, byteCount: 200)
        let taken = estimate.takeProbe(at: .zero + .seconds(11))
        let probe = try #require(taken)
        #expect(probe.rate.bitsPerSecond == rates[0] && estimate.probeCount == 1)
    }

    @Test(arguments: [(4, true), (8, false)])
    func `When feedback returns after some seconds, a quarter of the rate is there again`(seconds: Int, isDip: Bool) {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        let rate = estimate.rate.bitsPerSecond
        let start = MediaTime.zero + .seconds(4)
        estimate.recordSent(byteCount: 1000, at: start)
        while estimate.dueTime < start + .seconds(seconds) { estimate.update(at: estimate.dueTime) }
        #expect(estimate.rate < .kilobits(130))
        call(&estimate, frames: (120 + 30 * seconds)..<(121 + 30 * seconds))
        #expect((estimate.rate.bitsPerSecond >= rate / 4) == isDip, "\(estimate.rate) of \(rate)")
    }

    @Test func `An idle sender keeps its rate, and sends two frames when it resumes`() {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        let rate = estimate.rate
        #expect(!estimate.isWindowFull(30_000, at: .zero + .seconds(4)))
        estimate.update(at: .zero + .seconds(60))
        #expect(estimate.rate == rate)
        estimate.recordSent(byteCount: 1000, at: .zero + .seconds(60))
        #expect(estimate.isWindowFull(30_000, at: .zero + .seconds(60)))
        #expect(!estimate.isWindowFull(10_000, at: .zero + .seconds(60)))
    }

    @Test func `Another path starts at the start rate at most`() {
        var estimate = estimate()
        call(&estimate, frames: 0..<120)
        estimate.restart(at: .zero + .seconds(4))
        #expect(estimate.rate == .kilobits(300) && estimate.decision == .restart)
    }

    @Test func `Loss of a tenth changes nothing, and of a third cuts`() {
        for (every, isCut) in [(10, false), (3, true)] {
            var estimate = estimate()
            call(&estimate, frames: 0..<120)
            for index in 0..<300 {
                let sent = MediaTime.zero + .seconds(4) + .milliseconds(5 * index)
                let packet = PacketRecord(
                    number: Int64(10_000 + index), sendTime: sent, byteCount: 1000, kind: .media,
                    train: Int32(1000 + index))
                let outcome: PacketOutcome = index % every == 0 ? .lost : .received(arrival: sent + .milliseconds(54))
                estimate.record(packet, outcome, at: sent + .milliseconds(100))
                if index % 10 == 9 { estimate.update(at: sent + .milliseconds(100)) }
            }
            #expect((estimate.cutCount > 0) == isCut, "one of \(every): \(estimate.decision)")
        }
    }

    @Test func `No arrival times trap or leave the range`() {
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var (estimate, now) = (estimate(), MediaTime.zero)
            for index in 0..<2000 {
                now = now + .milliseconds(.random(in: 0...20, using: &generator))
                let arrival: Int64 =
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: .random(in: .min ... .max, using: &generator)
                    case 1: now.nanoseconds - .random(in: 0...3_600_000_000_000, using: &generator)
                    case 2: now.nanoseconds
                    default: now.nanoseconds + .random(in: 0...100_000_000, using: &generator)
                    }
                let packet = PacketRecord(
                    number: Int64(index), sendTime: now, byteCount: .random(in: 0...1500, using: &generator),
                    kind: .media, train: Int32(index / 4))
                estimate.recordSent(byteCount: Int(packet.byteCount), at: now)
                estimate.record(packet, .received(arrival: MediaTime(nanoseconds: arrival)), at: now)
                if index % 7 == 0 { estimate.update(at: now) }
                #expect(estimate.range.contains(estimate.rate))
                #expect(estimate.pacingRate(at: now).bitsPerSecond > 0)
                _ = estimate.mediaRate(queued: 1000, at: now)
                _ = estimate.isWindowFull(1000, at: now)
            }
        }
    }
}
