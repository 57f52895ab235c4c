import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

/// Frames of a codec that Rill does not know, through the sender and the jitter buffer.
struct OwnPayloadTests {
    static let codec: VideoCodec = "x-own"
    static let frameCount: Int64 = 80

    /// Frames whose numbers wrap on the wire, the 41st a key frame; without references each needs the one before it.
    private func frames(_ pattern: TemporalPattern, namesReferences: Bool) -> [EncodedFrame] {
        (0..<OwnPayloadTests.frameCount).map { number in
            let position = Int(number % 40)
            let step = pattern.step(at: position)
            var frame = EncodedFrame.sample(
                number, temporalIndex: step.temporalIndex, isDiscardable: step.isDiscardable)
            frame.codec = OwnPayloadTests.codec
            frame.isKey = position == 0
            frame.references = FrameReferences()
            if position > 0, namesReferences {
                for distance in step.distances { frame.references.append(number - Int64(distance)) }
            }
            return frame
        }
    }

    private func bytes(of number: Int64) -> [UInt8] {
        (0..<500).map { UInt8(truncatingIfNeeded: number &* 31 &+ Int64($0)) }
    }

    private func packets(
        of frames: [EncodedFrame], _ format: PayloadFormat = .numbered
    ) throws -> [[[UInt8]]] {
        var settings = sampleSettings()
        settings.payloadFormat = format
        settings.maximumPacketByteCount = 200
        settings.firstPictureID = 32700
        settings.firstSequenceNumber = SequenceNumber(65500)
        var sender = try RTPStreamSender(settings)
        return frames.map { frame in
            let sink = CollectingSink()
            let payload = bytes(of: frame.number)
            sender.send(frame, payload: payload.span, at: frame.captureTime, to: sink)
            return sink.packets
        }
    }

    private struct Received {
        var frames: [EncodedFrame] = []
        var payloads: [[UInt8]] = []
        var keyFrameRequests = 0
        var requestedPackets: Set<SequenceNumber> = []
        var malformed = 0
    }

    private func receive(
        _ packets: [[[UInt8]]], _ format: PayloadFormat = .numbered, nack: NACKSettings? = NACKSettings(),
        keeping isKept: (_ frame: Int, _ packet: Int) -> Bool = { _, _ in true }
    ) -> Received {
        var settings = JitterBufferSettings(
            ssrc: sampleSSRC, payloadType: PayloadType(96), codec: OwnPayloadTests.codec, nack: nack)
        settings.payloadFormat = format
        var buffer = JitterBuffer(settings)
        var received = Received()
        var payload: [UInt8] = []
        var wake = MediaTime.distantFuture
        func poll(at now: MediaTime) {
            while true {
                switch buffer.poll(at: now, into: &payload) {
                case .frame:
                    received.frames.append(buffer.releasedFrame.frame)
                    received.payloads.append(payload)
                case .requestKeyFrame: received.keyFrameRequests += 1
                case .requestPackets: received.requestedPackets.formUnion(buffer.requestedPackets)
                case .wait(until: let time):
                    wake = time
                    return
                }
            }
        }
        for (index, frame) in packets.enumerated() {
            let now = MediaTime(ticks: Int64(index) * 3000, rate: 90_000)
            while wake < now { poll(at: wake) }
            for (place, packet) in frame.enumerated() where isKept(index, place) {
                if case .malformed = buffer.insert(packet.span, at: now) { received.malformed += 1 }
            }
            poll(at: now)
        }
        let end = MediaTime(ticks: (OwnPayloadTests.frameCount + 30) * 3000, rate: 90_000)
        while wake < end { poll(at: wake) }
        return received
    }

