#if Server
import RillCodec
import RillCore
import RillTestSupport
import Testing

@testable import RillCLI

/// What bots send of a clip that is coded once.
@Suite struct ClipPlayerTests {
    /// Three seconds of 30 frames a second.
    private static func clip() throws -> CodedClip {
        let size = Resolution(width: 160, height: 120)
        let high = LayerSettings.high(size, bitrate: .kilobits(100))
        return try CodedClip(Pictures(size, count: 90), [high, .low], longest: .seconds(10))
    }

    private final class Pictures: FrameSource {
        let format: SourceFormat
        private let pictures: TestPictures
        private let count: Int
        private var index = 0

        init(_ size: Resolution, count: Int) throws {
            (pictures, self.count) = (try TestPictures(size, capacity: count), count)
            format = SourceFormat(resolution: size, frameRate: 30, frameCount: count, isLive: false)
        }

        func next() throws -> SourceOutput {
            guard index < count else { return .end }
            index += 1
            return .frame(pictures.picture(index - 1))
        }
    }

    @Test func `Each layer is coded with one key frame, and with one each second`() throws {
        let clip = try Self.clip()
        #expect(clip.layers.map(\.rid) == [.high, .low])
        #expect(abs(clip.duration.seconds - 3) < 0.05)
        for layer in clip.layers {
            let keys = layer.variants.map { frames in frames.filter(\.description.isKey).map(\.time.seconds) }
            #expect(keys[0] == [0], "\(layer.rid)")
            #expect(keys[1].count == 3 && zip(keys[1], [0, 1, 2]).allSatisfy { abs($0 - $1) < 0.25 }, "\(keys[1])")
        }
    }

    @Test(arguments: [0, 1], [0, 0.4, 1.7, 2.9])
    func `Frames can be decoded one after the other, and key frames come within a second of their request`(
        layer: Int, phase: Double
    ) throws {
        let clip = try Self.clip()
        let start = MediaTime.zero + .seconds(100)
        var player = ClipPlayer(
            clip.layers[layer], of: clip.duration, phase: .milliseconds(Int(phase * 1000)), at: start)
        var order = FrameOrder()
        var (now, last, requested) = (start, Int64(-1), MediaTime.distantFuture)
        var (count, keyCount, dropCount) = (0, 0, 0)
        var random = SeededGenerator(seed: UInt64(layer * 10))
        while now < start + .seconds(60) {
            now = max(now, player.nextTime)
            if random.next() % 64 == 0 {
                player.requestKeyFrame()
                requested = min(requested, now)
            }
            guard let frame = player.next(at: now) else { continue }
            // Times rise, and numbers have no gap.
            #expect(frame.description.number == last + 1 && frame.description.captureTime <= now)
            last = frame.description.number
            if frame.description.isKey {
                #expect(requested == .distantFuture || now - requested <= .milliseconds(1_250))
                (requested, keyCount) = (.distantFuture, keyCount + 1)
            }
            guard random.next() % 100 > 0 else {
                // It does not arrive, and the sender knows.
                player.dropped()
                dropCount += 1
                continue
            }
            let isDecodable = order.take(frame.description)
            #expect(isDecodable, "frame \(last) at \((now - start).seconds) s")
            count += 1
        }
        #expect(
            count > (layer == 0 ? 1_000 : 150) && keyCount > 20 && dropCount > 0, "\(count), \(keyCount), \(dropCount)")
    }

    @Test func `After a time without a path the clip goes on where it would be, with a key frame`() throws {
        let clip = try Self.clip()
        var player = ClipPlayer(clip.layers[0], of: clip.duration, phase: .zero, at: .zero)
        for index in 0..<10 { _ = player.next(at: .zero + .milliseconds(34 * index)) }
        let later = MediaTime.zero + .seconds(30)
        var now = later
        var frame = player.next(at: now)
        while frame == nil {
            now = player.nextTime
            frame = player.next(at: now)
        }
        #expect(frame?.description.isKey == true && now - later <= .milliseconds(1_050))
    }
}
#endif
