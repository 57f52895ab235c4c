import RillCore
import RillTestSupport
import Testing

@testable import RillSession

/// A sender that uses what it is allowed up to a limit, on a path of a fixed capacity, with a report now and then.
private struct ReportedFlow {
    var estimate: LossBasedEstimate
    /// What the path carries, in bits per second.
    var capacity = Double.infinity
    /// What its queue holds, in seconds.
    var queueLimit = 0.0
    /// What the application sends at most.
    var offered = Double.infinity
    /// The share of the packets that get lost by chance.
    var loss = 0.0
    var interval = MediaDuration.seconds(1)
    /// Added to the measured round trip.
    var surplus = MediaDuration.zero
    var jitter = MediaDuration.zero
    private(set) var now = MediaTime.zero
    private(set) var rates: [Double] = []
    /// How many packets were lost, and of how many.
    var lostPackets = (lost: 0.0, all: 0.0)
    var lostShare: Double { lostPackets.lost / lostPackets.all }
    private var (queue, sent, lost, bytes, arrived) = (0.0, 0.0, 0.0, 0.0, 0.0)

    init(start: Bitrate = .kilobits(500), range: ClosedRange<Bitrate> = .kilobits(30) ... .kilobits(8000)) {
        estimate = LossBasedEstimate(start: start, range: range)
    }

    var rate: Double { Double(estimate.rate(at: now).bitsPerSecond) }

    /// Sends for so many intervals, and reports after each.
    mutating func run(_ reports: Int) {
        for _ in 0..<reports {
            let report = send()
            estimate.take(report, at: now)
            rates.append(rate)
        }
    }

    /// Sends for one interval, with a sender report at its end.
    mutating func send() -> LossBasedEstimate.Report {
        let seconds = interval.seconds
        let bits = min(rate, offered)
        now = now + interval
        // The queue in seconds of the capacity.
        let full = queue + (bits / capacity - 1) * seconds
        let dropped = max(full - queueLimit, 0) * (capacity.isFinite ? capacity : 0)
        queue = min(max(full, 0), queueLimit)
        let packets = bits * seconds / 9600
        let gone = min(dropped / 9600 + packets * loss, packets)
        lostPackets = (lostPackets.lost + gone, lostPackets.all + packets)
        (sent, lost, bytes) = (sent + packets, lost + gone, bytes + bits * seconds / 8)
        defer { (sent, lost) = (sent - sent.rounded(.down), lost - lost.rounded(.down)) }
        arrived += sent.rounded(.down)
        return LossBasedEstimate.Report(
            packetsExpected: Int(sent), packetsLost: Int(lost), roundTripTime: .seconds(0.04 + queue) + surplus,
            jitter: jitter, packetsSent: Int(arrived), bytesSent: Int(bytes))
    }

    mutating func skip(_ duration: MediaDuration) { now = now + duration }
}

@Suite struct LossBasedEstimateTests {
    @Test func `Clean reports double the rate, at high rates raise it by a quarter, up to the bound`() {
        var flow = ReportedFlow(range: .kilobits(30) ... .kilobits(3200))
        flow.run(6)
        #expect(flow.rates == [1e6, 2e6, 2.5e6, 3.125e6, 3.2e6, 3.2e6])
    }

    @Test func `Where reports are rare it rises by half`() {
        var flow = ReportedFlow()
        flow.interval = .seconds(5)
        flow.run(3)
        #expect(flow.rates == [1e6, 1.5e6, 2.25e6])
    }

    @Test func `Reports that come faster than they show anything do not`() {
        var flow = ReportedFlow()
        flow.interval = .milliseconds(50)
        flow.run(20)
        // One at once, and then one each 340 ms.
        #expect(flow.rates.max() == 2.5e6, "\(flow.rates)")
    }

    @Test(arguments: [0.6e6, 1e6, 3e6], [0.0, 0.1, 0.3, 1.0])
    func `It fills a path, and loses little`(capacity: Double, queue: Double) {
        var flow = ReportedFlow()
        (flow.capacity, flow.queueLimit) = (capacity, queue)
        flow.run(10)
        flow.lostPackets = (0, 0)
        flow.run(80)
        let used = flow.rates.suffix(80).map { min($0, capacity) }.reduce(0, +) / 80 / capacity
        let lost = flow.lostShare
        note("\(capacity), queue \(queue): \(used) used, \(lost) lost")
        #expect(used > 0.9 && lost < 0.02, "\(flow.rates.map { Int($0 / 1000) })")
    }

