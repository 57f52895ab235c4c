import RillCore
import RillSend
import RillSession
import Testing

@testable import Rill

/// Layers that share a stream.
@Suite struct SentLayersTests {
    private func frame(_ number: Int64, isKey: Bool = false, at milliseconds: Int) -> EncodedFrame {
        EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: number,
            references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey, resolution: .vga,
            captureTime: .zero + .milliseconds(milliseconds), byteCount: 100)
    }

    private func stream() throws -> SendingStreamID {
        try RTPSession(RTPSessionSettings(seed: 1)).send(
            RTPStreamSettings(ssrc: SSRC(1), payloadType: PayloadType(96), canonicalName: "one"))
    }

    @Test func `A stream begins with a key frame, and changes its layer with one`() throws {
        var sent = SentLayers()
        sent.add(try stream(), of: [0, 1])
        #expect(sent.take(frame(40, at: 0), of: 0) == nil)
        #expect(sent.take(frame(41, isKey: true, at: 33), of: 0)?.frame.number == 41)
        #expect(sent.take(frame(7, isKey: true, at: 40), of: 1) == nil)
        #expect(sent.want(1) == true && sent.want(1) == false)
        // Until the other layer has a key frame, this one goes on.
        #expect(sent.take(frame(42, at: 66), of: 0)?.frame.number == 42)
        #expect(sent.take(frame(8, at: 70), of: 1) == nil)
        #expect(sent.stream(of: 0) != nil && sent.stream(of: 1) != nil)
        #expect(sent.take(frame(9, isKey: true, at: 100), of: 1)?.frame.number == 43)
        #expect(sent.stream(of: 0) == nil)
        #expect(sent.take(frame(43, at: 133), of: 0) == nil)
        let next = try #require(sent.take(frame(10, at: 200), of: 1)?.frame)
        #expect(next.number == 44 && next.references == FrameReferences(43))
    }

    @Test func `No picture goes back in time when the layer changes`() throws {
        var sent = SentLayers()
        sent.add(try stream(), of: [0, 1])
        _ = sent.take(frame(0, isKey: true, at: 200), of: 0)
        _ = sent.want(1)
        // The low layer's key frame is of the picture before.
        #expect(sent.take(frame(0, isKey: true, at: 166), of: 1) == nil)
        #expect(sent.take(frame(0, isKey: true, at: 200), of: 1) == nil)
        #expect(sent.take(frame(1, isKey: true, at: 233), of: 1) != nil)
    }

    @Test func `Layers with streams of their own do not touch each other`() throws {
        var sent = SentLayers()
        let session = RTPSession(RTPSessionSettings(seed: 1))
        let ids = try (1...2).map { number in
            try session.send(
                RTPStreamSettings(
                    ssrc: SSRC(UInt32(number)), payloadType: PayloadType(96), canonicalName: "one"))
        }
        for (layer, id) in ids.enumerated() { sent.add(id, of: [layer]) }
        #expect(sent.take(frame(0, isKey: true, at: 0), of: 1)?.stream == ids[1])
        #expect(sent.take(frame(0, isKey: true, at: 0), of: 0)?.stream == ids[0])
        #expect(sent.layer(of: ids[1]) == 1 && sent.want(0) == false && sent.want(2) == nil)
    }
}
