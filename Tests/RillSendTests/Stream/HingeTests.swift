import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

/// What the encoder tells of its frames, carried over the wire and back by the jitter buffer.
@Suite struct HingeTests {
    private static let frameCount: Int64 = 60

    /// Frames of a pattern, the 38th a key frame, and the packets that they make.
    private func stream(_ pattern: TemporalPattern) throws -> (frames: [EncodedFrame], packets: [[[UInt8]]]) {
        var settings = sampleSettings()
        settings.temporalLayerCount = pattern.layerCount
        settings.maximumPacketByteCount = 200
        settings.firstPictureID = 32750
        settings.firstTL0PictureIndex = 250
        settings.firstSequenceNumber = SequenceNumber(65500)
        var sender = try RTPStreamSender(settings)
        var frames: [EncodedFrame] = []
        var packets: [[[UInt8]]] = []
        for number in 0..<HingeTests.frameCount {
            let position = Int(number < 37 ? number : number - 37)
            let step = pattern.step(at: position)
            var frame = EncodedFrame.sample(
                number, temporalIndex: step.temporalIndex, isDiscardable: step.isDiscardable,
                isLayerSync: step.isLayerSync)
            frame.isKey = position == 0
            frame.references = FrameReferences()
            if position > 0 { for distance in step.distances { frame.references.append(number - Int64(distance)) } }
            let header = VP8FrameHeader(
                firstPartitionByteCount: 10, keyFrame: frame.isKey ? .init(width: 160, height: 120) : nil)
            let bytes = [UInt8](capacity: 400) { output in
                header.write(into: &output)
                output.append(repeating: UInt8(number), count: 350)
            }
            let sink = CollectingSink()
            sender.send(frame, payload: bytes.span, at: frame.captureTime, to: sink)
            frames.append(frame)
            packets.append(sink.packets)
        }
        return (frames, packets)
    }

    /// The frames that a jitter buffer releases, and how often it asks for a key frame.
    private func receive(
        _ stream: (frames: [EncodedFrame], packets: [[[UInt8]]]), upTo highest: Int
    ) -> (frames: [EncodedFrame], requests: Int) {
        var buffer = JitterBuffer(JitterBufferSettings(ssrc: sampleSSRC, payloadType: PayloadType(96)))
        var payload: [UInt8] = []
        var frames: [EncodedFrame] = []
        var requests = 0
        var wake = MediaTime.distantFuture
        func poll(at now: MediaTime) {
            while true {
                switch buffer.poll(at: now, into: &payload) {
                case .frame: frames.append(buffer.releasedFrame.frame)
                case .requestKeyFrame: requests += 1
                case .requestPackets: break
                case .wait(let time):
                    wake = time
                    return
                }
            }
        }
        for (frame, packets) in zip(stream.frames, stream.packets) where frame.layer.temporalIndex <= highest {
            let now = frame.captureTime + .milliseconds(20)
            while wake < now { poll(at: wake) }
            for packet in packets { _ = buffer.insert(packet.span, at: now) }
            poll(at: now)
        }
        while wake < .zero + .seconds(10) { poll(at: wake) }
        return (frames, requests)
    }

    private func references(_ frame: EncodedFrame) -> [Int64] {
        (0..<frame.references.count).map { frame.number - frame.references[$0] }.sorted()
    }

    @Test(arguments: TemporalPattern.allCases)
    func `The encoder's description of a frame is received`(pattern: TemporalPattern) throws {
        let stream = try stream(pattern)
        let received = receive(stream, upTo: 2)
        #expect(received.requests == 0 && received.frames.count == stream.frames.count)
        for (sent, got) in zip(stream.frames, received.frames) {
            let label: Comment = "\(pattern) \(sent.number)"
            #expect(got.layer.temporalIndex == sent.layer.temporalIndex && got.isKey == sent.isKey, label)
            #expect(got.isDiscardable == sent.isDiscardable && got.byteCount == 350 + (sent.isKey ? 10 : 3), label)
            #expect(got.number - received.frames[0].number == sent.number, label)
            #expect(references(got) == references(sent), label)
            #expect(got.captureTime - received.frames[0].captureTime == sent.captureTime - .zero, label)
        }
    }

    @Test(arguments: [TemporalPattern.l1t2, .l1t3])
    func `Without the packets above a layer all others are released`(pattern: TemporalPattern) throws {
        let stream = try stream(pattern)
        for highest in 0..<pattern.layerCount {
            let received = receive(stream, upTo: highest)
            let expected = stream.frames.filter { $0.layer.temporalIndex <= highest }
            let numbers = received.frames.map { $0.number - (received.frames.first?.number ?? 0) }
            #expect(numbers == expected.map { $0.number }, "\(pattern), up to layer \(highest)")
            #expect(received.requests == 0, "\(pattern), up to layer \(highest)")
        }
    }
}
