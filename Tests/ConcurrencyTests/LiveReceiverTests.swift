import RillCore
import RillMediaSupport
import RillRTP
import RillTestSupport
import Testing

@testable import Rill

/// Many streams on few decoding threads. Run under the thread sanitizer by the test script, so sizes are small and
/// nothing depends on how fast the machine is.
@Suite struct LiveReceiverTests {
    private let resolution = Resolution(width: 96, height: 64)

    /// A participant: sends pictures of its own, and has a screen where they are received.
    private struct Participant {
        let pipeline: SendPipeline
        let screen = PictureRecording()
        var ssrc: SSRC { pipeline.layers[0].ssrc }

        init(_ resolution: Resolution, seed: UInt64) throws {
            pipeline = try SendPipeline(
                SendSettings(layers: [.high(resolution, bitrate: .kilobits(100))], seed: seed))
        }

        func receive(with receiver: LiveReceiver, sink: sending (any FrameSink)? = nil) throws {
            var buffer = JitterBufferSettings(ssrc: ssrc, payloadType: pipeline.settings.payloadType)
            // Longer than a busy machine keeps a thread waiting: tests count on every picture being shown.
            buffer.playoutDelay = .fixed(.milliseconds(400))
            try receiver.add(ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1)), sink: sink ?? screen)
        }
    }

    private func participants(_ count: Int) throws -> [Participant] {
        try (0..<count).map { try Participant(resolution, seed: UInt64($0)) }
    }

    /// All of them send pictures at the same time, and what was sent is shown when this returns.
    private func call(
        _ participants: [Participant], to receiver: LiveReceiver, frameCount: Int, isShown: (() -> Bool)? = nil
    ) throws {
        let packets = ConcurrentPacketTap { packet, _ in receiver.insert(packet) }
        let source = try LoopedPictures(resolution, frameCount: frameCount)
        let start = receiver.clock.now
        while case .frame(var frame) = source.next() {
            frame.captureTime = start + (frame.captureTime - MediaTime.zero)
            receiver.clock.sleep(until: frame.captureTime)
            for participant in participants {
                try participant.pipeline.send(frame, at: receiver.clock.now, to: packets)
            }
        }
        let deadline = receiver.clock.now + .seconds(20)
        while !(isShown?() ?? receiver.isIdle), receiver.clock.now < deadline { LiveClock.pause() }
    }

    @Test(arguments: [(6, 2), (24, 1)])
    func `Many streams share the decoding threads`(count: Int, threadCount: Int) throws {
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in }, threadCount: threadCount)
        let participants = try participants(count)
        for participant in participants { try participant.receive(with: receiver) }
        try call(participants, to: receiver, frameCount: 20)
        try receiver.stop()
        for participant in participants {
            let statistics = try #require(receiver.statistics(of: participant.ssrc))
            #expect(statistics.decoder.framesDecoded == 20)
            #expect(participant.screen.isFinished && participant.screen.checksums.count == statistics.framesShown)
        }
        #expect(receiver.statistics(of: SSRC(0xFFFF_FFFF)) == nil)
    }

    @Test func `Streams come and go, and the others are shown meanwhile`() throws {
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let participants = try participants(4)
        for participant in participants.prefix(3) { try participant.receive(with: receiver) }
        try call(Array(participants.prefix(3)), to: receiver, frameCount: 6)
        let gone = participants[1]
        let statistics = try #require(try receiver.remove(gone.ssrc))
        #expect(statistics.decoder.framesDecoded == 6)
        #expect(gone.screen.isFinished && gone.screen.checksums.count == statistics.framesShown)
        // It replaces the removed one, whose packets now belong to no stream.
        try participants[3].receive(with: receiver)
        try call(participants, to: receiver, frameCount: 10)
        #expect(receiver.statistics(of: gone.ssrc) == nil)
        #expect(gone.screen.checksums.count == statistics.framesShown)
        #expect(try receiver.remove(gone.ssrc) == nil)
        try receiver.stop()
        for (participant, count) in [(participants[0], 16), (participants[2], 16), (participants[3], 10)] {
            let statistics = try #require(receiver.statistics(of: participant.ssrc))
            #expect(statistics.decoder.framesDecoded == count)
            #expect(participant.screen.isFinished)
        }
    }

    @Test func `A stream whose sink has failed is left alone, and its neighbours are shown`() throws {
        struct DiskFull: Error {}
        final class FullDisk: FrameSink, Sendable {
            let count = Monitor(0)
            func consume(_ frame: VideoFrame) throws {
                count.withLock { $0 += 1 }
                throw DiskFull()
            }
            func finish() {}
        }
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let (participants, disk) = (try participants(3), FullDisk())
        try participants[0].receive(with: receiver)
        try participants[1].receive(with: receiver, sink: disk)
        try participants[2].receive(with: receiver)
        let others = [participants[0], participants[2]]
        // The failed one's packets are kept, and its pictures are asked for no more: it is never idle.
        try call(participants, to: receiver, frameCount: 15) {
            others.allSatisfy { $0.screen.checksums.count == 15 }
        }
        #expect(throws: DiskFull.self) { try receiver.stop() }
        #expect(disk.count.withLock { $0 } == 1)
        #expect(others.map(\.screen.checksums.count) == [15, 15])
        #expect(others.map(\.screen.isFinished) == [true, true])
    }

    @Test func `Packets count even without a complete frame`() throws {
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        let buffer = JitterBufferSettings(ssrc: SSRC(7), payloadType: PayloadType(96))
        try receiver.add(ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1)), sink: PictureRecording())
        // The start of a key frame (S bit, then a payload) whose end never comes.
        let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0x10, 0x00]
        let isOfAStream = receiver.insert(packet.span)
        #expect(isOfAStream)
        #expect(receiver.statistics(of: SSRC(7))?.stream.packetsReceived == 1)
        try receiver.stop()
    }

    @Test func `Every sink is finished though one has failed`() throws {
        struct DiskFull: Error {}
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        final class FullDisk: FrameSink, Sendable {
            func consume(_ frame: VideoFrame) {}
            func finish() throws { throw DiskFull() }
        }
        let screen = PictureRecording()
        for (ssrc, sink) in [(SSRC(1), FullDisk() as any FrameSink & Sendable), (SSRC(2), screen)] {
            let buffer = JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96))
            try receiver.add(ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(9)), sink: sink)
        }
        #expect(throws: DiskFull.self) { try receiver.stop() }
        #expect(screen.isFinished)
    }

    // MARK: What the other side chooses

    @Test func `A source already in use is rejected, and nothing else changes`() throws {
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in })
        func settings(_ ssrc: UInt32, again: UInt32?, payloadType: UInt8 = 97) -> ReceiveSettings {
            let buffer = JitterBufferSettings(ssrc: SSRC(ssrc), payloadType: PayloadType(96))
            var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(9))
            settings.repair.retransmission = again.map {
                RepairSettings.Retransmission(ssrc: SSRC($0), payloadType: PayloadType(payloadType))
            }
            return settings
        }
        let (first, refused) = (PictureRecording(), PictureRecording())
        try receiver.add(settings(1, again: 2), sink: first)
        // As a stream, as its retransmissions, each against each; and a stream that would be its own retransmissions.
        for (ssrc, again, taken) in [(1, nil, 1), (2, nil, 2), (3, 1, 1), (3, 2, 2), (1, 2, 1), (3, 3, 3)]
            as [(UInt32, UInt32?, UInt32)]
        {
            #expect(throws: PipelineError.receive(.sourceInUse(SSRC(taken))), "\(ssrc) \(String(describing: again))") {
                try receiver.add(settings(ssrc, again: again), sink: refused)
            }
        }
        #expect(throws: PipelineError.receive(.payloadTypeInUse(PayloadType(96)))) {
            try receiver.add(settings(4, again: 5, payloadType: 96), sink: refused)
        }
        #expect(throws: PipelineError.receive(.sourceInUse(SSRC(2)))) {
            _ = try receiver.pictures(settings(2, again: nil))
        }
        #expect(receiver.statistics(of: SSRC(3)) == nil && receiver.statistics(of: SSRC(1)) != nil)
        // What was refused left no trace: its sources are free, those of a stream that goes become so.
        try receiver.add(settings(3, again: 4), sink: PictureRecording())
        try receiver.remove(SSRC(1))
        try receiver.add(settings(2, again: 1), sink: PictureRecording())
        try receiver.stop()
        #expect(first.isFinished && !refused.isFinished)
    }

    @Test func `Each packet of a bundled compound reaches its stream`() throws {
        let echoes = Monitor([SSRC: NTPShort]())
        let feedback = ConcurrentPacketTap { packet, _ in
            var compound = RTCPCompound(packet)
            while let packet = try? compound.next() {
                guard case .receiverReport(let report) = try? RTCPMessage(parsing: packet) else { continue }
                for index in report.blocks.indices {
                    guard let echo = report.blocks[index].lastSenderReport else { continue }
                    echoes.withLock { $0[report.blocks[index].ssrc] = echo }
                }
            }
        }
        let receiver = LiveReceiver(feedback: feedback, threadCount: 2)
        let sources = (1...3).map { SSRC(UInt32($0)) }
        for source in sources {
            let buffer = JitterBufferSettings(ssrc: source, payloadType: PayloadType(96))
            var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(source.rawValue + 100))
            settings.reportInterval = .milliseconds(20)
            try receiver.add(settings, sink: PictureRecording())
        }
        // The reports of three sources and of an unknown one, in one datagram.
        let order = [SSRC(77)] + sources
        let compound = [UInt8](capacity: 28 * order.count) { output in
            for ssrc in order {
                SenderReport(
                    ssrc: ssrc, ntpTimestamp: NTPTimestamp(seconds: ssrc.rawValue, fraction: 0),
                    rtpTimestamp: RTPTimestamp(0), packetCount: 1, octetCount: 1, blocks: WireList()
                ).write(into: &output)
            }
        }
        let deadline = receiver.clock.now + .seconds(20)
        var number: UInt8 = 0
        while echoes.withLock({ $0.count }) < 3, receiver.clock.now < deadline {
            let isTaken = receiver.insert(compound.span)
            try #require(isTaken)
            for source in sources {
                // Reports are due to who sends.
                let packet: [UInt8] = [0x80, 96, 0, number, 0, 0, 0, 0, 0, 0, 0, UInt8(source.rawValue), 0x10, 0]
                receiver.insert(packet.span)
            }
            number &+= 1
            LiveClock.pause()
        }
        try receiver.stop()
        for source in sources {
            #expect(
                echoes.withLock { $0[source] } == NTPTimestamp(seconds: source.rawValue, fraction: 0).short, "\(source)"
            )
        }
        let unknownPeer = receiver.insert(compound.span.extracting(0..<28))
        #expect(!unknownPeer)
    }
}
