import RillCore
import Testing

@testable import RillSession

/// A stream as its breakers see it: frames of some packets, of which a share gets lost, and reports.
private struct Flow {
    var breaker = CircuitBreaker()
    var isReducible = false
    var roundTrip: MediaDuration? = .milliseconds(50)
    /// The time from one frame to the next.
    var frameInterval = MediaDuration.milliseconds(40)
    /// The packets of a frame; 0 for a stream that is muted.
    var packets = 5
    var packetByteCount = 1200
    /// The share of the packets that get lost, 0 to 1.
    var loss = 0.0
    /// The time from one report to the next; `nil` for none.
    var reportInterval: MediaDuration? = .seconds(1)
    /// Whether the reports are about something else.
    var isIgnored = false
    /// By how much of what it sent it must send: what it was reduced to.
    private(set) var outcomes: [(time: MediaTime, outcome: CircuitBreaker.Outcome)] = []
    private(set) var now = MediaTime.zero
    private var (sent, highest, lost) = (0, 0, 0.0)
    private var (nextFrame, nextReport) = (MediaTime.zero, MediaTime.zero)
    private var lastReport: MediaTime?
    private(set) var senderReport: UInt32 = 0

    mutating func run(for duration: MediaDuration) {
        let end = now + duration
        while now < end {
            if nextFrame <= now {
                if packets > 0, breaker.reason == nil { sendFrame() }
                nextFrame = now + frameInterval
            }
            if let reportInterval, nextReport <= now {
                report()
                nextReport = now + reportInterval
            }
            note(breaker.check(at: now, lastReport: lastReport))
            now = now + .milliseconds(10)
        }
    }

    private mutating func sendFrame() {
        breaker.recordFrame(at: now)
        breaker.noteSent(at: now)
        sent += packets
        lost += Double(packets) * loss
        if loss < 1 { highest = sent }
    }

    private mutating func report() {
        if !isIgnored, sent > 0 {
            // The sender sends reports, stopped or not, and these get lost, too.
            if loss < 1 { senderReport += 1 }
            let report = CircuitBreaker.Report(
                highestNumber: UInt32(highest), packetsLost: loss < 1 ? Int(lost) : 0, lastSenderReport: senderReport,
                roundTripTime: roundTrip, packetsSent: sent, bytesSent: sent * packetByteCount)
            note(breaker.take(report, isReducible: isReducible, at: now))
        }
        lastReport = now
        note(breaker.notePeer())
    }

    private mutating func note(_ outcome: CircuitBreaker.Outcome) {
        if outcome != .nothing { outcomes.append((now, outcome)) }
    }

    var stops: [CircuitBreak] {
        outcomes.compactMap { if case .stop(let reason) = $0.outcome { reason } else { nil } }
    }
}

@Suite struct CircuitBreakerTests {
    // MARK: Nothing opens

    @Test(arguments: [(40, 5), (200, 1), (1000, 1), (4000, 2)])
    func `A stream that arrives is never stopped`(interval: Int, packets: Int) {
        for report in [50, 1000, 5000, 14_000] {
            var flow = Flow()
            (flow.frameInterval, flow.packets) = (.milliseconds(interval), packets)
            flow.reportInterval = .milliseconds(report)
            flow.run(for: .seconds(300))
            #expect(flow.outcomes.isEmpty, "a frame each \(interval) ms, a report each \(report) ms: \(flow.outcomes)")
        }
    }

    @Test func `Reports that are late, or stop for less than 15 s, stop nothing`() {
        var flow = Flow()
        flow.run(for: .seconds(10))
        for _ in 0..<5 {
            flow.reportInterval = nil
            flow.run(for: .milliseconds(13_500))
            flow.reportInterval = .seconds(1)
            flow.run(for: .seconds(2))
        }
        #expect(flow.outcomes.isEmpty)
    }

    @Test func `A stream that is muted needs no reports, and none that progress`() {
        for isReported in [true, false] {
            var flow = Flow()
            flow.run(for: .seconds(5))
            (flow.packets, flow.reportInterval) = (0, isReported ? .seconds(1) : nil)
            flow.run(for: .seconds(600))
            flow.packets = 5
            flow.reportInterval = .seconds(1)
            flow.run(for: .seconds(60))
            #expect(flow.outcomes.isEmpty, "\(flow.outcomes)")
        }
    }

    @Test func `One packet now and then that gets lost stops nothing`() {
        var flow = Flow()
        flow.run(for: .seconds(5))
        (flow.frameInterval, flow.packets, flow.reportInterval) = (.seconds(6), 1, nil)
        flow.run(for: .seconds(120))
        #expect(flow.outcomes.isEmpty)
    }

    @Test func `Many reports between two frames do not count`() {
        var flow = Flow()
        (flow.frameInterval, flow.reportInterval) = (.milliseconds(900), .milliseconds(10))
        flow.run(for: .seconds(60))
        #expect(flow.outcomes.isEmpty)
    }

