import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

@Suite struct MirroredSinkTests {
    @Test func `The sink sees the mirror image, at any size, and the end`() throws {
        let screen = FrameCollection()
        let mirror = MirroredSink(screen)
        for resolution in [Resolution.qqvga, Resolution(width: 33, height: 17), .qqvga] {
            let picture = try TestPictures(resolution).picture(3)
            try mirror.consume(picture)
            let pool = try FramePool(resolution: resolution, capacity: 1)
            let shown = try #require(screen.frames.last)
            #expect(shown.samples == picture.mirrored(into: pool)?.samples, "\(resolution)")
            #expect(shown.captureTime == picture.captureTime)
        }
        #expect(!screen.isFinished)
        try mirror.finish()
        #expect(screen.isFinished && mirror.picturesWithoutBuffer == 0)
    }

    @Test func `A sink that keeps its pictures gets no more until it releases some`() throws {
        let screen = FrameCollection()
        let mirror = MirroredSink(screen, capacity: 2)
        let picture = try TestPictures(.qqvga).picture(0)
        for _ in 0..<5 { try mirror.consume(picture) }
        #expect(screen.frames.count == 2 && mirror.picturesWithoutBuffer == 3)
        screen.removeAll()
        try mirror.consume(picture)
        #expect(screen.frames.count == 1 && mirror.picturesWithoutBuffer == 3)
    }

    @Test func `A mirrored preview does not change the sent packets`() throws {
        func packets(_ preview: FrameCollection?) throws -> [[UInt8]] {
            var packets: [[UInt8]] = []
            let sender = try PacketSender(
                SendSettings(layers: [.low], seed: 9),
                taps: SendTaps(preprocessed: preview.map { MirroredSink($0, capacity: 12) }))
            let pictures = try TestPictures(.qqvga)
            let sink = PacketTap { bytes, _ in packets.append(bytes.array) }
            for index in 0..<12 {
                let picture = pictures.picture(index)
                try sender.send(picture, at: picture.captureTime, to: sink)
            }
            return packets
        }
        let screen = FrameCollection()
        let mirrored = try packets(screen)
        #expect(try mirrored == packets(nil))
        #expect(screen.frames.count == 12)
    }
}
