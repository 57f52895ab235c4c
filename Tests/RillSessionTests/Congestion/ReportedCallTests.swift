import RillCore
import RillFuzzTargets
import RillLink
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

/// Sessions whose other end sends nothing but receiver reports, in virtual time.
@Suite struct ReportedCallTests {
    /// The feedback that was negotiated, and what the receiver sends of it.
    enum Receiver: CaseIterable {
        /// None was negotiated.
        case plain
        /// Transport-wide feedback was, and none comes.
        case unable
    }

    private func call(
        _ receiver: Receiver, over network: String, maximum: Bitrate = .kilobits(8000), seed: UInt64 = 1
    ) throws -> (Call, PathLog) {
        let negotiated: StreamDescription.CongestionFeedback? = receiver == .plain ? nil : .transportWide
        var settings = AdaptiveCall.settings(seed: seed, maximum: maximum, negotiated)
        settings.congestion?.startBitrate = .kilobits(500)
        let (alice, bob) = (Endpoint(settings), Endpoint(seed: seed + 1000))
        let stream = AdaptiveCall.stream(seed: 11)
        alice.addCamera(try alice.session.send(stream))
        _ = try bob.session.receive(try AdaptiveCall.receiving(stream, nil), at: .zero)
        let call = try Call(alice, bob, over: network, seed: seed)
        let log = PathLog()
        call.observer = { log.add($0, $1, $2, $3) }
        return (call, log)
    }

    private func feedback(_ end: Endpoint) -> [RateFeedback] {
        end.events.compactMap { if case .rateFeedbackChanged(let feedback) = $0 { feedback } else { nil } }
    }

    @Test(arguments: Receiver.allCases, [400, 1000, 3000])
    func `Reports alone fill a link, and lose little`(receiver: Receiver, kilobits: Int) throws {
        for queue in [100, 300] {
            let (call, log) = try call(receiver, over: "rate=\(kilobits)k,queue=\(queue)ms,delay=20ms")
            var rates: [Int] = []
            for second in 1...90 {
                call.run(until: .seconds(Double(second)))
                rates.append(try existing(call.alice.session.allowance(at: call.now)).bitrate.bitsPerSecond / 1000)
            }
            let used = log.share(15, 90, of: Double(kilobits) * 1000)
            let (lost, wait) = (log.lossShare(15, 90), log.meanWait(15, 90))
            note("\(receiver), \(kilobits) kbit/s, queue \(queue) ms: \(used) used, \(lost) lost, wait \(wait)")
            #expect(used > 0.8 && lost < 0.03, "\(used), \(lost): \(rates)")
            #expect(feedback(call.alice) == [.receiverReports])
            let statistics = try existing(call.alice.session.statistics.congestion)
            #expect(statistics.rateFeedback == .receiverReports)
            #expect(call.alice.session.statistics.transport.streamsStopped == 0)
        }
    }
}
