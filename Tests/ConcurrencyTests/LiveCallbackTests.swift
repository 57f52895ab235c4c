import RillBeauty
import RillCore
import RillMediaSupport
import RillRTP
import RillTestSupport
import RillThreads
import Testing

@testable import Rill

/// Callbacks of a sender, a pipeline or a participant may call back: no lock is held while a sink, a tap, an observer
/// or feedback is called. Run under the thread sanitizer by the test script.
@Suite struct LiveCallbackTests {
    private let resolution = Resolution(width: 96, height: 64)

    private func sender(_ taps: sending SendTaps = SendTaps()) throws -> PacketSender {
        var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(400))], seed: 5)
        // Several packets a frame.
        settings.maximumPacketSize = 300
        settings.adaptation = nil
        return try PacketSender(settings, taps: taps)
    }

    /// Asks a sender and its pipeline for everything that they can be asked for.
    private static func use(_ sender: PacketSender, at now: MediaTime) {
        let pipeline = sender.pipeline
        pipeline.requestKeyFrame(.high)
        #expect(throws: Never.self) {
            try pipeline.change(.high) { settings in
                // Not even the body of a change is called under a lock.
                _ = pipeline.statistics
                settings.bitrate = settings.bitrate == .kilobits(400) ? .kilobits(300) : .kilobits(400)
            }
        }
        pipeline.setTotalBitrate(nil)
        pipeline.setBeauty(.off)
        _ = (pipeline.statistics, pipeline.beautyStatistics, pipeline.picturesWithoutBuffer, pipeline.beauty)
        _ = (sender.statistics, sender.streams, sender.nextReportTime(at: now))
        sender.sendReports(at: now, to: PacketTap { _, _ in })
        let nothing: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        sender.receive(nothing.span, at: now, retransmittingTo: PacketTap { _, _ in })
    }

    @Test func `Every tap of a pipeline, its packet sink and its observer may call it`() throws {
        final class Caller: FrameSink, EncodedFrameSink, SendTraceSink, Sendable {
            let sender = Monitor<PacketSender?>(nil)
            let calls = Monitor([String: Int]())

            func call(_ name: String, at now: MediaTime = .zero) {
                calls.withLock { $0[name, default: 0] += 1 }
                if let sender = sender.withLock({ $0 }) { LiveCallbackTests.use(sender, at: now) }
            }
            func consume(_ frame: VideoFrame) { call("frame", at: frame.captureTime) }
            func consume(_ frame: EncodedFrame, payload: Span<UInt8>) { call("coded", at: frame.captureTime) }
            func begin(_ layers: [StreamLayer.RID]) { call("begin") }
            func record(_ event: SendTraceEvent, of layer: StreamLayer.RID) { call("trace") }
            func record(cascade: FaceCascade?) { call("cascade") }
            func record(givenFaces faces: [FaceRegion], fromFrame frame: Int) { call("faces") }
            func record(beauty options: BeautyOptions, at level: BeautyLevel, fromFrame frame: Int) { call("beauty") }
            func finish() { call("finish") }
        }
        let (captured, preprocessed, coded, trace) = (Caller(), Caller(), Caller(), Caller())
        let sent = Caller()
        let sender = try sender(
            SendTaps(captured: captured, preprocessed: preprocessed, encoded: coded, trace: trace))
        let callers = [captured, preprocessed, coded, trace, sent]
        for caller in callers { caller.sender.withLock { $0 = sender } }
        // They hold what holds them.
        defer { for caller in callers { caller.sender.withLock { $0 = nil } } }
        let times = Monitor(0)
        sender.pipeline.layers[0].observe { [weak sender] _, _ in
            // It outlives every call: `times` is asserted.
            guard let sender else { return }
            times.withLock { $0 += 1 }
            LiveCallbackTests.use(sender, at: .zero)
        }
        let source = try LoopedPictures(resolution, frameCount: 12)
        while case .frame(let frame) = source.next() {
            try sender.send(
                frame, at: frame.captureTime, to: ConcurrentPacketTap { _, time in sent.call("packet", at: time) })
        }
        try sender.finish()
        #expect(captured.calls.withLock { $0 } == ["frame": 12, "finish": 1])
        #expect(preprocessed.calls.withLock { $0 } == ["frame": 12, "finish": 1])
        #expect(coded.calls.withLock { $0 } == ["coded": 12, "finish": 1])
        #expect(trace.calls.withLock { $0 } == ["begin": 1, "trace": 12, "finish": 1])
        #expect(times.withLock { $0 } == 12 && sent.calls.withLock { $0["packet", default: 0] } > 24)
    }

    @Test func `A sink and an observer may call their participant, and a sink may hide itself`() throws {
        final class Screen: FrameSink, Sendable {
            let participant = Monitor<CallParticipant?>(nil)
            let (count, hiddenAt, events, isFinished) = (Monitor(0), Monitor(0), Monitor(0), Monitor(false))

            func call(_ counter: Monitor<Int>) -> Int {
                let participant = participant.withLock { $0 }
                _ = (participant?.statistics, participant?.isIdle, participant?.layers)
                return counter.withLock { count in
                    count += 1
                    return count
                }
            }
            func consume(_ frame: VideoFrame) {
                let count = call(count)
                guard count >= 5 else { return }
                hiddenAt.withLock { $0 = count }
                participant.withLock { $0 }?.hide(.high)
                #expect(!isFinished.withLock { $0 })
            }
            func finish() { isFinished.withLock { $0 = true } }
        }
        let (clip, screen, sent) = (try CodedClip(), Screen(), Monitor(0))
        let call = try VideoCall(source: nil)
        let network = MemoryTransport { _ in sent.withLock { $0 += 1 } }
        let them = try network.join(call, CodedClip.stream) { them in
            screen.participant.withLock { $0 = them }
            try them.show(.high, on: screen) { $0.observer = { _, _ in _ = screen.call(screen.events) } }
        }
        defer { screen.participant.withLock { $0 = nil } }
        let deadline = call.clock.now + .seconds(30)
        var packets = clip.packets.makeIterator()
        while !screen.isFinished.withLock({ $0 }), call.clock.now < deadline {
            if let frame = packets.next() { network.deliver(frame) }
            LiveClock.pause()
        }
        #expect(screen.isFinished.withLock { $0 } && screen.events.withLock { $0 } >= 5 && sent.withLock { $0 } > 0)
        // None came after it.
        #expect(screen.count.withLock { $0 } == screen.hiddenAt.withLock { $0 })
        #expect(them.statistics.shown.isEmpty)
        call.endNow()
    }

    @Test func `On one thread, feedback that is answered at once is received at once`() throws {
        let sender = try sender()
        var settings = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(1))
        settings.jitterBuffer.playoutDelay = .fixed(.milliseconds(100))
        settings.jitterBuffer.roundTripTime = .zero
        // Knows the receiver, which knows the feedback.
        final class Wires {
            var receiver: ReceivePipeline<PacketTap>?
            var (count, lost, answers) = (0, 0, 0)
        }
        let wires = Wires()
        let way = PacketTap { packet, time in
            wires.count += 1
            if wires.count % 7 == 0 { wires.lost += 1 } else { wires.receiver?.insert(packet, at: time) }
        }
        let feedback = PacketTap { packet, time in
            wires.answers += 1
            sender.receive(packet, at: time, retransmittingTo: way)
            // The poll that this is a part of goes on.
            #expect(throws: Never.self) { try #expect(wires.receiver?.poll(at: time) == time) }
        }
        var shown = 0
        let receiver = try ReceivePipeline(settings, sink: FrameTap { _ in shown += 1 }, feedback: feedback)
        wires.receiver = receiver
        defer { wires.receiver = nil }
        let source = try LoopedPictures(resolution, frameCount: 90)
        while case .frame(let frame) = source.next() {
            for step in 0..<3 {
                let now = frame.captureTime + .milliseconds(11 * step)
                if step == 0 { try sender.send(frame, at: now, to: way) }
                _ = try receiver.poll(at: now)
            }
        }
        let statistics = receiver.statistics
        #expect(wires.lost > 20 && wires.answers > 0)
        #expect(statistics.repair.retransmittedPacketsReceived > 10 && statistics.stream.pliCount == 0)
        #expect(shown > 80, "\(shown) of 90")
        wires.receiver = nil
    }
}