    @Test func `After a loss above a tenth half of its share is given up`() {
        var flow = ReportedFlow()
        flow.loss = 0.05
        flow.run(3)
        let before = flow.rate
        flow.loss = 0.2
        flow.run(1)
        #expect(abs(flow.rate / before - 0.9) < 0.01, "\(flow.rates)")
    }

    @Test func `A few percent lost by chance hold the rate`() {
        var flow = ReportedFlow()
        flow.run(2)
        flow.loss = 0.05
        flow.run(60)
        #expect(flow.rates.suffix(50).allSatisfy { $0 == flow.rate && $0 > 1.8e6 }, "\(flow.rates)")
    }

    @Test func `An increase that a loss follows is taken back`() {
        var flow = ReportedFlow()
        flow.loss = 0.05
        flow.run(2)
        flow.loss = 0
        flow.run(1)
        let former = flow.rates[flow.rates.count - 2]
        #expect(flow.rate > 1.04 * former)
        flow.loss = 0.05
        flow.run(1)
        #expect(flow.rate <= former && flow.rate > 0.97 * former, "\(flow.rates)")
    }

    @Test func `After losses it recovers by 5 % a second, and slowly where the path was full`() {
        var flow = ReportedFlow()
        flow.capacity = 2e6
        flow.run(10)
        flow.capacity = 1e6
        flow.run(10)
        let low = flow.rate
        flow.capacity = .infinity
        flow.run(20)
        #expect(low < 1.1e6)
        let steps = zip(flow.rates.suffix(20), flow.rates.suffix(19)).map { $1 / $0 }
        #expect(steps.allSatisfy { $0 > 1.019 && $0 < 1.051 }, "\(steps)")
        #expect(steps.first.map { $0 < 1.03 } == true && flow.rate > 2e6, "\(steps) \(flow.rate)")
    }

    @Test func `What is not used grows to four times the start or twice what is used, no further`() {
        var flow = ReportedFlow()
        flow.offered = 60_000
        flow.run(100)
        #expect(flow.rate == 2e6)
        flow.offered = 1_600_000
        flow.run(100)
        #expect(abs(flow.rate / 3.2e6 - 1) < 0.01, "\(flow.rate)")
        // Using less again takes nothing away: losses would.
        flow.offered = 60_000
        flow.run(10)
        #expect(abs(flow.rate / 3.2e6 - 1) < 0.01, "\(flow.rate)")
    }

    // MARK: REMB

    @Test func `A REMB limits, and expires`() {
        var flow = ReportedFlow()
        flow.run(3)
        flow.estimate.take(maximum: 700_000, at: flow.now)
        #expect(flow.rate == 700_000 && flow.estimate.hasMaximum(at: flow.now))
        flow.run(14)
        #expect(flow.rate == 700_000)
        flow.run(2)
        #expect(flow.rate > 700_000 && !flow.estimate.hasMaximum(at: flow.now))
    }

    @Test func `A REMB above the rate does not raise it`() {
        var flow = ReportedFlow()
        flow.estimate.take(maximum: 5_000_000, at: flow.now)
        #expect(flow.rate == 500_000)
    }

    @Test(arguments: [1, 29_999, 1 << 60, .max, 0] as [UInt64])
    func `A REMB of anything keeps the rate in its range`(maximum: UInt64) {
        var flow = ReportedFlow()
        flow.run(2)
        flow.estimate.take(maximum: maximum, at: flow.now)
        #expect(flow.rate == (maximum > 0 && maximum < 30_000 ? 30_000 : 2e6))
        #expect(flow.estimate.hasMaximum(at: flow.now) == (maximum > 0))
        flow.run(30)
        #expect(flow.rate >= 500_000 && flow.rate <= 8e6)
    }

    // MARK: Reports of all kinds

    @Test func `Reports of 255 lost of 256 lead to the lower bound and not below`() {
        var flow = ReportedFlow()
        flow.loss = 255.0 / 256
        flow.run(60)
        #expect(flow.rate == 30_000)
        let steps = zip(flow.rates, flow.rates.dropFirst()).map { $1 / $0 }
        #expect(steps.allSatisfy { $0 >= 0.39 })
    }

