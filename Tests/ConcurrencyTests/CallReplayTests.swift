import RillCore
import RillMediaSupport
import RillReceive
import RillTestSupport
import RillThreads
import Testing

@testable import Rill
@testable import RillSession

/// What a call decided in real time, the virtual driver's pipeline and a bare session decide again from its journal:
/// which frames are released and when, what is requested and when, each byte of it, and what is counted.
@Suite struct CallReplayTests {
    /// A network as bad as it gets, for as long as the call lasts.
    private struct Arrival {
        var time: MediaTime
        var packet: [UInt8]
    }

    private func arrivals(_ clip: CodedClip, frames: Int, seed: UInt64) -> [Arrival] {
        var random = SeededGenerator(seed: seed)
        var arrivals: [Arrival] = []
        for (index, (packets, time)) in zip(clip.packets, clip.times).prefix(frames).enumerated() {
            for packet in packets {
                let delay = MediaDuration.microseconds(Int.random(in: 0...40_000, using: &random))
                let isLost = Int.random(in: 0..<100, using: &random) < 12
                // Lost packets are retransmitted, except some near the end; a few others arrive twice.
                let comesAgain =
                    isLost
                    ? index < frames * 3 / 4 || Bool.random(using: &random)
                    : Int.random(in: 0..<20, using: &random) == 0
                if !isLost { arrivals.append(Arrival(time: time + delay, packet: packet)) }
                if comesAgain {
                    arrivals.append(Arrival(time: time + delay + .milliseconds(90), packet: packet))
                }
            }
        }
        return arrivals.sorted { $0.time < $1.time }
    }

    /// What a receiver decides.
    private struct Decisions: Equatable {
        /// Frames that were given to be decoded.
        var frames: [Frame] = []
        var requests: [Request] = []
        var feedback: [[UInt8]] = []
        var shown: [MediaTime] = []

        struct Frame: Equatable {
            var number: Int64
            var isShown: Bool
            var released: MediaTime
            var playoutTime: MediaTime
        }

        struct Request: Equatable {
            /// Packets that were missed; `nil` where a key frame was asked for.
            var packetCount: Int?
            var time: MediaTime
        }

        mutating func note(_ event: ReceiveEvent, at now: MediaTime) {
            switch event {
            case .released(let frame): note(frame)
            case .packetsRequested(let count): requests.append(Request(packetCount: count, time: now))
            case .keyFrameRequested: requests.append(Request(packetCount: nil, time: now))
            }
        }

        mutating func note(_ frame: ReceivedFrame) {
            frames.append(
                Frame(
                    number: frame.frame.number, isShown: frame.isShown,
                    released: frame.frame.timestamps[.released] ?? .distantFuture, playoutTime: frame.playoutTime))
        }
    }

