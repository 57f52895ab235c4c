import RillCore
import RillFiles
import RillImage
import RillMediaSupport
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// VP9 says of its pictures how they are to be read. A stream of somebody else's may say what Rill's never does.
@Suite struct ReceivedRangeTests {
    private let folder = TemporaryFolder()
    private let resolution = Resolution(width: 160, height: 128)

    /// A VP9 clip of 30 frames, a key frame every tenth, of which those are said to be in full range.
    private func clip(fullFrom first: Int, to end: Int) throws -> String {
        var settings = EncoderSettings(.vp9)
        settings.maximumKeyFrameInterval = 10
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: .kilobits(200))
        let path = folder.path("\(first)-\(end).ivf")
        let file = try IVFWriter(path: path, codec: .vp9, resolution: resolution)
        let source = try LoopedPictures(resolution, frameCount: 30)
        var count = 0
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { coded, payload in
                var bytes = payload.array
                // color_range: the 36th bit of a key frame (VP9 bitstream specification, section 6.2).
                if coded.isKey, (first..<end).contains(count) { bytes[4] |= 0x10 }
                try file.consume(coded, payload: bytes.span)
            }
            count += 1
        }
        try file.finish()
        return path
    }

    private func frames(_ source: any FrameSource) throws -> [VideoFrame] {
        var frames: [VideoFrame] = []
        while case .frame(let frame) = try source.next() {
            frames.append(try existing(frame.copied(into: FramePool(resolution: resolution, capacity: 1))))
        }
        return frames
    }

    @Test(arguments: [(0, 30), (10, 20)])
    func `A decoded clip has the stream's color range, and follows its changes`(first: Int, end: Int) throws {
        let clip = try DecodedSource(path: clip(fullFrom: first, to: end))
        #expect(clip.colorSpace == ColorSpace(range: first == 0 ? .full : .limited))
        let decoded = try frames(clip)
        #expect(decoded.map(\.colorSpace.range) == (0..<30).map { first..<end ~= $0 ? .full : .limited })
        let converted = try frames(I420Source(PreparedPictures(decoded)))
        #expect(converted.map(\.samples) == (try reduced(PreparedPictures(decoded))).map(\.samples))
        #expect(converted.allSatisfy { $0.colorSpace == .bt601 })
    }

    @Test func `A receiver's sink gets only limited range`() throws {
        let clip = try CodedClip(path: clip(fullFrom: 10, to: 20))
        var settings = ReceiveSettings(
            jitterBuffer: JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType, codec: .vp9),
            ssrc: SSRC(0x1000))
        settings.pictureCapacity = 4
        var shown: [[UInt8]] = []
        let screen = FrameTap { frame in
            #expect(frame.colorSpace == .bt601 && frame.timestamps[.decoded] != nil)
            shown.append(frame.samples)
        }
        let receiver = try ReceivePipeline(settings, sink: screen, feedback: PacketTap { _, _ in })
        for (packets, time) in zip(clip.packets, clip.times) {
            for packet in packets { receiver.insert(packet.span, at: time) }
            _ = try receiver.poll(at: time)
        }
        _ = try receiver.poll(at: .zero + .seconds(3))
        let expected = try reduced(DecodedSource(path: clip.path)).map(\.samples)
        #expect(shown.count == 30 && shown == expected)
    }

    @Test func `Pictures that find no buffer for their conversion are counted, and break nothing`() throws {
        let clip = try CodedClip(path: clip(fullFrom: 0, to: 30))
        var settings = ReceiveSettings(
            jitterBuffer: JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType, codec: .vp9),
            ssrc: SSRC(0x1000))
        settings.pictureCapacity = 4
        let kept = FrameCollection()
        var requests = 0
        let receiver = try ReceivePipeline(
            settings, sink: kept, feedback: PacketTap { packet, _ in requests += isKeyFrameRequest(packet) ? 1 : 0 })
        for (packets, time) in zip(clip.packets, clip.times) {
            for packet in packets { receiver.insert(packet.span, at: time) }
            _ = try receiver.poll(at: time)
        }
        _ = try receiver.poll(at: .zero + .seconds(3))
        #expect(kept.frames.count == 4 && requests == 0)
        #expect(receiver.statistics.decoder.framesDecoded == 30)
        #expect(receiver.statistics.decoder.picturesWithoutBuffer == 26)
    }
}