    @Test func `Reports that nothing arrives halve the rate`() {
        var flow = ReportedFlow()
        flow.run(2)
        for _ in 0..<4 {
            var report = flow.send()
            report.packetsExpected = 0
            flow.estimate.take(report, at: flow.now)
        }
        #expect(flow.rate <= 2e6 / 8, "\(flow.rate)")
    }

    @Test func `Duplicates change nothing`() {
        var (once, twice) = (ReportedFlow(), ReportedFlow())
        (once.capacity, twice.capacity) = (1e6, 1e6)
        for _ in 0..<30 {
            once.estimate.take(once.send(), at: once.now)
            var report = twice.send()
            twice.estimate.take(report, at: twice.now)
            // The differences of a copy are zero.
            (report.packetsExpected, report.packetsLost, report.roundTripTime) = (0, 0, nil)
            twice.estimate.take(report, at: twice.now)
            #expect(once.rate == twice.rate)
        }
    }

    @Test func `Few packets are not enough for a share`() {
        var flow = ReportedFlow()
        // Six packets a second, of which every fifth gets lost.
        (flow.offered, flow.loss) = (60_000, 0.2)
        flow.run(1)
        let first = flow.rate
        flow.run(2)
        #expect(flow.rate == first)
        flow.run(3)
        #expect(flow.rate < first)
    }

    // MARK: Round trips

    @Test func `A queue ends the increase before anything is lost`() {
        var flow = ReportedFlow()
        (flow.capacity, flow.queueLimit) = (1e6, 10)
        flow.run(120)
        let last = flow.rates.suffix(60)
        #expect(last.allSatisfy { $0 < 1.15e6 } && last.reduce(0, +) / 60 > 0.85e6, "\(flow.rates)")
    }

    @Test(arguments: [MediaDuration.seconds(2), .seconds(1000), .seconds(-5)])
    func `Wrong round trips do not lead below the start`(surplus: MediaDuration) {
        var flow = ReportedFlow()
        flow.run(3)
        flow.surplus = surplus
        flow.run(60)
        #expect(flow.rate >= 500_000 && flow.rate <= 8e6, "\(flow.rates)")
    }

    @Test func `Forged jitter does not hide a loss, nor a long queue`() {
        var flow = ReportedFlow()
        (flow.capacity, flow.queueLimit, flow.jitter) = (1e6, 10, .seconds(40_000))
        flow.run(60)
        #expect(flow.rates.suffix(30).allSatisfy { $0 < 1.3e6 }, "\(flow.rates)")
        flow.queueLimit = 0
        flow.run(60)
        #expect(flow.rates.suffix(30).allSatisfy { $0 < 1.2e6 }, "\(flow.rates)")
    }

    // MARK: Silence

    @Test func `Three intervals without a report lead back to the start`() {
        var flow = ReportedFlow()
        flow.run(20)
        #expect(flow.rate == 8e6)
        let due = flow.estimate.dueTime
        #expect(due > flow.now + .seconds(2) && due < flow.now + .seconds(6), "\(due - flow.now)")
        flow.estimate.update(at: flow.now + .seconds(1))
        #expect(flow.rate == 8e6)
        flow.estimate.update(at: due)
        #expect(flow.rate == 500_000 && flow.estimate.dueTime == .distantFuture)
        flow.skip(.seconds(10))
        flow.run(2)
        #expect(flow.rate == 2e6)
    }

    @Test func `Any reports are safe`() {
        var random = SeededGenerator(seed: 7)
        var flow = ReportedFlow()
        let values = [Int.min / 2, -1_000_000, -1, 0, 1, 19, 20, 65_535, 1 << 40]
        for _ in 0..<20_000 {
            flow.skip(.milliseconds(Int.random(in: 0...700, using: &random)))
            let pick = { (random: inout SeededGenerator) in values[Int.random(in: 0..<values.count, using: &random)] }
            let report = LossBasedEstimate.Report(
                packetsExpected: Int.random(in: 0...65_535, using: &random), packetsLost: pick(&random),
                roundTripTime: MediaDuration(nanoseconds: Int64(pick(&random))),
                jitter: MediaDuration(nanoseconds: Int64(pick(&random))), packetsSent: pick(&random) / 2,
                bytesSent: pick(&random) / 4)
            flow.estimate.take(report, at: flow.now)
            if Bool.random(using: &random) { flow.estimate.update(at: flow.now) }
            #expect(flow.rate >= 30_000 && flow.rate <= 8e6)
        }
    }
}
