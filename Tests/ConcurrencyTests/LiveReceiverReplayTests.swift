import Rill
import RillCore
import RillMediaSupport
import RillReceive
import RillSession
import RillTestSupport
import RillThreads
import Testing

/// What the live receiver decided in real time, the virtual driver's pipeline and a bare session decide again from its
/// journal: which frames are given and when, what is asked for and when, each byte of it, and what is counted.
@Suite struct LiveReceiverReplayTests {
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
        var feedback: [Datagram] = []
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

        struct Datagram: Equatable {
            var bytes: [UInt8]
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

    private func settings(noting decisions: Monitor<Decisions>? = nil) -> ReceiveSettings {
        var settings = ReceiveSettings(
            jitterBuffer: JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType), ssrc: SSRC(1))
        settings.reportInterval = .milliseconds(300)
        if let decisions {
            settings.observer = { event, now in decisions.withLock { $0.note(event, at: now) } }
        }
        return settings
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `What was decided live is decided again`(seed: UInt64) throws {
        let clip = try CodedClip()
        let live = Monitor(Decisions())
        let receiver = LiveReceiver(
            feedback: ConcurrentPacketTap { packet, time in
                let bytes = packet.array
                live.withLock { $0.feedback.append(.init(bytes: bytes, time: time)) }
            })
        try receiver.add(
            settings(noting: live), sink: FrameTap { picture in live.withLock { $0.shown.append(picture.captureTime) } }
        )
        receiver.beginJournal(of: CodedClip.ssrc)
        let start = receiver.clock.now
        for arrival in arrivals(clip, frames: 60, seed: seed) {
            receiver.clock.sleep(until: start + (arrival.time - .zero))
            receiver.insert(arrival.packet.span)
        }
        // What is still missing never comes.
        receiver.clock.sleep(until: receiver.clock.now + .milliseconds(500))
        let statistics = try #require(receiver.statistics(of: CodedClip.ssrc))
        let journal = receiver.journal(of: CodedClip.ssrc)
        try receiver.stop()
        let decided = live.withLock { $0 }
        let counts = (decided.frames.count, decided.requests.count, decided.feedback.count)
        #expect(counts.0 > 20 && counts.1 > 3 && counts.2 > 5, "\(counts)")
        #expect(journal.count > 300)

        // The virtual driver's pipeline, with a decoder of its own.
        let virtual = Monitor(Decisions())
        let pipeline = try ReceivePipeline(
            settings(noting: virtual),
            sink: FrameTap { picture in virtual.withLock { $0.shown.append(picture.captureTime) } },
            feedback: PacketTap { packet, time in
                let bytes = packet.array
                virtual.withLock { $0.feedback.append(.init(bytes: bytes, time: time)) }
            })
        for call in journal {
            switch call {
            case .insert(let datagram, let now): pipeline.insert(datagram.span, at: now)
            case .poll(let now): _ = pipeline.next(at: now)
            case .finish(let frame, let stream, _, _, let decoded, let now):
                try pipeline.finish(frame, of: stream, decoded: decoded, at: now)
            case .send, .muteSending, .muteReceiving, .want, .pauseSending, .expedite, .requestKeyFrame,
                .restartCongestionControl:
                Issue.record("nothing is sent, muted or paused here")
            }
        }
        #expect(virtual.withLock { $0 } == decided)
        #expect(pipeline.statistics.stream == statistics.stream)
        #expect(pipeline.statistics.decoder.framesDecoded == statistics.decoder.framesDecoded)

        // A session alone, without decoders.
        var replayed = Decisions()
        let session = RTPSession(RTPSessionSettings(receiving: settings().stream))
        let stream = try session.receive(settings().stream, at: .zero)
        session.play(journal) { action, bytes in
            switch action {
            case .transmit: replayed.feedback.append(.init(bytes: bytes.array, time: .zero))
            case .decode: replayed.note(session.releasedFrame)
            case .event(.packetsRequested(_, let count)):
                replayed.requests.append(.init(packetCount: count, time: .zero))
            case .event(.keyFrameRequested): replayed.requests.append(.init(packetCount: nil, time: .zero))
            case .event, .makeKeyFrame, .wait: break
            }
        }
        #expect(replayed.frames == decided.frames)
        #expect(replayed.requests.map(\.packetCount) == decided.requests.map(\.packetCount))
        #expect(replayed.feedback.map(\.bytes) == decided.feedback.map(\.bytes))
        #expect(session.statistics(of: stream) == statistics.stream)
    }
}
