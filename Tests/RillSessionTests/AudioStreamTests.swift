import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// Audio between two sessions: payloads of an app, without a decoder.
@Suite struct AudioStreamTests {
    /// Payloads of 20 ms that Alice sends and Bob gets.
    private final class AudioCall {
        let call: Call
        let stream: RTPStreamSettings
        let sent: SendingStreamID
        let received: ReceivingStreamID
        private(set) var numbers: [SequenceNumber] = []
        private(set) var payloads: [ReceivedPayload] = []
        private(set) var indices: [Int] = []
        private var count = 0

        init(over network: String, seed: UInt64 = 5, withVideo: Bool = false, isAnnounced: Bool = true) throws {
            var settings = RTPSessionSettings(canonicalName: "alice", seed: 1)
            settings.wallClockAtZero = NTPTimestamp(seconds: 3_900_000_000, fraction: 0)
            let (alice, bob) = (Endpoint(settings), Endpoint(seed: 2))
            var random = SeededGenerator(seed: seed)
            var stream = RTPStreamSettings(payloadType: PayloadType(111), canonicalName: "test", using: &random)
            (stream.kind, stream.clockRate) = (.audio, .opus)
            var description = StreamDescription(of: stream, codec: .defaultAudio)
            if !isAnnounced { description.ssrc = nil }
            self.stream = stream
            sent = try alice.session.send(stream)
            received = try bob.session.receive(StreamReceiverSettings(description, ssrc: SSRC(0)), at: .zero)
            if withVideo {
                let video = Call.stream(seed: 77)
                alice.addCamera(try alice.session.send(video))
                _ = try bob.session.receive(Call.receiving(video), at: .zero)
            }
            call = try Call(alice, bob, over: network, seed: seed)
            bob.play = { [unowned self] payload, bytes, stream, _ in
                #expect(stream == self.received)
                payloads.append(payload)
                indices.append(Int(bytes[0]) << 8 | Int(bytes[1]))
            }
        }

        /// Runs for `count` payloads, captured when they are sent.
        func run(_ count: Int) {
            for _ in 0..<count {
                let now = call.now
                call.alice.change(at: now) { session in
                    let bytes = [UInt8(self.count >> 8), UInt8(self.count & 255)] + [UInt8](repeating: 7, count: 60)
                    if let number = session.send(
                        bytes.span, PayloadStamp(captureTime: now, isMarked: self.count == 0), of: sent, at: now)
                    {
                        numbers.append(number)
                    }
                }
                self.count += 1
                call.run(for: .milliseconds(20))
            }
        }

        /// The blocks of Bob's reports on the stream, and when they were sent.
        func blocks() throws -> [(block: ReportBlock, time: MediaTime)] {
            var found: [(ReportBlock, MediaTime)] = []
            for (datagram, time) in call.bob.feedback {
                var compound = RTCPCompound(datagram.span)
                while let packet = try compound.next() {
                    guard case .receiverReport(let report) = try RTCPMessage(parsing: packet) else { continue }
                    for index in report.blocks.indices where report.blocks[index].ssrc == stream.ssrc {
                        found.append((report.blocks[index], time))
                    }
                }
            }
            return found
        }
    }

    @Test(arguments: [false, true])
    func `Payloads arrive as they were sent, and what is lost is counted`(isAnnounced: Bool) throws {
        let audio = try AudioCall(over: "delay=30ms,loss=5%", isAnnounced: isAnnounced)
        audio.run(3000)
        audio.call.run(for: .seconds(2))
        #expect(audio.numbers.count == 3000)
        let indices = audio.indices
        #expect(indices == indices.sorted() && Set(indices).count == indices.count)
        let lost = 3000 - indices.count
        #expect((90...220).contains(lost))
        for (payload, index) in zip(audio.payloads, indices) {
            #expect(payload.timestamp == audio.stream.timestampOffset.advanced(by: Int64(index) * 960))
            #expect(payload.hasMarker == (index == 0))
        }
        let statistics = try #require(audio.call.bob.session.statistics(of: audio.received))
        #expect(statistics.packetsReceived == indices.count && statistics.bytesReceived == indices.count * 62)
        // A loss before the first or after the last arrival cannot be known.
        let known = (indices.last ?? 0) - (indices.first ?? 0) + 1 - indices.count
        #expect(statistics.packetsLost == known)
        // The sender reads it from the reports.
        let reported = try #require(audio.call.alice.session.statistics(of: audio.sent))
        #expect(reported.packetsSent == 3000 && reported.framesSent == 0)
        let last = try #require(try audio.blocks().last)
        #expect(last.block.cumulativeLost == known)
        // Nothing is NACKed, and nobody asks for a key frame.
        #expect(audio.call.alice.keyFrameRequests == 0 && reported.packetsSent == 3000)
        #expect(audio.call.bob.session.isIdle)
    }

