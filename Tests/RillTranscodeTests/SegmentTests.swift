import RillCodec
import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

struct SegmentTests {
    private let resolution = Resolution(width: 160, height: 128)
    private let frameCount = 100

    /// High, the low layer at five frames a second, and the pictures at twenty.
    private func layers(_ effort: EncoderSettings.Effort, _ codec: VideoCodec = .vp8) -> [LayerSettings] {
        var high = LayerSettings.high(resolution, bitrate: .kilobits(200), codec: codec)
        if effort == .good { high.encoder = .good(codec) }
        var low = LayerSettings.low
        low.resolution = Resolution(width: 80, height: 60)
        var pictures = high
        (pictures.rid, pictures.frameRate) = ("pictures", 20)
        return [high, low, pictures]
    }

    /// A clip whose parts can be opened; `damagedAt`: where a reading of it fails.
    private func clip(_ pictures: LoopedPictures, damagedAt damage: Int? = nil) -> ReopenableClip {
        ReopenableClip(RangedPictures(pictures: pictures, damage: damage))
    }

    private struct Made: Equatable {
        var high: [[UInt8]]
        var low: [[UInt8]]
        var pictures: [UInt64]
        var numbers: [Int64]
        var times: [MediaTime]
        var report: [TranscodeReport.Output]
    }

    private func transcode(
        _ clip: ReopenableClip, _ segments: SegmentCount, threads: Int, _ layers: [LayerSettings]
    ) throws -> (made: Made, report: TranscodeReport) {
        let (coded, pictures) = (CodedRecording(), PictureRecording())
        let marks = Monitor([EncodedFrame]())
        let high = EncodedFrameTap { frame, payload in
            coded.consume(frame, payload: payload)
            marks.withLock { $0.append(frame) }
        }
        let report = try Transcoder(
            clip: clip,
            outputs: [.encoded(layers[0], high), .encoded(layers[1], coded), .pictures(layers[2], pictures)],
            segments: segments, threads: threads
        ).run()
        let frames = marks.withLock { $0 }
        for frame in frames {
            for index in 0..<frame.references.count { #expect(frame.references[index] < frame.number) }
        }
        let made = Made(
            high: coded.frames(of: .high), low: coded.frames(of: .low), pictures: pictures.checksums,
            numbers: frames.map(\.number), times: frames.filter { !$0.isHidden }.map(\.captureTime),
            report: report.outputs)
        return (made, report)
    }

    @Test(arguments: EncoderSettings.Effort.allCases, VideoCodec.allCases)
    func `The bytes are the same for any number of threads`(effort: EncoderSettings.Effort, codec: VideoCodec) throws {
        let pictures = try LoopedPictures(resolution, frameCount: frameCount)
        let layers = layers(effort, codec)
        let runs = try [1, 2, 3].map { try transcode(clip(pictures), .count(3), threads: $0, layers) }
        #expect(runs[0].made == runs[1].made && runs[0].made == runs[2].made)
        #expect(runs.map(\.report.segmentCount) == [3, 3, 3])
        #expect(runs.map(\.report.framesRead) == [frameCount, frameCount, frameCount])
        let whole = try transcode(clip(pictures), .one, threads: 2, layers)
        #expect(runs[0].made.high != whole.made.high)
        // The pictures before coding do not depend on the segments, and neither do the frames of an output of a lower
        // rate.
        #expect(runs[0].made.pictures == whole.made.pictures && whole.made.pictures.count == 67)
        #expect(runs[0].made.low.count == whole.made.low.count)
        #expect(runs[0].made.times == whole.made.times)
        #expect(runs[0].report.duration == whole.report.duration)
        #expect(runs[0].made.numbers == Array(0..<Int64(runs[0].made.numbers.count)))
        #expect(whole.report.outputs[0].keyFramesWritten == 1 && runs[0].report.outputs[0].keyFramesWritten == 3)
    }

    @Test func `Each segment is the same as if encoded alone`() throws {
        let pictures = try LoopedPictures(resolution, frameCount: frameCount)
        let whole = clip(pictures)
        let (made, _) = try transcode(whole, .count(4), threads: 2, layers(.realtime))
        var expected: [[UInt8]] = []
        for part in 0..<4 {
            let recording = CodedRecording()
            _ = try Transcoder(
                source: try whole.open(part * 25..<(part + 1) * 25),
                outputs: [.encoded(layers(.realtime)[0], recording)]
            ).run()
            expected += recording.frames(of: .high)
        }
        #expect(made.high == expected)
    }

    @Test(arguments: [1, 3]) func `A clip that fails in the middle ends there`(threads: Int) throws {
        let pictures = try LoopedPictures(resolution, frameCount: frameCount)
        let (made, report) = try transcode(
            clip(pictures, damagedAt: 40), .count(4), threads: threads, layers(.realtime))
        #expect(made.high.count == 40 && report.framesRead == 40)
        #expect(report.sourceFailure is RangedPictures.Damaged)
        // The part before the error is as without it.
        let (good, _) = try transcode(clip(pictures), .count(4), threads: threads, layers(.realtime))
        #expect(made.high == Array(good.high.prefix(40)))
    }

    @Test func `A sink that fails ends all segments`() throws {
        struct DiskFull: Error {}
        let pictures = try LoopedPictures(resolution, frameCount: frameCount)
        let transcoder = Transcoder(
            clip: clip(pictures),
            outputs: [.encoded(layers(.realtime)[0], EncodedFrameTap { _, _ in throw DiskFull() })],
            segments: .count(4), threads: 3)
        #expect(throws: DiskFull.self) { try transcoder.run() }
    }

    @Test func `Shares are even, and automatic ones go by the clip alone`() {
        #expect(SegmentCount.count(3).ranges(of: 100) == [0..<33, 33..<66, 66..<Int.max])
        #expect(SegmentCount.count(9).ranges(of: 2) == [0..<1, 1..<Int.max])
        #expect(SegmentCount.automatic.ranges(of: 0) == [0..<Int.max])
        #expect(SegmentCount.automatic.ranges(of: 599).count == 1)
        #expect(SegmentCount.automatic.ranges(of: 1800).map(\.lowerBound) == [0, 300, 600, 900, 1200, 1500])
        #expect(SegmentCount.automatic.ranges(of: 1_000_000).count == 64)
    }
}

/// Looped pictures that open for ranges.
struct RangedPictures: RangedSource {
    struct Damaged: Error {}

    // Never changed, but by copies of it.
    nonisolated(unsafe) let pictures: LoopedPictures
    let damage: Int?

    var format: SourceFormat { unsafe pictures.format }
    func entry(for frame: Int) -> Int { frame }
    func time(ofFrame frame: Int) -> MediaTime? { format.frameRate?.time(ofFrame: frame) }

    func open(frames: Range<Int>, capacity: Int) throws -> any FrameSource {
        Reading(unsafe LoopedPictures(pictures), frames, damage)
    }

    private final class Reading: FrameSource {
        private let pictures: LoopedPictures
        private let frames: Range<Int>
        private let damage: Int?
        private var count = 0

        init(_ pictures: LoopedPictures, _ frames: Range<Int>, _ damage: Int?) {
            (self.pictures, self.frames, self.damage) = (pictures, frames, damage)
        }

        var format: SourceFormat { pictures.format }

        func next() throws -> SourceOutput {
            while count < frames.lowerBound {
                _ = pictures.next()
                count += 1
            }
            if let damage, count >= damage { throw Damaged() }
            guard count < frames.upperBound else { return .end }
            count += 1
            return pictures.next()
        }
    }
}
