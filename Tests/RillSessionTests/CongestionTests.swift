import RillCore
import RillFuzzTargets
import RillLink
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

/// Sessions that adapt to an emulated network, in virtual time, with frames that are as large as they are allowed to
/// be.
@Suite struct CongestionTests {
    @Test func `Both ends of a call fill their direction, and nothing is lost`() throws {
        let (call, log) = try AdaptiveCall.make(over: "rate=1M,queue=300ms,delay=50ms", bothWays: true)
        call.run(until: .seconds(30))
        for (end, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            let rate = try #require(end.session.allowance(at: call.now)).bitrate
            #expect(rate > .kilobits(870) && rate < .kilobits(1050), "\(rate)")
            let received = try #require(other.session.statistics.receiving.first).stream
            #expect(received.packetsLost == 0 && received.framesReceived > 600, "\(received)")
        }
        #expect(log.share(10, 30, of: 1e6) > 0.85)
    }

    @Test func `Packets leave in the order of their numbers, and apart`() throws {
        let (call, log) = try AdaptiveCall.make(over: "delay=20ms")
        call.run(until: .seconds(3))
        let sent = log.packets.filter { $0.number != nil }
        #expect(sent.count > 200)
        for (index, packet) in sent.enumerated() {
            #expect(packet.number == SequenceNumber(UInt16(index)))
        }
        // At most three times the rate in the first two seconds, and nothing in a rush.
        let gaps = zip(sent, sent.dropFirst()).map { $1.time - $0.time }
        #expect(gaps.count { $0 == .zero } <= sent.count / 20, "\(gaps.count { $0 == .zero }) of \(sent.count)")
    }

    @Test(arguments: [(2, 0.7), (4, 0.45)])
    func `After some seconds alone, packets of a frame leave together`(megabits: Int, share: Double) throws {
        let (call, log) = try AdaptiveCall.make(
            over: "rate=\(megabits)M,queue=300ms,delay=20ms", maximum: .megabits(megabits))
        call.run(until: .seconds(20))
        let sent = log.packets.filter { $0.number != nil }
        let early = sent.filter { $0.time < .seconds(5) }
        #expect(Set(early.map(\.time)).count >= early.count * 19 / 20)
        let late = Dictionary(grouping: sent.filter { $0.time > .seconds(10) }, by: \.time)
        #expect(late.values.allSatisfy { $0.count <= 4 && Set($0.map(\.timestamp)).count == 1 })
        let count = late.values.reduce(0) { $0 + $1.count }
        #expect(Double(late.count) < share * Double(count), "\(late.count) times of \(count) packets")
        #expect(log.share(10, 20, of: 1e6 * Double(megabits)) > 0.85)
    }

    @Test func `The first packet of a frame leaves with the frame`() throws {
        let (call, log) = try AdaptiveCall.make(over: "rate=2M,queue=300ms,delay=20ms")
        call.run(until: .seconds(10))
        let frames = Dictionary(grouping: log.packets.filter { $0.number != nil }, by: \.timestamp)
        #expect(frames.count > 200)
        // Cameras give a frame every 33 ms.
        let waits = frames.values.compactMap { packets in
            packets.map(\.time).min().map { Double($0.nanoseconds % 33_000_000) / 1e6 }
        }
        #expect(waits.count { $0 > 2 } <= waits.count / 20, "\(waits.sorted().suffix(20))")
    }

    @Test func `Feedback takes at most a twentieth of what is received`() throws {
        let (call, _) = try AdaptiveCall.make(over: "rate=1M,queue=300ms,delay=50ms")
        call.run(until: .seconds(20))
        let feedback = call.bob.feedback.filter { $0.time > .seconds(5) }
        let byteCount = feedback.reduce(0) { $0 + $1.bytes.count + 28 }
        let received = Double(call.bob.session.statistics.transport.bytesReceived) * 15 / 20
        #expect(Double(byteCount) < 0.06 * received && feedback.count > 100, "\(byteCount) of \(received)")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `After an overload a key frame replaces what was given up`(seed: UInt64) throws {
        let (call, log) = try AdaptiveCall.make(
            over: "rate=2500k/400k@15s,queue=300ms,delay=50ms", maximum: .kilobits(2500), seed: seed)
        var times: [MediaTime] = []
        call.bob.decode = { _, _, now in times.append(now) }
        call.run(until: .seconds(15))
        let before = call.alice.keyFrameRequests
        call.run(until: .seconds(25))
        #expect(log.lossShare(15, 25) <= 0.12, "\(log.lossShare(15, 25))")
        #expect(call.alice.keyFrameRequests - before >= 1 && call.alice.keyFrameRequests - before <= 3)
        let rate = try #require(call.alice.session.allowance(at: call.now)).bitrate
        #expect(rate > .kilobits(300) && rate < .kilobits(440), "\(rate)")
        // Pictures move again.
        let after = times.filter { $0 > .seconds(14.5) }
        let gap = try #require(zip(after, after.dropFirst()).map { ($1 - $0).seconds }.max())
        note("seed \(seed): \(log.lossShare(15, 25)) lost, longest gap \(gap) s, rate \(rate)")
        #expect(gap <= 1.2, "\(gap)")
    }