    /// Notes what is decided, from now on.
    private func note(_ decisions: Monitor<Decisions>, in settings: inout ReceiveSettings) {
        settings.observer = { event, now in decisions.withLock { $0.note(event, at: now) } }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `What was decided live is decided again`(seed: UInt64) throws {
        let clip = try CodedClip()
        let live = Monitor(Decisions())
        let network = MemoryTransport { packet in
            let bytes = packet.array
            live.withLock { $0.feedback.append(bytes) }
        }
        let call = try VideoCall(source: nil)
        let received = Monitor<ReceiveSettings?>(nil)
        let them = try network.join(call, CodedClip.stream) { them in
            them.session.look { $0.journal = SessionJournal() }
            try them.show(
                .high, on: FrameTap { picture in live.withLock { $0.shown.append(picture.captureTime) } }
            ) { settings in
                received.withLock { $0 = settings }
                note(live, in: &settings)
            }
        }
        let start = call.clock.now
        for arrival in arrivals(clip, frames: 60, seed: seed) {
            call.clock.sleep(until: start + (arrival.time - .zero))
            network.deliver([arrival.packet])
        }
        // What is still missing never comes.
        call.clock.sleep(until: call.clock.now + .milliseconds(500))
        let end = call.clock.now + .seconds(1)
        while !them.isIdle, call.clock.now < end { LiveClock.pause() }
        // The journal, and what it led to: nothing is done while the thread that reads them has the session.
        let (journal, stream, sessionSettings, beginning) = them.session.look { session in
            (
                session.journal?.calls ?? [], session.statistics.receiving.first?.stream, session.settings,
                session.receiving.indices.compactMap { session.receiving[$0]?.beginning }.first
            )
        }
        // Before the call says goodbye. Two threads send: the order of their datagrams is not compared.
        var decided = live.withLock { $0 }
        decided.feedback.sort { $0.lexicographicallyPrecedes($1) }
        let statistics = try #require(them.statistics.shown.first).received
        call.endNow()
        let base = try #require(received.withLock { $0 })
        // What a call does before its layer is shown: it adds the stream, unwanted, and changes its settings.
        guard case .want(true, of: _, at: let shownAt)? = journal.first, let beginning else {
            Issue.record("the layer was not wanted")
            return
        }
        func begin(_ session: RTPSession, _ id: ReceivingStreamID, _ settings: StreamReceiverSettings) {
            session.setWanted(false, of: id, at: beginning)
            session.change(settings, of: id, at: shownAt)
        }
        let counts = (decided.frames.count, decided.requests.count, decided.feedback.count)
        #expect(counts.0 > 20 && counts.1 > 3 && counts.2 > 5, "\(counts)")
        #expect(journal.count > 300)

        // The virtual driver's pipeline, with a decoder of its own.
        let virtual = Monitor(Decisions())
        let shared = SharedSession(sessionSettings)
        let pipeline = ReceivePipeline(
            on: shared,
            feedback: PacketTap { packet, _ in
                let bytes = packet.array
                virtual.withLock { $0.feedback.append(bytes) }
            })
        var settings = base
        note(virtual, in: &settings)
        let added = try pipeline.add(
            settings, sink: FrameTap { picture in virtual.withLock { $0.shown.append(picture.captureTime) } },
            at: beginning)
        shared.look { begin($0, added, settings.stream) }
        for call in journal {
            switch call {
            case .insert(let datagram, let now, let arrival):
                pipeline.insert(datagram.span, at: now, arrival: arrival)
            case .poll(let now): _ = pipeline.next(at: now)
            case .finish(let frame, let stream, _, _, let decoded, let now):
                try pipeline.finish(frame, of: stream, decoded: decoded, at: now)
            case .want(let isWanted, let stream, let now): shared.look { $0.setWanted(isWanted, of: stream, at: now) }
            case .send, .sendPayload, .muteSending, .muteReceiving, .pauseSending, .expedite, .requestKeyFrame,
                .restartCongestionControl, .setBitrates, .requestProbe:
                Issue.record("nothing is sent, muted or paused here")
            }
        }
        var again = virtual.withLock { $0 }
        again.feedback.sort { $0.lexicographicallyPrecedes($1) }
        #expect(again.frames == decided.frames && again.requests == decided.requests)
        #expect(again.feedback == decided.feedback && again.shown == decided.shown)
        #expect(pipeline.statistics.stream == stream)
        #expect(pipeline.statistics.decoder.framesDecoded == statistics.decoder.framesDecoded)

        // A session alone, without decoders.
        var replayed = Decisions()
        let session = RTPSession(sessionSettings)
        let id = try session.receive(base.stream, at: beginning)
        begin(session, id, base.stream)
        session.play(journal) { action, bytes in
            switch action {
            case .transmit: replayed.feedback.append(bytes.array)
            case .decode: replayed.note(session.releasedFrame)
            case .event(.packetsRequested(_, let count)):
                replayed.requests.append(.init(packetCount: count, time: .zero))
            case .event(.keyFrameRequested): replayed.requests.append(.init(packetCount: nil, time: .zero))
            case .event, .makeKeyFrame, .payload, .wait: break
            }
        }
        #expect(replayed.frames == decided.frames)
        #expect(replayed.requests.map(\.packetCount) == decided.requests.map(\.packetCount))
        replayed.feedback.sort { $0.lexicographicallyPrecedes($1) }
        #expect(replayed.feedback == decided.feedback)
        #expect(session.statistics(of: id) == stream)
    }
}
