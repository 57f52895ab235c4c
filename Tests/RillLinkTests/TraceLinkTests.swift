import RillCore
import RillLink
import Testing

/// A link served by a trace, against a queue that is played through opportunity by opportunity, as `mm-link` does it.
@Suite struct TraceLinkTests {
    /// When each of the datagrams is through, all of them queued.
    private func reference(_ trace: DeliveryTrace, _ sent: [(time: MediaTime, size: Int)]) -> [MediaTime] {
        var waiting = sent.map(\.size)[...]
        var through: [MediaTime] = []
        var base = MediaTime.zero
        var place = 0
        while !waiting.isEmpty {
            let time = base + .milliseconds(Int(trace.milliseconds[place]))
            place += 1
            if place == trace.milliseconds.count {
                place = 0
                base += trace.period
            }
            var bytes = DeliveryTrace.bytesPerOpportunity
            // What has come before the opportunity, not with it, may use it.
            while bytes > 0, let first = waiting.first, sent[waiting.startIndex].time < time {
                let part = min(bytes, first)
                bytes -= part
                waiting[waiting.startIndex] -= part
                guard waiting[waiting.startIndex] == 0 else { break }
                through.append(time)
                waiting = waiting.dropFirst()
            }
        }
        return through
    }

    @Test(arguments: 1...100)
    func `It delivers what an opportunity carries`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var numbers = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
            UInt32.random(in: 0...60, using: &generator)
        }
        numbers.sort()
        numbers.append(numbers[numbers.count - 1] + UInt32.random(in: 1...5, using: &generator))
        let trace = try DeliveryTrace(milliseconds: numbers)
        var time = MediaTime.zero
        let sent = (0..<600).map { _ in
            // In bursts, at and between the milliseconds, with silences of several rounds.
            switch Int.random(in: 0...9, using: &generator) {
            case 0: time += .milliseconds(Int.random(in: 0...300, using: &generator))
            case 1...4: time += .microseconds(Int.random(in: 0...5000, using: &generator))
            case 5: time = MediaTime(nanoseconds: (time.nanoseconds / 1_000_000 + 1) * 1_000_000)
            default: break
            }
            return (time: time, size: Int.random(in: 1...4000, using: &generator))
        }
        let link = EmulatedLink(try LinkSettings(trace: trace, queueLimit: .bytes(QueueLimit.maximumByteCount)))
        let expected = reference(trace, sent)
        for (index, datagram) in sent.enumerated() {
            let bytes = [UInt8](repeating: 0, count: datagram.size)
            let outcome = link.send(bytes.span, at: datagram.time)
            #expect(
                outcome == .queued(arrival: expected[index], copyArrival: nil, isCorrupted: false),
                "\(numbers), datagram \(index)")
        }
    }

    @Test func `Several small datagrams share an opportunity`() throws {
        // Every 10 ms 1500 bytes: 15 datagrams of 100.
        let trace = try DeliveryTrace(milliseconds: [10])
        let run = LinkRun(try LinkSettings(trace: trace), count: 40, interval: .zero)
        #expect(run.deliveries.map { Int($0.arrival.seconds * 1000) } == (0..<40).map { 10 * ($0 / 15 + 1) })
        // What an opportunity has left when the queue is empty is gone.
        let late = LinkRun(try LinkSettings(trace: trace), count: 3, interval: .milliseconds(10))
        #expect(late.deliveries.map { $0.arrival - $0.sendTime } == Array(repeating: .milliseconds(10), count: 3))
    }

    @Test(arguments: [(6000, 7), (0, 1), (1499, 2), (1500, 2), (2999, 3)])
    func `A queue in bytes holds so many`(limit: Int, taken: Int) throws {
        let trace = try DeliveryTrace(milliseconds: [10])
        let run = LinkRun(try LinkSettings(trace: trace, queueLimit: .bytes(limit)), count: 20, interval: .zero) { _ in
            1000
        }
        #expect(run.deliveries.count == taken)
    }

    @Test func `A queue in time counts the wait for the first byte`() throws {
        let trace = try DeliveryTrace(milliseconds: [10])
        let settings = try LinkSettings(trace: trace, queueLimit: .time(.milliseconds(30)))
        let run = LinkRun(settings, count: 20, interval: .zero) { _ in 1500 }
        // The first goes whatever its wait; those after it would go at 20 and 30 ms, the next at 40.
        #expect(run.deliveries.count == 3)
        #expect(run.outcomes[3] == .lost(.queueFull(wait: .milliseconds(40))))
    }

    @Test func `It has the trace's throughput in the long run`() throws {
        let trace = try DeliveryTraceTests.sample(seed: 4, milliseconds: 20_000)
        let settings = try LinkSettings(trace: trace, queueLimit: .time(.milliseconds(100)))
        let run = LinkRun(settings, count: 40_000, interval: .milliseconds(1)) { _ in 1500 }
        let rate = Double(run.statistics.deliveredBytes * 8) / 40
        #expect(abs(rate / Double(trace.meanRate.bitsPerSecond) - 1) < 0.01, "\(rate) of \(trace.meanRate)")
    }
}