    @Test(arguments: [0.02, 0.1, 0.3])
    func `Loss alone stops nothing at bitrates that are modest for it`(loss: Double) {
        var flow = Flow()
        (flow.loss, flow.packets) = (loss, 2)
        flow.run(for: .seconds(300))
        #expect(flow.outcomes.isEmpty, "\(flow.outcomes)")
    }

    // MARK: RFC 8083 §4.1

    @Test func `15 s without any report stop a stream, and the next report of anything resumes it`() {
        var flow = Flow()
        flow.run(for: .seconds(10))
        let last = flow.now
        flow.reportInterval = nil
        flow.run(for: .seconds(30))
        #expect(flow.outcomes.count == 1)
        guard case .reportTimeout(let silence) = flow.stops.first else { Issue.record("\(flow.stops)"); return }
        #expect(abs(silence.seconds - 15) < 0.1)
        #expect(abs((flow.outcomes[0].time - last).seconds - 15) < 1.1)
        (flow.reportInterval, flow.isIgnored) = (.seconds(1), true)
        flow.run(for: .milliseconds(1100))
        #expect(flow.outcomes.map(\.outcome).last == .resume)
        #expect(flow.breaker.reason == nil)
        flow.isIgnored = false
        flow.run(for: .seconds(60))
        #expect(flow.outcomes.count == 2)
    }

    @Test func `One that reports on everything else gets the stream for 15 s, and not again`() {
        var flow = Flow()
        flow.isIgnored = true
        flow.run(for: .seconds(600))
        #expect(flow.outcomes.count == 1, "\(flow.outcomes)")
        #expect(abs((flow.outcomes[0].time - MediaTime.zero).seconds - 15) < 0.1)
    }

    @Test func `A report now and then that is about nothing does not buy 15 s each`() {
        var flow = Flow()
        (flow.isIgnored, flow.reportInterval) = (true, .seconds(40))
        flow.run(for: .seconds(1200))
        // It resumes once.
        #expect(flow.outcomes.count <= 3, "\(flow.outcomes)")
        #expect(flow.breaker.reason != nil)
        flow.breaker.restart()
        flow.isIgnored = false
        flow.reportInterval = .seconds(1)
        flow.run(for: .seconds(60))
        #expect(flow.breaker.reason == nil)
    }

    @Test func `A rest now and then does not start the 15 s again`() {
        var flow = Flow()
        flow.reportInterval = nil
        for _ in 0..<6 {
            flow.packets = 5
            flow.run(for: .seconds(4))
            flow.packets = 0
            flow.run(for: .seconds(8))
        }
        guard case .reportTimeout(let silence) = flow.stops.first else { Issue.record("\(flow.stops)"); return }
        #expect(abs(silence.seconds - 15) < 0.1 && flow.outcomes.count == 1)
        // Two rests of 8 s, of which nothing counts; the beginning of a third does.
        #expect((31.0...31.2).contains((flow.outcomes[0].time - MediaTime.zero).seconds), "\(flow.outcomes[0].time)")
    }

    // MARK: RFC 8083 §4.2

    @Test func `Five reports that show no progress stop a stream, and one that does resumes it`() {
        var flow = Flow()
        flow.run(for: .seconds(10))
        flow.loss = 1
        flow.run(for: .seconds(60))
        guard case .mediaTimeout(reports: 5, let time) = flow.stops.first else { Issue.record("\(flow.stops)"); return }
        #expect(abs(time.seconds - 4) < 0.2 && flow.outcomes.count == 1)
        #expect((4.0...7.2).contains((flow.outcomes[0].time - .seconds(10)).seconds))
        // Sender reports arrive again.
        flow.loss = 0
        flow.run(for: .seconds(2))
        #expect(flow.outcomes.last?.outcome == .resume)
        flow.run(for: .seconds(60))
        #expect(flow.outcomes.count == 2)
    }

    @Test func `A round trip of four seconds is waited for`() {
        var flow = Flow()
        flow.roundTrip = .seconds(4)
        flow.run(for: .seconds(10))
        flow.loss = 1
        flow.run(for: .seconds(15))
        #expect(flow.outcomes.isEmpty)
        flow.run(for: .seconds(15))
        #expect(flow.stops.count == 1)
    }

    // MARK: RFC 8083 §4.3

    @Test func `TCP's throughput and the window of loss are those of the RFC`() {
        // s = 1000 bytes, Tr = 100 ms, p = 0.06: 8000 / (0.1 * 0.2).
        #expect(abs(CircuitBreaker.fairRate(packetBits: 8000, 0.1, loss: 0.06) - 400_000) < 1)
        #expect(CircuitBreaker.window(interval: 1, 0.04, 0.05) == 3)
        #expect(CircuitBreaker.window(interval: 1, 0.04, 0.45) == 5)
        #expect(CircuitBreaker.window(interval: 1, 0.2, 9) == 15)
        #expect(CircuitBreaker.window(interval: 5, 0.2, 0.05) == 3)
    }

