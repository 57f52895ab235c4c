import RillCore
import RillFuzzTargets
import RillPacketSupport
import RillRTP
import RillSession
import RillTestSupport
import Testing

/// Every poll comes to an end: by progress, by a later time, or with the session, by name.
@Suite struct PollBoundTests {
    // MARK: Orders of low entropy

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `Packets that are late behind a rest do not keep a session busy`(
        kind: StreamDescription.CongestionFeedback
    ) throws {
        let receiver = try FeedbackSession(kind)
        for step in ArrivalOrder.lateBehindRest(kind) { try receiver.take(step) }
        try receiver.rest()
        #expect(receiver.feedbackCount == 1)
    }

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `In any order of packets each poll ends, and each wake-up sends feedback`(
        kind: StreamDescription.CongestionFeedback
    ) throws {
        let seeds = isLongRun ? 0..<1000 : 0..<40
        var count = 0
        for seed in seeds {
            var generator = SeededGenerator(seed: UInt64(seed))
            let receiver = try FeedbackSession(kind)
            for step in ArrivalOrder.packets(1000, from: 1000, using: &generator) { try receiver.take(step) }
            try receiver.rest()
            count += receiver.feedbackCount
        }
        #expect(count > 5 * seeds.count)
    }

    // MARK: Errors of ours

    @Test func `A session whose polls make no progress ends by name`() throws {
        for exceptDatagrams in [false, true] {
            let session = RTPSession(RTPSessionSettings(seed: 1))
            _ = try session.send(
                RTPStreamSettings(ssrc: SSRC(1), payloadType: PayloadType(96), canonicalName: "rill"))
            session.stall()
            var (events, datagrams, bytes) = ([SessionEvent](), [[UInt8]](), [UInt8]())
            let now = MediaTime.zero + .seconds(1)
            polling: for _ in 0..<100 {
                switch exceptDatagrams
                    ? session.pollExceptDatagrams(at: now, into: &bytes) : session.poll(at: now, into: &bytes)
                {
                case .transmit: datagrams.append(bytes)
                case .event(let event): events.append(event)
                case .decode, .payload, .makeKeyFrame: Issue.record("there is nothing else")
                case .wait(let time):
                    #expect(time == .distantFuture)
                    break polling
                }
            }
            session.transmit { _, datagram in datagrams.append(datagram.span.array) }
            let count = PollBound.limit
            #expect(events == [.failed(.internalError(pollsWithoutProgress: count))])
            #expect(session.statistics.transport.pollsWithoutProgress == count)
            #expect(session.nextPoll == .distantFuture)
            // The other side gets a BYE, with the reason.
            let text = datagrams.map { String(decoding: $0, as: UTF8.self) }.joined()
            #expect(text.contains("internal error: \(count) polls without progress"), "\(datagrams)")
        }
    }
}

/// A session that reports the packets of a transport, as drivers poll it: whenever it is due.
private final class FeedbackSession {
    private let session: RTPSession
    private let kind: StreamDescription.CongestionFeedback
    private var now = MediaTime.zero
    private var wakeTime = MediaTime.distantFuture
    private var bytes: [UInt8] = []
    private(set) var feedbackCount = 0

    init(_ kind: StreamDescription.CongestionFeedback) throws {
        self.kind = kind
        var settings = RTPSessionSettings(seed: 1)
        settings.announcesItself = false
        session = RTPSession(settings)
        // A stream whose source is not heard yet: it says what is reported, and has nothing to do itself.
        var stream = StreamReceiverSettings(
            jitterBuffer: JitterBufferSettings(payloadType: PayloadType(127)), ssrc: SSRC(1))
        stream.jitterBuffer.headerExtensions = FuzzedCall.extensions
        stream.congestionFeedback = kind
        _ = try session.receive(stream, at: .zero)
        poll()
    }

    /// Waits, and takes a packet.
    func take(_ step: ArrivalOrder.Step) throws {
        try wait(step.delay)
        let packet = FuzzedPackets.numbered(step.number.rawValue)
        session.noteArrival(of: packet.span, at: now)
        session.noteArrival(received: packet.span, at: now)
        poll()
    }

    func rest() throws { try wait(.seconds(3)) }

    private func wait(_ delay: MediaDuration) throws {
        let end = now + delay
        while wakeTime <= end {
            now = wakeTime
            let before = feedbackCount
            poll()
            try #require(feedbackCount == before + 1, "woken at \(now) for nothing")
        }
        now = end
    }

    private func poll() {
        for _ in 0..<100 {
            switch session.poll(at: now, into: &bytes) {
            case .transmit: feedbackCount += 1
            case .event(.failed(let error)): Issue.record("\(error)")
            case .event, .decode, .payload, .makeKeyFrame: break
            case .wait(let time):
                #expect(time > now)
                wakeTime = time
                return
            }
        }
        Issue.record("polling does not come to an end")
    }
}
