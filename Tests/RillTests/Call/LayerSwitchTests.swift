import RillCore
import RillSend
import RillSession
import Testing

@testable import Rill

/// Layers that share a stream.
@Suite struct LayerSwitchTests {
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
        var sent = [LayerSwitch(try stream(), of: [0, 1])]
        #expect(sent.taken(frame(40, at: 0), of: 0) == nil)
        #expect(sent.taken(frame(41, isKey: true, at: 33), of: 0)?.number == 41)
        #expect(sent.taken(frame(7, isKey: true, at: 40), of: 1) == nil)
        #expect(sent.want(1) == true && sent.want(1) == false)
        // Until the other layer has a key frame, this one goes on.
        #expect(sent.taken(frame(42, at: 66), of: 0)?.number == 42)
        #expect(sent.taken(frame(8, at: 70), of: 1) == nil)
        #expect(sent.stream(of: 0) != nil && sent.stream(of: 1) != nil)
        #expect(sent.taken(frame(9, isKey: true, at: 100), of: 1)?.number == 43)
        #expect(sent.stream(of: 0) == nil)
        #expect(sent.taken(frame(43, at: 133), of: 0) == nil)
        let next = sent.taken(frame(10, at: 200), of: 1)
        #expect(next?.number == 44 && next?.references == FrameReferences(43))
    }

    @Test func `No picture goes back in time when the layer changes, and another key frame is asked for`() throws {
        var sent = [LayerSwitch(try stream(), of: [0, 1])]
        _ = sent.take(frame(0, isKey: true, at: 200), of: 0)
        _ = sent.want(1)
        // The low layer's key frame is of the picture before, or of the same one.
        for time in [166, 200] {
            guard case .needsKeyFrame = sent.take(frame(0, isKey: true, at: time), of: 1) else {
                Issue.record("no other key frame is asked for")
                return
            }
        }
        let next = sent.taken(frame(1, isKey: true, at: 233), of: 1)
        #expect(next?.number == 1)
    }

    @Test func `Layers with streams of their own do not touch each other`() throws {
        var sent: [LayerSwitch] = []
        let session = RTPSession(RTPSessionSettings(seed: 1))
        let ids = try (1...2).map { number in
            try session.send(
                RTPStreamSettings(
                    ssrc: SSRC(UInt32(number)), payloadType: PayloadType(96), canonicalName: "one"))
        }
        for (layer, id) in ids.enumerated() { sent.append(LayerSwitch(id, of: [layer])) }
        for layer in [1, 0] {
            guard case .frame(_, on: ids[layer]) = sent.take(frame(0, isKey: true, at: 0), of: layer) else {
                Issue.record("layer \(layer) is not on its stream")
                return
            }
        }
        #expect(sent.layer(of: ids[1]) == 1 && sent.want(0) == false && sent.want(2) == nil)
    }
}

extension [LayerSwitch] {
    /// The frame that is sent.
    fileprivate mutating func taken(_ frame: EncodedFrame, of layer: Int) -> EncodedFrame? {
        if case .frame(let frame, _) = take(frame, of: layer) { frame } else { nil }
    }
}
