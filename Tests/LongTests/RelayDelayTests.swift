import RillCore
import RillLink
import RillTestSupport
import RillThreads
import RillTransport
import Testing

@testable import RillLab

/// How well a relay keeps its links' schedule: two programs that speak UDP, 2000 packets a second.
@Suite(.serialized) struct RelayDelayTests {
    private let folder = TemporaryFolder()

    @Test(
        .needsMinutes,
        arguments: ["loss=2%,delay=40ms,seed=7", "loss=2%,delay=40ms,jitter=10ms,order=by-delay,reorder=1%,seed=7"])
    func `2000 packets a second leave within 1 ms of the schedule, 99 of 100`(network: String) throws {
        var measured: Measured?
        // Timings need an idle machine: a timer without a relay says whether it is, and other tests end some time.
        for _ in 0..<6 {
            let run = try measure(network, seconds: 10)
            measured = run
            note("relay, \(network): \(run)")
            if run.isIdle { break }
        }
        let run = try #require(measured)
        #expect(run.isExact, "outcomes and order are those of the link in virtual time")
        guard run.isIdle else { return note("the machine is not idle: no judgement") }
        #expect(run.difference.p99 < 1, "\(run)")
    }

    /// What was measured, in milliseconds.
    private struct Measured: CustomStringConvertible {
        /// What came, of what was sent.
        var counts: (sent: Int, came: Int)
        /// From program to program, less what the link has scheduled.
        var difference: Percentiles
        /// Of the relay's own timer.
        var lateness: Percentiles
        /// Of a bare timer, 1000 times a second, at the same time.
        var bareTimer: Percentiles
        var isExact: Bool

        var isIdle: Bool { bareTimer.p99 < 0.3 }
        var description: String {
            "\(counts.came) of \(counts.sent) came; delay beyond the schedule \(difference); own timer late \(lateness); "
                + "a bare timer late \(bareTimer)"
        }
    }

    private struct Percentiles: CustomStringConvertible {
        var (p50, p99, most): (Double, Double, Double)

        init(_ values: [Double]) {
            let sorted = values.sorted()
            func at(_ share: Double) -> Double { sorted.isEmpty ? .nan : sorted[Int(Double(sorted.count - 1) * share)] }
            (p50, p99, most) = (at(0.5), at(0.99), at(1))
        }

        var description: String {
            let texts = [p50, p99, most].map { "\(($0 * 1000).rounded() / 1000)" }
            return "\(texts[0]) ms, 99 % \(texts[1]) ms, at most \(texts[2]) ms"
        }
    }

    private func measure(_ network: String, seconds: Int) throws -> Measured {
        let clock = LiveClock()
        let count = 2000 * seconds
        let far = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let near = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        var settings = RelaySettings(network: try LinkSettings(notation: network))
        settings.addPair(listen: UDPAddress(.loopback, port: 0), to: far.localAddress)
        let path = folder.path("relay.csv")
        let log = try RelayLog(path: path, name: path)
        let relay = try LiveRelay(settings, clock: clock, log: log)
        let port = relay.settings.pairs[0].listen

        let sendTimes = Monitor([MediaTime](repeating: .zero, count: count))
        let arrivals = Monitor([(number: Int, time: MediaTime)]())
        let bare = Monitor([Double]())
        let receiver = try NamedThread("receiver", timeSlice: .short) {
            var bytes: [UInt8] = []
            while (try? far.receive(into: &bytes, within: .seconds(2))) != nil {
                let now = clock.now
                arrivals.withLock { $0.append((bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }, now)) }
            }
        }
        let start = clock.now + .milliseconds(50)
        let timer = try NamedThread("timer", timeSlice: .short) {
            for tick in 0..<1000 * seconds {
                let due = start + .milliseconds(tick)
                clock.sleep(until: due)
                bare.withLock { $0.append((clock.now - due).milliseconds) }
            }
        }
        let sender = try NamedThread("sender", timeSlice: .short) {
            var bytes = [UInt8](repeating: 0, count: 500)
            for number in 0..<count {
                clock.sleep(until: start + .microseconds(500 * number))
                for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: number >> (24 - 8 * place)) }
                sendTimes.withLock { $0[number] = clock.now }
                try? near.send(bytes.span, to: port)  // one that does not go is missed below
            }
        }
        for thread in [sender, timer, receiver] { thread.join() }
        relay.stop()
        try log.finish()
        return try evaluate(
            path, relay, sendTimes.withLock { $0 }, arrivals.withLock { $0 }, bare.withLock { $0 })
    }

    private func evaluate(
        _ path: String, _ relay: LiveRelay, _ sendTimes: [MediaTime], _ arrivals: [(number: Int, time: MediaTime)],
        _ bare: [Double]
    ) throws -> Measured {
        let records = try #require(RelayLog.records(in: String(decoding: try read(path), as: UTF8.self)))
        let replay = RelayReplay(records, pair: 0, .forward, over: relay.settings.pairs[0].network)
        let left = records.filter { $0.departure != nil }
        var scheduled: [Int: MediaDuration] = [:]
        for record in left {
            if let number = record.number, let due = record.scheduled { scheduled[number] = due - record.arrival }
        }
        let difference = arrivals.compactMap { arrival in
            scheduled[arrival.number].map { (arrival.time - sendTimes[arrival.number] - $0).milliseconds }
        }
        let late = left.compactMap { record in
            record.departure.flatMap { departure in record.scheduled.map { (departure - $0).milliseconds } }
        }
        return Measured(
            counts: (sendTimes.count, arrivals.count), difference: Percentiles(difference), lateness: Percentiles(late),
            bareTimer: Percentiles(bare),
            // The sender's numbers are the link's: nothing is lost before it, and what left came in its order.
            isExact: replay.logged == replay.replayed && arrivals.map(\.number) == left.map { $0.number ?? -1 }
                && replay.logged.count == sendTimes.count)
    }
}
