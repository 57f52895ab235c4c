import RillCore
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import Testing

/// Both kinds of congestion feedback, as they were negotiated.
@Suite struct CongestionFeedbackTests {
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Feedback by stream fills a link as transport-wide feedback does, and queues no more`(seed: UInt64) throws {
        func figures(_ kind: StreamDescription.CongestionFeedback) throws -> (share: Double, wait: Double) {
            let (call, log) = try AdaptiveCall.make(
                over: "rate=1M,queue=300ms,delay=50ms", bothWays: true, seed: seed, kind)
            call.run(until: .seconds(40))
            return (log.share(10, 40, of: 1e6), log.meanWait(10, 40).seconds * 1000)
        }
        let (wide, byStream) = (try figures(.transportWide), try figures(.byStream))
        note("seed \(seed): \(wide) by transport-wide feedback, \(byStream) by stream")
        #expect(wide.share > 0.85 && abs(byStream.share - wide.share) < 0.03, "\(wide) \(byStream)")
        #expect(byStream.wait < wide.wait + 5 && byStream.wait < 30, "\(wide) \(byStream)")
    }

    @Test func `By stream, packets carry no number, and no other feedback is sent`() throws {
        let (call, log) = try AdaptiveCall.make(over: "rate=1M,queue=300ms,delay=50ms", .byStream)
        call.run(until: .seconds(10))
        #expect(log.packets.allSatisfy { $0.number == nil } && log.packets.count > 500)
        let kinds = try call.bob.feedback.flatMap { try feedbackKinds(in: $0.bytes) }
        #expect(kinds.count { $0 == .byStream } > 50 && !kinds.contains(.transportWide))
        let statistics = try #require(call.alice.session.statistics.congestion)
        #expect(statistics.availableOutgoingBitrate > 800_000 && statistics.refusedReports == 0, "\(statistics)")
    }

    @Test func `Without reduced-size RTCP feedback by stream follows a report`() throws {
        let stream = AdaptiveCall.stream(seed: 11, .byStream)
        let alice = Endpoint(AdaptiveCall.settings(seed: 1, .byStream))
        let bob = Endpoint(seed: 2)
        alice.addCamera(try alice.session.send(stream))
        _ = try bob.session.receive(try AdaptiveCall.receiving(stream, .byStream), at: .zero)
        let call = try Call(alice, bob, over: "rate=1M,queue=300ms,delay=50ms")
        call.run(until: .seconds(10))
        for (bytes, _) in bob.feedback { #expect((200...201).contains(bytes[1]), "\(bytes.prefix(8))") }
        #expect(try #require(alice.session.allowance(at: call.now)).bitrate > .kilobits(800))
    }

    @Test(arguments: [nil, .transportWide, .byStream] as [StreamDescription.CongestionFeedback?])
    func `Feedback that the estimate does not follow goes to the app`(
        expected: StreamDescription.CongestionFeedback?
    ) throws {
        for sent in StreamDescription.CongestionFeedback.allCases where sent != expected {
            let stream = AdaptiveCall.stream(seed: 11)
            let (alice, bob) = (Endpoint(AdaptiveCall.settings(seed: 1, expected)), Endpoint(seed: 2))
            alice.addCamera(try alice.session.send(stream))
            _ = try bob.session.receive(try AdaptiveCall.receiving(stream, sent), at: .zero)
            let call = try Call(alice, bob)
            call.run(until: .seconds(5))
            let told = alice.events.count { if case .transportFeedback = $0 { true } else { false } }
            #expect(told > 8, "\(sent) where \(String(describing: expected)) is expected: \(told)")
            // What was to come and does not is replaced by reports.
            #expect(alice.session.statistics.congestion?.rateFeedback == .receiverReports)
        }
    }

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `What an answer leaves is what both ends use`(preferred: StreamDescription.CongestionFeedback) throws {
        // Both kinds are offered, as text.
        var settings = AdaptiveCall.stream(seed: 11)
        var offer = StreamDescription(of: settings, codec: .vp8)
        offer.feedback.formUnion([.transportWideCongestionControl, .congestionControlFeedback])
        var answer = try #require(try transcribed(offer))
        answer.chooseCongestionFeedback(preferred)
        // The receiver of the offer answers, and receives what it answered.
        let bob = Endpoint(seed: 2)
        let receiving = try StreamReceiverSettings(answer, ssrc: SSRC(0))
        #expect(receiving.congestionFeedback == preferred)
        _ = try bob.session.receive(receiving, at: .zero)
        // The sender reads the answer.
        var adaptive = AdaptiveCall.settings(seed: 1, nil)
        let answered = try #require(try transcribed(answer))
        adaptive.congestion?.negotiate(answered)
        #expect(adaptive.congestion?.feedback == preferred)
        settings.headerExtensions = answered.headerExtensions
        let alice = Endpoint(adaptive)
        alice.addCamera(try alice.session.send(settings))
        let call = try Call(alice, bob, over: "rate=1M,queue=300ms,delay=50ms")
        call.run(until: .seconds(10))
        #expect(try #require(alice.session.allowance(at: call.now)).bitrate > .kilobits(800))
    }

    @Test func `An answer without feedback leaves none`() throws {
        var congestion = CongestionSettings()
        var answer = StreamDescription(of: AdaptiveCall.stream(seed: 11), codec: .vp8)
        answer.feedback = [.nack]
        congestion.negotiate(answer)
        #expect(congestion.feedback == nil)
        answer.feedback.formUnion([.transportWideCongestionControl, .congestionControlFeedback])
        congestion.negotiate(answer, preferring: .byStream)
        #expect(congestion.feedback == .byStream)
    }

    @Test func `Packets of unknown streams are not reported by stream`() throws {
        let (call, _) = try AdaptiveCall.make(over: "delay=20ms", .byStream)
        var unknownPeers = 0
        call.filter = { datagram, isForBob in
            guard isForBob, PacketKind(of: datagram.span) == .rtp else { return [datagram] }
            var unknownPeer = datagram
            unknownPeers += 1
            // A new SSRC each time, and a payload type of no stream.
            (unknownPeer[1], unknownPeer[8], unknownPeer[9]) = (20, UInt8(truncatingIfNeeded: unknownPeers), 0xEE)
            return [datagram, unknownPeer]
        }
        call.run(until: .seconds(5))
        let known = try #require(call.alice.session.statistics.sending.first).ssrc
        let reported = try call.bob.feedback.reduce(into: Set<SSRC>()) {
            $0.formUnion(try reportedStreams(in: $1.bytes))
        }
        #expect(reported.contains(known) && reported.count <= 2 && unknownPeers > 100, "\(reported)")
    }

    // MARK: Support

    /// A stream as a session description tells it.
    private func transcribed(_ stream: StreamDescription) throws -> StreamDescription? {
        let text = SessionDescription(media: [try MediaDescription(sending: [stream], port: 5004)]).text
        return try SessionDescription(parsing: Array(text.utf8).span).streams(.send).first
    }

    /// The congestion feedback in a compound.
    private func feedbackKinds(in datagram: [UInt8]) throws -> [StreamDescription.CongestionFeedback] {
        var packets = RTCPCompound(datagram.span)
        var kinds: [StreamDescription.CongestionFeedback] = []
        while let packet = try packets.next() {
            switch try RTCPMessage(parsing: packet) {
            case .transportFeedback: kinds.append(.transportWide)
            case .congestionControlFeedback: kinds.append(.byStream)
            default: break
            }
        }
        return kinds
    }

    /// The streams that feedback by stream in a compound reports.
    private func reportedStreams(in datagram: [UInt8]) throws -> Set<SSRC> {
        var packets = RTCPCompound(datagram.span)
        var streams: Set<SSRC> = []
        while let packet = try packets.next() {
            guard case .congestionControlFeedback(let feedback) = try RTCPMessage(parsing: packet) else { continue }
            var reports = feedback.reports
            while let report = reports.next() { streams.insert(report.ssrc) }
        }
        return streams
    }
}
