import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

/// A sink that keeps every frame, through the receiving pipeline.
@Suite struct KeepingSinkTests {
    @Test func `A sink that keeps every picture stops nothing but itself`() throws {
        let sender = try PacketSender(
            SendSettings(layers: [.high(.qqvga, bitrate: .kilobits(200))], seed: 7))
        let buffer = JitterBufferSettings(
            ssrc: sender.ssrc(of: .high), payloadType: sender.pipeline.settings.payloadType(for: .default))
        var settings = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(0x1000))
        settings.pictureCapacity = 4
        var (shown, requests) = (0, 0)
        var kept: [VideoFrame]? = []
        let screen = FrameTap { frame in
            shown += 1
            kept?.append(frame)
        }
        let feedback = PacketTap { packet, _ in requests += isKeyFrameRequest(packet) ? 1 : 0 }
        let receiver = try ReceivePipeline(settings, sink: screen, feedback: feedback)
        let source = try LoopedPictures(.qqvga, frameCount: 300)
        var before = ReceiveStatistics?.none
        while case .frame(let frame) = source.next() {
            let now = frame.captureTime
            if now.seconds >= 6, before == nil {
                #expect(kept?.count == 4)
                kept = nil
                before = receiver.statistics
            }
            try sender.send(frame, at: now, to: PacketTap { packet, time in receiver.insert(packet, at: time) })
            _ = try receiver.poll(at: now)
        }
        let first = try #require(before)
        #expect(first.framesShown == 4)
        #expect(first.decoder.framesDecoded > 150 && first.decoder.framesCorrupted == 0)
        #expect(first.decoder.picturesWithoutBuffer == first.decoder.framesDecoded - 4)
        // All is well as soon as it lets go.
        let last = receiver.statistics
        #expect(last.decoder.picturesWithoutBuffer == first.decoder.picturesWithoutBuffer)
        #expect(last.framesShown - 4 == last.decoder.framesDecoded - first.decoder.framesDecoded)
        #expect(shown == last.framesShown && last.framesShown > 100)
        #expect(requests == 0 && last.stream.pliCount == 0 && last.decoder.keyFramesDecoded == 1)
    }
}