/// The order in which packets leave, from any thread.
@Suite struct LivePacketOrderTests {
    @Test func `Each stream's packets leave in the order of their numbers, though two threads send`() throws {
        let resolution = Resolution(width: 96, height: 64)
        var layer = LayerSettings.high(resolution, bitrate: .kilobits(800))
        layer.frameRate = 240
        var settings = SendSettings(layers: [layer, .low], seed: 9)
        settings.maximumPacketSize = 200
        let packetSender = try PacketSender(settings)
        let clock = LiveClock()
        let numbers = Monitor([SSRC: [SequenceNumber]]())
        let packets = ConcurrentPacketTap { packet, _ in
            guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header else { return }
            numbers.withLock { $0[header.ssrc, default: []].append(header.sequenceNumber) }
        }
        let high = packetSender.streamSettings[0]
        let isOver = Monitor(false)
        // Asks for the newest packets again and again, as the receiver's thread does.
        let asker = try NamedThread("asker") {
            while !isOver.withLock({ $0 }) {
                let newest = numbers.withLock { $0[high.ssrc]?.suffix(8) } ?? []
                guard !newest.isEmpty else { continue }
                let lost = Array(newest)
                let request = [UInt8](capacity: GenericNACK.byteCount(lost: lost.span)) { output in
                    GenericNACK.write(lost: lost.span, of: high.ssrc, from: SSRC(1), into: &output)
                }
                packetSender.receive(request.span, at: clock.now, retransmittingTo: packets)
                clock.sleep(until: clock.now + .microseconds(500))
            }
        }
        let again = try #require(high.retransmission?.ssrc)
        // A second, and more until both threads have sent enough.
        let source = try EndingPictures(resolution, frameRate: 240, frameCounts: 240...(240 * 60)) {
            numbers.withLock { $0[high.ssrc]?.count ?? 0 > 240 && $0[again]?.count ?? 0 > 20 }
        }
        packetSender.pipeline.add(PacketOutput(packetSender, packets))
        try LiveEncoders(packetSender.pipeline, source: source, clock: clock).waitUntilFinished()
        isOver.change { $0 = true }
        asker.join()
        let found = numbers.withLock { $0 }
        #expect(found[high.ssrc]?.count ?? 0 > 240 && found[again]?.count ?? 0 > 20)
        for (ssrc, numbers) in found {
            let isInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0.next }
            #expect(isInOrder, "\(ssrc)")
        }
    }

    /// Sends what encoders make.
    private final class PacketOutput: LayerOutput {
        /// Whose pipeline holds this.
        private unowned let sender: PacketSender
        private let packets: ConcurrentPacketTap

        init(_ sender: PacketSender, _ packets: ConcurrentPacketTap) { (self.sender, self.packets) = (sender, packets) }

        func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime) -> RTPTimestamp? {
            sender.send(frame, payload, of: layer, to: packets, at: now)
        }
    }

    @Test func `A batch passes on its packets, and is reused with the same memory`() {
        let batch = PacketBatch()
        #expect(batch.isEmpty)
        for round in 0..<3 {
            let made: [[UInt8]] = [[1, 2, 3], [], [UInt8(round)], [UInt8](repeating: 7, count: 1200)]
            for (index, packet) in made.enumerated() {
                batch.send(packet.span, at: .zero + .milliseconds(index))
            }
            batch.send([9].span, as: .rtcp, at: .zero + .milliseconds(4))
            #expect(!batch.isEmpty)
            var (found, times): ([[UInt8]], [MediaTime]) = ([], [])
            batch.deliver(
                to: PacketTap { packet, time in
                    found.append(packet.array)
                    times.append(time)
                })
            #expect(found == made + [[9]] && times == (0...4).map { .zero + .milliseconds($0) })
            #expect(batch.isEmpty)
        }
    }
}