    @Test(arguments: TemporalPattern.allCases, [true, false])
    func `The encoder's values arrive`(pattern: TemporalPattern, namesReferences: Bool) throws {
        let frames = frames(pattern, namesReferences: namesReferences)
        let received = receive(try packets(of: frames))
        #expect(received.frames.count == frames.count && received.keyFrameRequests == 0)
        let first = try #require(received.frames.first?.number)
        for (sent, got) in zip(frames, received.frames) {
            #expect(got.codec == OwnPayloadTests.codec && got.number - first == sent.number)
            #expect(got.isKey == sent.isKey && got.isDiscardable == sent.isDiscardable, "frame \(sent.number)")
            #expect(got.resolution == sent.resolution && got.byteCount == 500)
            guard namesReferences else { continue }
            #expect(got.layer.temporalIndex == sent.layer.temporalIndex)
            #expect(
                (0..<got.references.count).map { got.references[$0] - first }
                    == (0..<sent.references.count).map { sent.references[$0] }, "frame \(sent.number)")
        }
        #expect(received.payloads == frames.map { bytes(of: $0.number) })
    }

    @Test func `A lost frame of the top layer breaks nothing`() throws {
        let frames = frames(.l1t2, namesReferences: true)
        // Frame 5 is of the upper layer, so no frame refers to it.
        let received = receive(try packets(of: frames), nack: nil) { frame, _ in frame != 5 }
        #expect(received.frames.count == frames.count - 1 && received.keyFrameRequests == 0)
    }

    @Test(arguments: [true, false])
    func `A lost base frame breaks the chain until the next key frame`(namesReferences: Bool) throws {
        let frames = frames(.l1t1, namesReferences: namesReferences)
        let received = receive(try packets(of: frames), nack: nil) { frame, packet in frame != 10 || packet != 1 }
        let first = try #require(received.frames.first?.number)
        #expect(received.frames.map { Int($0.number - first) } == Array(0..<10) + Array(40..<80))
        #expect(received.keyFrameRequests > 0)
    }

    @Test func `What is missing is NACKed`() throws {
        let packets = try packets(of: frames(.l1t1, namesReferences: true))
        let received = receive(packets) { frame, packet in frame != 10 || packet != 1 }
        let missing = packets[10][1]
        let number = try RTPPacket(parsing: missing.span).header.sequenceNumber
        #expect(received.requestedPackets.contains(number))
    }

    /// A format in which frames are not numbered.
    @Test func `An app's own format is used`() throws {
        let plain = PayloadFormat("plain") { frame, isFirst, bytes in
            bytes.append((isFirst ? 0x80 : 0) | (frame.isKey ? 0x40 : 0))
        } parse: { payload throws(RTPError) in
            guard payload.count > 1 else { throw .truncated(needed: 2, available: payload.count) }
            let frame = PayloadFrame(isKey: payload[0] & 0x40 != 0, width: 160, height: 120)
            return PayloadPiece(frame, startsFrame: payload[0] & 0x80 != 0, offset: 1)
        }
        let frames = frames(.l1t1, namesReferences: true)
        let received = receive(try packets(of: frames, plain), plain)
        #expect(received.payloads == frames.map { bytes(of: $0.number) })
        let lossy = receive(try packets(of: frames, plain), plain, nack: nil) { frame, _ in frame != 10 }
        #expect(lossy.payloads == (Array(0..<10) + Array(40..<80)).map { bytes(of: $0) })
    }

    /// Values of a format that are outside of the packet, or without a size, cause no harm.
    @Test(arguments: [-1, 0, 1, 150, 100_000])
    func `A format with invalid values only loses frames`(offset: Int) throws {
        let format = PayloadFormat("nonsense") { _, _, bytes in
            bytes.append(0)
        } parse: { payload throws(RTPError) in
            let frame = PayloadFrame(number: UInt16(payload[0]), isKey: true)
            return PayloadPiece(frame, startsFrame: true, offset: offset)
        }
        let received = receive(try packets(of: frames(.l1t1, namesReferences: true), format), format)
        #expect(received.frames.isEmpty)
    }

    @Test func `Mutated packets cause no harm`() throws {
        let packets = try packets(of: frames(.l1t3, namesReferences: true))
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let mutated = packets.map { frame in
                frame.map { packet in
                    var packet = packet
                    for _ in 0..<Int.random(in: 0...2, using: &random) {
                        // Behind the RTP header.
                        packet[Int.random(in: 12..<min(24, packet.count), using: &random)] = UInt8.random(
                            in: .min ... .max, using: &random)
                    }
                    return packet
                }
            }
            let received = receive(mutated)
            #expect(received.frames.count <= packets.count * 4)
        }
    }
}