    @Test func `More than ten times what TCP would send stops a stream that cannot be reduced`() {
        // 4.8 Mbit/s, where TCP would send 8 * 1200 / (0.2 * 0.408) = 117 kbit/s.
        var flow = Flow()
        (flow.packets, flow.loss, flow.roundTrip) = (20, 0.25, .milliseconds(200))
        flow.run(for: .seconds(20))
        guard case .congestion(let sent, let fair, let loss) = flow.stops.first else {
            Issue.record("\(flow.outcomes)")
            return
        }
        #expect(abs(sent.bitsPerSecond - 4_800_000) < 300_000 && abs(fair.bitsPerSecond - 117_600) < 6000)
        #expect(abs(loss - 250) < 10)
        #expect((flow.outcomes[0].time - MediaTime.zero).seconds < 6)
        // Nothing but another path, or the user, brings it back.
        flow.loss = 0
        flow.run(for: .seconds(300))
        #expect(flow.outcomes.count == 1)
        flow.breaker.restart()
        flow.run(for: .seconds(60))
        #expect(flow.outcomes.count == 1 && flow.breaker.reason == nil)
    }

    @Test func `A stream that can be reduced is, and stopped only if a tenth is too much as well`() {
        var flow = Flow()
        (flow.packets, flow.loss, flow.roundTrip, flow.isReducible) = (20, 0.25, .milliseconds(200), true)
        while flow.outcomes.isEmpty, flow.now < .zero + .seconds(10) { flow.run(for: .milliseconds(100)) }
        guard case .reduce(let bitrate) = flow.outcomes.first?.outcome else { Issue.record("\(flow.outcomes)"); return }
        #expect(abs(bitrate.bitsPerSecond - 480_000) < 30_000)
        var obedient = flow
        // At once, and below it; so the next window holds nothing of what was before.
        obedient.packets = 2
        obedient.run(for: .seconds(10))
        #expect(obedient.outcomes.map(\.outcome).dropFirst() == [.lift])
        // It does not obey.
        flow.run(for: .seconds(10))
        #expect(flow.stops.count == 1)
    }

    // MARK: RFC 8083 §4.4

    @Test func `A stream of which more is lost than arrives ends after 30 s`() {
        var flow = Flow()
        (flow.packets, flow.loss) = (1, 0.6)
        flow.run(for: .seconds(25))
        #expect(flow.outcomes.isEmpty)
        flow.run(for: .seconds(10))
        guard case .unusable = flow.stops.first else { Issue.record("\(flow.outcomes)"); return }
        var tolerable = Flow()
        (tolerable.packets, tolerable.loss) = (1, 0.45)
        tolerable.run(for: .seconds(300))
        #expect(tolerable.outcomes.isEmpty)
    }

    @Test func `Losses by chance of more than half end a stream, those of less do not`() {
        for (loss, isEnd) in [(0.58, true), (0.42, false)] {
            var flow = Flow()
            flow.packets = 1
            var random = SeededGenerator(seed: 4)
            for _ in 0..<300 {
                flow.loss = min(max(loss + Double.random(in: -0.3...0.3, using: &random), 0), 0.95)
                flow.run(for: .seconds(1))
            }
            let isEnded = flow.stops.contains { if case .unusable = $0 { true } else { false } }
            #expect(isEnded == isEnd, "\(loss): \(flow.outcomes)")
        }
    }

    @Test func `A rest now and then does not make a stream usable`() {
        var flow = Flow()
        flow.loss = 0.6
        for _ in 0..<10 {
            flow.packets = 5
            flow.run(for: .seconds(6))
            flow.packets = 0
            flow.run(for: .seconds(4))
        }
        guard case .unusable(let time) = flow.stops.first else { Issue.record("\(flow.stops)"); return }
        #expect(time >= .seconds(30) && flow.outcomes[0].time < .zero + .seconds(65), "\(flow.outcomes)")
    }

    // MARK: Whatever is reported

    @Test func `Any numbers in reports are safe`() {
        var random = SeededGenerator(seed: 5)
        var breaker = CircuitBreaker()
        var now = MediaTime.zero
        var outcomes = 0
        for index in 0..<20_000 {
            now = now + .milliseconds(Int.random(in: 0...2000, using: &random))
            breaker.recordFrame(at: now)
            breaker.noteSent(at: now)
            let report = CircuitBreaker.Report(
                highestNumber: .random(in: 0 ... .max, using: &random),
                packetsLost: .random(in: -8_388_608...8_388_607, using: &random),
                lastSenderReport: .random(in: 0...3, using: &random),
                roundTripTime: MediaDuration(nanoseconds: .random(in: 0...1_000_000_000, using: &random)),
                packetsSent: index * 500, bytesSent: index * 600_000)
            if breaker.take(report, isReducible: Bool.random(using: &random), at: now) != .nothing { outcomes += 1 }
            if breaker.check(at: now, lastReport: now) != .nothing { outcomes += 1 }
            if breaker.reason != nil, index % 7 == 0 { breaker.restart() }
        }
        #expect(outcomes > 0)
    }
}