    /// Whether a frame waits at the moment of the cut or not, what the queue drops of a flood is not retransmitted.
    @Test(arguments: Array(stride(from: 0, through: 30, by: 3)))
    func `A flood is not repaired, wherever in a frame the path narrows`(milliseconds: Int) throws {
        let (call, log) = try AdaptiveCall.make(
            over: "rate=2500k/400k@15.0\(milliseconds < 10 ? "0" : "")\(milliseconds)s,queue=300ms,delay=50ms")
        var times: [MediaTime] = []
        call.bob.decode = { _, _, now in times.append(now) }
        call.run(until: .seconds(15))
        let before = call.alice.session.statistics.sending[0].stream.retransmittedBytesSent
        call.run(until: .seconds(20))
        let repaired = call.alice.session.statistics.sending[0].stream.retransmittedBytesSent - before
        let after = times.filter { $0 > .seconds(14.5) }
        let gap = try #require(zip(after, after.dropFirst()).map { ($1 - $0).seconds }.max())
        note("\(milliseconds) ms: \(repaired) bytes, \(log.lossShare(15, 20)) lost, \(gap) s")
        // A tenth of what the path carries in five seconds.
        #expect(repaired < 25_000, "\(repaired) bytes")
        #expect(gap <= 1.2, "\(gap)")
    }

    @Test func `Whoever leaves sends what waits first`() throws {
        let (call, _) = try AdaptiveCall.make(over: "delay=20ms")
        call.run(until: .seconds(2))
        let counts = try #require(call.alice.session.statistics.sending.first).stream
        let sent = counts.packetsSent - counts.paddingPacketsSent - counts.retransmittedPacketsSent
        call.alice.change(at: call.now) { $0.leave(at: call.now) }
        call.run(for: .seconds(1))
        let received = try #require(call.bob.session.statistics.receiving.first).stream
        #expect(received.packetsReceived >= sent && received.packetsLost == 0, "\(sent), \(received)")
        #expect(call.bob.events.contains(.left(reason: nil)))
    }

    @Test func `Without congestion control nothing is paced, and feedback goes to the app`() throws {
        let stream = AdaptiveCall.stream(seed: 11)
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        alice.addCamera(try alice.session.send(stream), byteCount: 6000)
        _ = try bob.session.receive(try AdaptiveCall.receiving(stream), at: .zero)
        let call = try Call(alice, bob)
        call.run(until: .seconds(2))
        #expect(alice.session.allowance(at: call.now) == nil)
        let told = alice.events.count { if case .transportFeedback = $0 { true } else { false } }
        #expect(told > 20)
    }

    @Test func `A peer that sends reports and not the feedback it agreed to is sent what these allow`() throws {
        let stream = AdaptiveCall.stream(seed: 11)
        let (alice, bob) = (Endpoint(AdaptiveCall.settings(seed: 1)), Endpoint(seed: 2))
        alice.addCamera(try alice.session.send(stream))
        var receiving = try AdaptiveCall.receiving(stream)
        receiving.congestionFeedback = nil
        _ = try bob.session.receive(receiving, at: .zero)
        let call = try Call(alice, bob)
        call.run(until: .seconds(10))
        #expect(try #require(alice.session.allowance(at: call.now)).bitrate > .kilobits(1000))
        #expect(alice.session.statistics.congestion?.rateFeedback == .receiverReports)
        #expect(bob.frames.count > 100)
    }
}
