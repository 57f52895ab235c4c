import RillCodec
import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import RillTestSupport
import Testing

/// Real streams of several temporal layers, through packets: what a forwarder may drop by TID alone.
@Suite struct TemporalLayerTests {
    private static let frameCount = 60

    /// The packets of a stream in which a key frame is asked for out of step, and the frames as the encoder told of
    /// them.
    private func stream(
        _ pattern: TemporalPattern, _ codec: VideoCodec = .vp8, mode: ReferenceSignaling = .flexible
    ) throws -> (packets: [[UInt8]], frames: [EncodedFrame]) {
        let resolution = Resolution(width: 176, height: 144)
        let pictures = try TestPictures(resolution)
        var settings = EncoderSettings(codec)
        settings.temporalPattern = pattern
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: .kilobits(300))
        var stream = sampleSettings()
        stream.temporalLayerCount = pattern.layerCount
        stream.maximumPacketByteCount = 300
        stream.referenceSignaling = mode
        var sender = try RTPStreamSender(stream)
        let sink = CollectingSink()
        var frames: [EncodedFrame] = []
        for index in 0..<TemporalLayerTests.frameCount {
            try encoder.encode(pictures.picture(index), isKeyFrame: index == 37) { frame, payload in
                frames.append(frame)
                sender.send(frame, payload: payload, at: frame.captureTime, to: sink)
            }
        }
        return (sink.packets, frames)
    }

    /// The pictures that come out of a decoder, by RTP timestamp.
    private func decode(_ packets: [[UInt8]], _ codec: VideoCodec = .vp8) throws -> [UInt32: [UInt8]] {
        let decoder = try VPXDecoder(codec)
        var (vp8, vp9) = (FrameDepacketizer(.vp8), FrameDepacketizer(.vp9))
        var frame: [UInt8] = []
        var pictures: [UInt32: [UInt8]] = [:]
        for bytes in packets {
            let packet = try RTPPacket(parsing: bytes.span)
            let isComplete =
                codec == .vp8
                ? vp8.insert(packet, into: &frame) == .completed : vp9.insert(packet, into: &frame) == .completed
            guard isComplete else { continue }
            let timestamp = packet.header.timestamp.rawValue
            let outcome = try decoder.decode(frame.span, captureTime: .zero)
            guard case .picture(let picture) = outcome else {
                Issue.record("the frame of \(timestamp) gave \(outcome)")
                continue
            }
            pictures[timestamp] = picture.samples
        }
        return pictures
    }

    /// The temporal layer that a packet says it belongs to.
    private func layer(of bytes: [UInt8], _ codec: VideoCodec) throws -> Int {
        let packet = try RTPPacket(parsing: bytes.span)
        switch codec {
        case .vp8:
            let layer = try VP8Payload(parsing: packet.payload).descriptor.temporalLayer
            return Int(try #require(layer).index)
        default:
            let payload = try VP9Payload(parsing: packet.payload)
            let layer = payload.descriptor.layer
            return Int(try #require(layer).temporalIndex)
        }
    }

    @Test(
        arguments: [TemporalPattern.l1t2, .l1t3],
        [(VideoCodec.vp8, ReferenceSignaling.flexible), (.vp9, .flexible), (.vp9, .nonFlexible)])
    func `Without the packets above a layer the rest decodes to the same pictures`(
        pattern: TemporalPattern, format: (codec: VideoCodec, mode: ReferenceSignaling)
    ) throws {
        let codec = format.codec
        let (packets, frames) = try stream(pattern, codec, mode: format.mode)
        let whole = try decode(packets, codec)
        #expect(whole.count == TemporalLayerTests.frameCount)
        for highest in 0..<pattern.layerCount {
            let kept = try packets.filter { try layer(of: $0, codec) <= highest }
            let pictures = try decode(kept, codec)
            let expected = frames.filter { $0.layer.temporalIndex <= highest }.map { frame in
                UInt32(frame.captureTime.ticks(rate: 90_000))
            }
            #expect(Set(pictures.keys) == Set(expected), "\(format), \(pattern), up to layer \(highest)")
            for timestamp in expected {
                #expect(
                    pictures[timestamp] == whole[timestamp],
                    "\(format), \(pattern), up to layer \(highest), \(timestamp)")
            }
            if highest < pattern.layerCount - 1 { #expect(kept.count < packets.count) }
        }
    }

    @Test(arguments: TemporalPattern.allCases, VideoCodec.allCases)
    func `The encoder reports the pattern, which a key frame restarts`(
        pattern: TemporalPattern, codec: VideoCodec
    ) throws {
        let frames = try stream(pattern, codec).frames
        for (index, frame) in frames.enumerated() {
            let position = index < 37 ? index : index - 37
            let step = pattern.step(at: position)
            let label: Comment = "\(codec) \(pattern) \(index)"
            #expect(frame.isKey == (position == 0), label)
            #expect(frame.layer.temporalIndex == step.temporalIndex, label)
            #expect(frame.isDiscardable == step.isDiscardable && frame.isLayerSync == step.isLayerSync, label)
            let references = (0..<frame.references.count).map { index - Int(frame.references[$0]) }
            #expect(references == (frame.isKey ? [] : step.distances), label)
        }
    }

    @Test func `Non-reference frames really leave no trace`() throws {
        // One layer-2 frame alone is missing: all others stay as they are.
        let packets = try stream(.l1t3).packets
        let whole = try decode(packets)
        let ticks: UInt32 = 3 * 3000
        let pictures = try decode(
            try packets.filter { try RTPPacket(parsing: $0.span).header.timestamp.rawValue != ticks })
        #expect(pictures.count == whole.count - 1)
        #expect(pictures.allSatisfy { timestamp, samples in whole[timestamp] == samples } as Bool)
    }

    @Test func `Frames of layer 1 are referred to by those of layer 2`() throws {
        let (packets, frames) = try stream(.l1t3)
        let whole = try decode(packets)
        let middle = Set(
            frames.filter { $0.layer.temporalIndex == 1 }.map { UInt32($0.captureTime.ticks(rate: 90_000)) })
        let pictures = try decode(
            try packets.filter { !middle.contains(try RTPPacket(parsing: $0.span).header.timestamp.rawValue) })
        // Without them, those that refer to them come out wrong, and only those.
        for (index, frame) in frames.enumerated() where frame.layer.temporalIndex != 1 {
            let timestamp = UInt32(frame.captureTime.ticks(rate: 90_000))
            let refersToMiddle = frame.references.count == 2
            #expect((pictures[timestamp] != whole[timestamp]) == refersToMiddle, "frame \(index)")
        }
    }

    @Test func `The rate stays near its target, and the base layer gets its share`() throws {
        let resolution = Resolution(width: 320, height: 240)
        let source = try TestPictures(resolution, capacity: 20)
        let pictures = (0..<20).map(source.picture)
        for pattern in TemporalPattern.allCases {
            var settings = EncoderSettings()
            settings.temporalPattern = pattern
            let encoder = try VPXEncoder(
                settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: .kilobits(300)
            )
            var bytes = [0, 0, 0]
            for index in 0..<300 {
                var picture = pictures[index % pictures.count]
                picture.captureTime = FrameRate(30).time(ofFrame: index)
                try encoder.encode(picture) { frame, _ in
                    if index >= 60 { bytes[frame.layer.temporalIndex] += frame.byteCount }
                }
            }
            let kilobits = Double(bytes.reduce(0, +)) * 8 / 8000
            #expect((200...360).contains(kilobits), "\(pattern): \(kilobits) kbit/s")
            if pattern != .l1t1 {
                let share = Double(bytes[0]) / Double(bytes.reduce(0, +))
                #expect((0.3...0.75).contains(share), "\(pattern): the base has \(share)")
            }
        }
    }

    @Test func `Too few bits for the layers are refused in words`() {
        var settings = EncoderSettings()
        settings.temporalPattern = .l1t3
        #expect(throws: CodecError.self) {
            _ = try VPXEncoder(
                settings, layer: StreamLayer(rid: .low), resolution: .qqvga, frameRate: 5, bitrate: .kilobits(2))
        }
    }
}
