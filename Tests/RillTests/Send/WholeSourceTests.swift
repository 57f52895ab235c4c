import RillCapture
import RillCore
import RillMediaSupport
import RillRTP
import RillTestSupport
import Testing

@testable import Rill

/// A source sent as fast as the machine allows, by several threads.
struct WholeSourceTests {
    private static let resolution = Resolution(width: 320, height: 240)
    private let layers = [LayerSettings.high(resolution, bitrate: .kilobits(300)), LayerSettings.low]

    /// Keeps the RTP packets of each source, in their order.
    private final class Packets: PacketSink, Sendable {
        private let packets = Monitor([SSRC: [[UInt8]]]())

        func send(_ packet: Span<UInt8>, at time: MediaTime) {
            guard PacketKind(of: packet) == .rtp, let ssrc = SSRC(ofSenderOf: packet) else { return }
            let bytes = packet.indices.map { packet[$0] }
            packets.withLock { $0[ssrc, default: []].append(bytes) }
        }

        var bySource: [SSRC: [[UInt8]]] { packets.withLock { $0 } }
    }

    @Test func `Each layer's packets are those of one thread`() throws {
        let (alone, together) = (Packets(), Packets())
        let sender = try PacketSender(SendSettings(layers: layers, seed: 3))
        let source = try LoopedPictures(Self.resolution, frameCount: 90)
        while case .frame(let frame) = source.next() {
            try sender.send(frame, at: frame.captureTime, to: alone)
        }
        let threaded = try PacketSender(SendSettings(layers: layers, seed: 3))
        let count = try threaded.send(allOf: try LoopedPictures(Self.resolution, frameCount: 90), to: together)
        #expect(count == 90)
        #expect(together.bySource == alone.bySource && alone.bySource.count == 2)
        #expect(threaded.statistics.map(\.encoder.framesEncoded) == [90, 15])
    }

    /// Gives so many frames, then fails.
    private final class FailingSource: FrameSource {
        struct Unplugged: Error {}
        private let source: LoopedPictures
        private var count: Int

        init(after count: Int) throws {
            source = try LoopedPictures(WholeSourceTests.resolution, frameCount: 90)
            self.count = count
        }

        var format: SourceFormat { source.format }

        func next() throws -> SourceOutput {
            count -= 1
            guard count >= 0 else { throw Unplugged() }
            return source.next()
        }
    }

    @Test func `Frames before a source's failure are sent`() throws {
        let sender = try PacketSender(SendSettings(layers: layers, seed: 3))
        #expect(throws: FailingSource.Unplugged.self) {
            try sender.send(allOf: try FailingSource(after: 40), to: Packets())
        }
        #expect(sender.statistics.map(\.encoder.framesEncoded) == [40, 7])
    }

    @Test(arguments: [StreamLayer.RID.high, .low])
    func `A tap that fails ends all`(rid: StreamLayer.RID) throws {
        struct Full: Error {}
        final class FullDisk: EncodedFrameSink {
            private let rid: StreamLayer.RID
            init(_ rid: StreamLayer.RID) { self.rid = rid }
            func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
                if frame.layer.rid == rid, frame.captureTime > .zero + .milliseconds(500) { throw Full() }
            }
            func finish() {}
        }
        let sender = try PacketSender(
            SendSettings(layers: layers, seed: 3), taps: SendTaps(encoded: FullDisk(rid)))
        #expect(throws: Full.self) {
            try sender.send(allOf: try LoopedPictures(Self.resolution, frameCount: 90), to: Packets())
        }
        #expect(sender.statistics[0].encoder.framesEncoded < 90)
    }
}
