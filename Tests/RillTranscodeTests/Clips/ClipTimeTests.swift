import RillCodec
import RillCore
import RillTestSupport
import RillTranscode
import Testing

/// A part of a clip, a constant rate, and the distance of key frames.
@Suite struct ClipTimeTests {
    /// Pictures at given times, in milliseconds.
    private final class Timed: FrameSource {
        let format = SourceFormat(resolution: Resolution(width: 16, height: 16), frameRate: 10)
        private var frames: ArraySlice<VideoFrame> = []

        init(_ times: [Int64]) throws {
            let pictures = try TestPictures(format.resolution, capacity: max(1, times.count))
            frames =
                times.enumerated().map { index, time in
                    var frame = pictures.picture(index)
                    frame.captureTime = MediaTime(nanoseconds: time * 1_000_000)
                    return frame
                }[...]
        }

        func next() -> SourceOutput { frames.popFirst().map { .frame($0) } ?? .end }
    }

    private func times(_ source: any FrameSource) throws -> [Int64] {
        var times: [Int64] = []
        while case .frame(let frame) = try source.next() { times.append(frame.captureTime.nanoseconds / 1_000_000) }
        return times
    }

    @Test func `A part has the frames from its start to its end, and its own times`() throws {
        var ends = 0
        let part = ExcerptSource(
            try Timed([0, 100, 200, 300, 400]), from: .milliseconds(150), duration: .milliseconds(250)
        ) { ends += 1 }
        #expect(try times(part) == [50, 150] && ends == 1)
        #expect(try times(ExcerptSource(Timed([0, 100, 200]), from: .milliseconds(100), duration: nil)) == [0, 100])
        #expect(try times(ExcerptSource(Timed([0, 100]), from: .seconds(1), duration: nil)).isEmpty)
    }

    @Test func `A constant rate repeats frames in gaps and drops those that are too many`() throws {
        let source = ConstantRateSource(try Timed([0, 100, 130, 410, 480]), rate: 10)
        #expect(try times(source) == [0, 100, 200, 300, 400, 500])
        #expect(source.framesRepeated == 2 && source.framesDropped == 1)
        // Even times stay, and the last frame is repeated for its own duration.
        let even = ConstantRateSource(try Timed([500, 600, 700]), rate: 10) { .zero + .milliseconds(1000) }
        #expect(try times(even) == [500, 600, 700, 800, 900])
        #expect(try times(ConstantRateSource(Timed([]), rate: 10)).isEmpty)
        #expect(try times(ConstantRateSource(Timed([3]), rate: 10)) == [3])
    }

    @Test(
        arguments: [(nil, [0]), (.milliseconds(300), [0, 300, 600, 900]), (.seconds(10), [0])]
            as [(MediaDuration?, [Int64])])
    func `Key frames are at most the interval apart`(interval: MediaDuration?, keys: [Int64]) throws {
        let layer = LayerSettings.high(Resolution(width: 16, height: 16), bitrate: .kilobits(50))
        var found: [Int64] = []
        let sink = EncodedFrameTap { frame, _ in
            if frame.isKey { found.append(frame.captureTime.nanoseconds / 1_000_000) }
        }
        _ = try Transcoder(
            source: Timed((0..<11).map { $0 * 100 }), outputs: [.encoded(layer, sink)], keyFrameInterval: interval
        ).run()
        #expect(found == keys)
    }
}
