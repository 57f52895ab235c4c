import RillCongestion
import RillCore
import Testing

@Suite struct RateBudgetTests {
    /// A sender of equal frames in packets of at most 1170 bytes, with 60 bytes of headers each.
    private struct Sender {
        var counts = RateBudget.Counts()
        var budget = RateBudget()
        private(set) var now = MediaTime.zero

        init() { budget.update(counts, at: now) }

        /// Sends for a while; the budget is updated after each frame.
        mutating func send(
            _ bitrate: Int, framesPerSecond: Int = 30, seconds: Double, retransmitting: Double = 0, fec: Double = 0,
            others: Int = 0
        ) {
            let bytes = bitrate / 8 / framesPerSecond
            let packets = (bytes + 1169) / 1170
            for _ in 0..<Int(seconds * Double(framesPerSecond)) {
                counts.frames += 1
                counts.frameBytes += bytes
                counts.mediaPackets += packets
                counts.mediaBytes += bytes + packets * 60
                counts.retransmittedBytes += Int(Double(bytes + packets * 60) * retransmitting)
                counts.fecBytes += Int(Double(bytes + packets * 60) * fec)
                counts.otherBytes += others / 8 / framesPerSecond
                now += MediaDuration.seconds(1 / Double(framesPerSecond))
                budget.update(counts, at: now)
            }
        }

        /// The bitrate on the path for an encoder bitrate, by the same arithmetic.
        func onPath(_ bitrate: Bitrate, framesPerSecond: Int = 30) -> Double {
            let bytes = Double(bitrate.bitsPerSecond) / 8 / Double(framesPerSecond)
            // Frame sizes vary by a third, and so does the number of their packets.
            let packets = (-30...30).map { max(1, (bytes * (1 + Double($0) / 90) / 1170).rounded(.up)) }
            return (bytes + packets.reduce(0, +) / 61 * 60) * 8 * Double(framesPerSecond)
        }
    }

    private func isNear(_ a: Double, _ b: Double, percent: Double) -> Bool { abs(a - b) <= b * percent / 100 }

    @Test func `Before the first packet the default overhead is assumed`() {
        // 2500 bytes per frame are 2.6 packets with 68 bytes of headers each: 7 %.
        let rate = RateBudget().encoderRate(of: .kilobits(600)).bitsPerSecond
        #expect((540_000...570_000).contains(rate), "\(rate)")
        #expect(RateBudget().encoderRate(of: Bitrate(bitsPerSecond: 0)) == Bitrate(bitsPerSecond: 0))
    }

    /// By hand: frames of 2080 bytes in two packets of 60 bytes of headers, 30 a second, are 499.2 + 28.8 kbit/s.
    @Test func `The overhead of packets is subtracted from the rate of encoders`() {
        var sender = Sender()
        sender.send(499_200, seconds: 3)
        #expect(isNear(sender.budget.headerByteCount, 60, percent: 0.1))
        let rate = sender.budget.encoderRate(of: .kilobits(528)).bitsPerSecond
        #expect(isNear(Double(rate), 499_200, percent: 0.5), "\(rate)")
    }

    /// By hand: 5 frames a second of 675 bytes, one packet each, are 27 + 2.4 kbit/s.
    @Test func `A frame has at least one packet`() {
        var sender = Sender()
        sender.send(27_000, framesPerSecond: 5, seconds: 6)
        let rate = sender.budget.encoderRate(of: Bitrate(bitsPerSecond: 29_400)).bitsPerSecond
        #expect(isNear(Double(rate), 27_000, percent: 1), "\(rate)")
    }

    @Test(arguments: [100, 200, 300, 500, 800, 1500])
    func `After a cut the overhead is that of the new rate`(kilobits: Int) {
        var sender = Sender()
        sender.send(2_500_000, seconds: 5)
        // Headers are 5 % of 2.5 Mbit/s, and 13 % of 100 kbit/s.
        let rate = sender.budget.encoderRate(of: .kilobits(kilobits))
        let total = sender.onPath(rate)
        #expect(isNear(total, Double(kilobits) * 1000, percent: 4), "\(rate) is \(total) on the path")
    }

    /// By hand: 499.2 + 28.8 kbit/s of media, 10 % of it retransmitted, 20 % FEC, and 32 kbit/s of others are 718.4
    /// kbit/s.
    @Test func `Retransmissions, FEC and other media share the estimate with frames`() {
        var sender = Sender()
        sender.send(499_200, seconds: 20, retransmitting: 0.1, fec: 0.2, others: 32_000)
        #expect(abs(sender.budget.repairShare - 0.3) < 0.001)
        #expect(isNear(sender.budget.otherRate.kilobits, 32, percent: 1), "\(sender.budget.otherRate)")
        let rate = sender.budget.encoderRate(of: Bitrate(bitsPerSecond: 718_400)).bitsPerSecond
        #expect(isNear(Double(rate), 499_200, percent: 0.5), "\(rate)")
    }

    @Test func `A burst of retransmissions lowers the rate for a moment, and never below half`() {
        var sender = Sender()
        sender.send(499_200, seconds: 5)
        let before = sender.budget.encoderRate(of: .kilobits(528))
        sender.send(499_200, seconds: 0.5, retransmitting: 20)
        let during = sender.budget.encoderRate(of: .kilobits(528)).bitsPerSecond
        #expect(during < before.bitsPerSecond * 6 / 10 && during > before.bitsPerSecond * 4 / 10, "\(during)")
        sender.send(499_200, seconds: 12)
        let after = sender.budget.encoderRate(of: .kilobits(528)).bitsPerSecond
        #expect(isNear(Double(after), Double(before.bitsPerSecond), percent: 2), "\(after)")
    }

    @Test func `Counts of a new transport start the measurement again`() {
        var sender = Sender()
        sender.send(499_200, seconds: 3, retransmitting: 0.5)
        sender.counts = RateBudget.Counts()
        sender.send(499_200, seconds: 3)
        #expect(sender.budget.repairShare == 0)
        #expect(isNear(sender.budget.headerByteCount, 60, percent: 0.1))
    }

    @Test func `A time that does not increase changes nothing, and no counts overflow`() {
        var sender = Sender()
        sender.send(499_200, seconds: 3)
        let before = sender.budget.encoderRate(of: .kilobits(528))
        var wild = sender.counts
        wild.retransmittedBytes += 1_000_000
        sender.budget.update(wild, at: sender.now)
        sender.budget.update(wild, at: .zero)
        #expect(sender.budget.encoderRate(of: .kilobits(528)) == before)
        #expect(sender.budget.encoderRate(of: Bitrate(bitsPerSecond: .max)).bitsPerSecond > 0)
    }
}