    @Test func `Jitter is that of RFC 3550, in units of 48 kHz`() throws {
        let audio = try AudioCall(over: "delay=40ms,jitter=8ms,loss=2%")
        audio.run(2000)
        let blocks = try audio.blocks()
        #expect(blocks.count > 35)
        for (block, time) in blocks {
            // RFC 3550 §6.4.1 and A.8, in real numbers.
            var (jitter, transit): (Double, Double?) = (0, nil)
            for payload in audio.payloads where payload.arrival <= time {
                let now = payload.arrival.seconds * 48_000 - Double(payload.timestamp.distance(since: RTPTimestamp(0)))
                if let transit {
                    jitter += (abs(now - transit).truncatingRemainder(dividingBy: 4_294_967_296) - jitter) / 16
                }
                transit = now
            }
            #expect(abs(Double(block.jitter) - jitter) < 2, "at \(time): \(block.jitter), not \(jitter)")
        }
        let jitter = try #require(blocks.last).block.jitter
        #expect((100...1000).contains(jitter))
        // Both sides say the same in seconds.
        let received = try #require(audio.call.bob.session.statistics(of: audio.received)).jitter
        #expect((received.seconds * 48_000 - Double(jitter)).magnitude < 100)
        var reported: [MediaDuration] = []
        for case .feedback(of: audio.sent, .reported(let report)) in audio.call.alice.events {
            reported.append(report.jitter)
        }
        let expected = blocks.prefix(reported.count).map { ClockRate.opus.duration(of: Int64($0.block.jitter)) }
        #expect(
            !reported.isEmpty
                && Set(reported).isSubset(of: Set(blocks.map { ClockRate.opus.duration(of: Int64($0.block.jitter)) })))
        #expect(!expected.isEmpty)
    }

    @Test func `Sender reports map its clock to the wall clock`() throws {
        let audio = try AudioCall(over: "delay=30ms,loss=2%")
        audio.run(500)
        let clock = try #require(audio.call.bob.session.senderClock(of: audio.received))
        #expect(clock.clockRate == .opus)
        // What was captured at 5 s.
        let time = clock.wallClock(of: audio.stream.timestampOffset.advanced(by: 5 * 48_000))
        #expect(time.seconds == 3_900_000_005 && time.fraction < 1 << 18)
        let roundTrip = try #require(audio.call.alice.session.roundTripStatistics.roundTripTime)
        #expect(abs((roundTrip - .milliseconds(60)).nanoseconds) < 3_000_000)
    }

    @Test func `It runs beside video`() throws {
        let audio = try AudioCall(over: "delay=30ms,loss=3%", withVideo: true)
        audio.run(1000)
        #expect(audio.indices.count > 900 && audio.call.bob.frameCount > 550)
        let statistics = audio.call.bob.session.statistics.receiving
        #expect(statistics.count == 2 && statistics.contains { $0.stream.framesReceived == 0 })
    }

    @Test func `A muted stream sends nothing, and goes on without a key frame`() throws {
        let audio = try AudioCall(over: "delay=30ms")
        audio.run(50)
        audio.call.alice.setMuted(true, of: audio.sent, at: audio.call.now)
        audio.run(50)
        audio.call.alice.setMuted(false, of: audio.sent, at: audio.call.now)
        audio.run(50)
        audio.call.run(for: .seconds(1))
        #expect(audio.indices == Array(0..<50) + Array(100..<150))
        #expect(audio.call.alice.keyFrameRequests == 0)
        let statistics = try #require(audio.call.bob.session.statistics(of: audio.received))
        #expect(statistics.packetsLost == 0)
    }
}
