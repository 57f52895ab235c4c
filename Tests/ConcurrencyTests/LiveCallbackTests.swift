import RillCore
import RillFaces
import RillMediaSupport
import RillRTP
import RillTestSupport
import RillThreads
import Testing

@testable import Rill

/// Callbacks of a pipeline or a receiver may call back: no lock is held while a sink, a tap, an observer or feedback
/// is called. Run under the thread sanitizer by the test script.
@Suite struct LiveCallbackTests {
    private let resolution = Resolution(width: 96, height: 64)

    private func pipeline(_ taps: sending SendTaps = SendTaps()) throws -> SendPipeline {
        var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(400))], seed: 5)
        // Several packets a frame.
        settings.maximumPacketSize = 300
        settings.adaptation = nil
        return try SendPipeline(settings, taps: taps)
    }

    /// Asks a pipeline for everything that it can be asked for.
    private static func use(_ pipeline: SendPipeline, at now: MediaTime) {
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
        _ = pipeline.nextReportTime(at: now)
        pipeline.sendReports(at: now, to: PacketTap { _, _ in })
        let nothing: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        pipeline.receive(nothing.span, at: now, retransmittingTo: PacketTap { _, _ in })
    }

    @Test func `Every tap of a pipeline, its packet sink and its observer may call it`() throws {
        final class Caller: FrameSink, EncodedFrameSink, SendTraceSink, Sendable {
            let pipeline = Monitor<SendPipeline?>(nil)
            let calls = Monitor([String: Int]())

            func call(_ name: String, at now: MediaTime = .zero) {
                calls.withLock { $0[name, default: 0] += 1 }
                if let pipeline = pipeline.withLock({ $0 }) { LiveCallbackTests.use(pipeline, at: now) }
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
        let pipeline = try pipeline(
            SendTaps(captured: captured, preprocessed: preprocessed, encoded: coded, trace: trace))
        let callers = [captured, preprocessed, coded, trace, sent]
        for caller in callers { caller.pipeline.withLock { $0 = pipeline } }
        // They hold what holds them.
        defer { for caller in callers { caller.pipeline.withLock { $0 = nil } } }
        let times = Monitor(0)
        pipeline.layers[0].observe { [weak pipeline] _, _ in
            guard let pipeline else { return }
            times.withLock { $0 += 1 }
            LiveCallbackTests.use(pipeline, at: .zero)
        }
        let source = try LoopedPictures(resolution, frameCount: 12)
        while case .frame(let frame) = source.next() {
            try pipeline.send(
                frame, at: frame.captureTime, to: ConcurrentPacketTap { _, time in sent.call("packet", at: time) })
        }
        try pipeline.finish()
        #expect(captured.calls.withLock { $0 } == ["frame": 12, "finish": 1])
        #expect(preprocessed.calls.withLock { $0 } == ["frame": 12, "finish": 1])
        #expect(coded.calls.withLock { $0 } == ["coded": 12, "finish": 1])
        #expect(trace.calls.withLock { $0 } == ["begin": 1, "trace": 12, "finish": 1])
        #expect(times.withLock { $0 } == 12 && sent.calls.withLock { $0["packet", default: 0] } > 24)
    }

    @Test func `A sink, an observer and feedback may call their receiver, and a sink may remove its stream`() throws {
        final class Screen: FrameSink, Sendable {
            let receiver = Monitor<LiveReceiver?>(nil)
            let (count, removedAt, reports, isFinished) = (Monitor(0), Monitor(0), Monitor(0), Monitor(false))
            let ssrc: SSRC
            init(_ ssrc: SSRC) { self.ssrc = ssrc }

            func consume(_ frame: VideoFrame) throws {
                let receiver = receiver.withLock { $0 }
                _ = (receiver?.statistics(of: ssrc), receiver?.isIdle)
                let count = count.withLock { count in
                    count += 1
                    return count
                }
                // Not before feedback has come, too.
                guard count >= 5, reports.withLock({ $0 }) > 0 else { return }
                removedAt.withLock { $0 = count }
                let statistics = try receiver?.remove(ssrc)
                #expect(statistics?.stream.framesReceived ?? 0 >= 5 && !isFinished.withLock { $0 })
                #expect(receiver?.statistics(of: ssrc) == nil)
            }
            func finish() { isFinished.withLock { $0 = true } }
        }
        let pipeline = try pipeline()
        let ssrc = pipeline.layers[0].ssrc
        let screen = Screen(ssrc)
        let events = Monitor(0)
        let feedback = ConcurrentPacketTap { packet, _ in
            screen.reports.withLock { $0 += 1 }
            guard let receiver = screen.receiver.withLock({ $0 }) else { return }
            _ = (receiver.isIdle, receiver.statistics(of: ssrc))
            receiver.insert(packet)
        }
        let receiver = LiveReceiver(feedback: feedback)
        screen.receiver.withLock { $0 = receiver }
        var buffer = JitterBufferSettings(ssrc: ssrc, payloadType: pipeline.settings.payloadType)
        buffer.playoutDelay = .fixed(.zero)
        var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1))
        settings.reportInterval = .milliseconds(10)
        settings.observer = { _, _ in
            events.withLock { $0 += 1 }
            guard let receiver = screen.receiver.withLock({ $0 }) else { return }
            _ = (receiver.isIdle, receiver.statistics(of: ssrc))
        }
        try receiver.add(settings, sink: screen)
        let packets = ConcurrentPacketTap { packet, _ in receiver.insert(packet) }
        let source = try LoopedPictures(resolution, frameCount: 1000)
        let deadline = receiver.clock.now + .seconds(30)
        while case .frame(let frame) = source.next(), !screen.isFinished.withLock({ $0 }),
            receiver.clock.now < deadline
        {
            try pipeline.send(frame, at: receiver.clock.now, to: packets)
            LiveClock.pause()
        }
        #expect(screen.isFinished.withLock { $0 } && events.withLock { $0 } >= 5)
        // None came after it.
        #expect(screen.count.withLock { $0 } == screen.removedAt.withLock { $0 })
        try receiver.stop()
        screen.receiver.withLock { $0 = nil }
    }

    @Test func `What a sink throws after it removed its stream is thrown when the receiver stops`() throws {
        struct DiskFull: Error {}
        final class Leaver: FrameSink, Sendable {
            let receiver = Monitor<LiveReceiver?>(nil)
            let isFinished = Monitor(false)
            let ssrc: SSRC
            init(_ ssrc: SSRC) { self.ssrc = ssrc }
            func consume(_ frame: VideoFrame) throws {
                let receiver = receiver.withLock { $0.take() }
                try receiver?.remove(ssrc)
                throw DiskFull()
            }
            func finish() { isFinished.withLock { $0 = true } }
        }
        let pipeline = try pipeline()
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let leaver = Leaver(pipeline.layers[0].ssrc)
        leaver.receiver.withLock { $0 = receiver }
        let buffer = JitterBufferSettings(
            ssrc: leaver.ssrc, payloadType: pipeline.settings.payloadType, playoutDelay: .fixed(.zero))
        try receiver.add(ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1)), sink: leaver)
        let frame = try TestPictures(resolution).picture(0)
        let packets = ConcurrentPacketTap { packet, _ in receiver.insert(packet) }
        try pipeline.send(frame, at: receiver.clock.now, to: packets)
        let deadline = receiver.clock.now + .seconds(30)
        while !leaver.isFinished.withLock({ $0 }), receiver.clock.now < deadline { LiveClock.pause() }
        #expect(leaver.isFinished.withLock { $0 })
        #expect(throws: DiskFull.self) { try receiver.stop() }
        try receiver.stop()
    }

    @Test func `On one thread, feedback that is answered at once is received at once`() throws {
        let pipeline = try pipeline()
        let layer = pipeline.layers[0]
        var settings = try ReceiveSettings(layer.description, ssrc: SSRC(1))
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
            pipeline.receive(packet, at: time, retransmittingTo: way)
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
                if step == 0 { try pipeline.send(frame, at: now, to: way) }
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
        let pipeline = try SendPipeline(settings)
        let clock = LiveClock()
        let numbers = Monitor([SSRC: [SequenceNumber]]())
        let packets = ConcurrentPacketTap { packet, _ in
            guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header else { return }
            numbers.withLock { $0[header.ssrc, default: []].append(header.sequenceNumber) }
        }
        let high = pipeline.layers[0]
        let isOver = Monitor(false)
        // Asks for the newest packets again and again, as the receiver's thread does.
        let asker = NamedThread("asker") {
            while !isOver.withLock({ $0 }) {
                let newest = numbers.withLock { $0[high.ssrc]?.suffix(8) } ?? []
                guard !newest.isEmpty else { continue }
                let lost = Array(newest)
                let request = [UInt8](capacity: GenericNACK.byteCount(lost: lost.span)) { output in
                    GenericNACK.write(lost: lost.span, of: high.ssrc, from: SSRC(1), into: &output)
                }
                pipeline.receive(request.span, at: clock.now, retransmittingTo: packets)
                clock.sleep(until: clock.now + .microseconds(500))
            }
        }
        let again = try #require(high.description.repair.retransmission?.ssrc)
        // A second, and more until both threads have sent enough.
        let source = try EndingPictures(resolution, frameRate: 240, frameCounts: 240...(240 * 60)) {
            numbers.withLock { $0[high.ssrc]?.count ?? 0 > 240 && $0[again]?.count ?? 0 > 20 }
        }
        let sender = LiveSender(pipeline, source: source, packets: packets, clock: clock)
        try sender.waitUntilFinished()
        isOver.change { $0 = true }
        asker.join()
        let found = numbers.withLock { $0 }
        #expect(found[high.ssrc]?.count ?? 0 > 240 && found[again]?.count ?? 0 > 20)
        for (ssrc, numbers) in found {
            let isInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0.next }
            #expect(isInOrder, "\(ssrc)")
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
