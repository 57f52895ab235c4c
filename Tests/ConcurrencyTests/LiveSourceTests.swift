import Glibc
import Rill
import RillCore
import RillLab
import RillScenes
import RillTestSupport
import RillTranscode
import Testing

/// A camera in the live driver: frames as they come, waits that end, and key frames where something begins.
@Suite struct LiveSourceTests {
    /// A source that gives frames by the monotonic clock, then waits, then restarts in another size.
    private final class Camera: FrameSource {
        let format = SourceFormat(resolution: .qqvga, frameRate: 30, isLive: true)
        private let small: TestPictures
        private let large: TestPictures
        private var count = 0

        init() throws {
            small = try TestPictures(.qqvga)
            large = try TestPictures(Resolution(width: 320, height: 240))
        }

        func next() throws -> SourceOutput {
            usleep(10_000)
            defer { count += 1 }
            guard !(20..<30).contains(count), count < 60 else { return .pending }
            var frame = (count < 30 ? small : large).picture(count)
            var moment = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
            frame.captureTime = MediaTime(
                nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec) - 3_000_000)
            frame.isDiscontinuity = count == 0 || count == 30
            return .frame(frame)
        }
    }

    @Test func `Frames are passed on as they arrive, a discontinuity gives key frames, and a wait can be stopped`()
        throws
    {
        let keys = Monitor([StreamLayer.RID: Int]())
        let delays = Monitor([MediaDuration]())
        let tap = EncodedFrameTap { frame, _ in
            if frame.isKey { keys.withLock { $0[frame.layer.rid, default: 0] += 1 } }
            if let captured = frame.timestamps[.captured], let passed = frame.timestamps[.preprocessed] {
                delays.withLock { $0.append(passed - captured) }
            }
        }
        var low = LayerSettings.low
        low.frameRate = 30
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(.qqvga, bitrate: .kilobits(200)), low], seed: 1), taps: SendTaps(encoded: tap))
        let sender = try LiveEncoders(pipeline, source: try Camera())
        // The source never ends: after its last frame it waits for ever.
        while sender.framesCaptured < 50 { usleep(5_000) }
        try sender.stop()
        #expect(sender.framesCaptured == 50)
        #expect(keys.withLock { $0 } == [.high: 2, .low: 2])
        let smallest = try #require(delays.withLock { $0.min() })
        #expect(
            smallest >= .milliseconds(3) && smallest < .seconds(5), "the camera's own timestamps count: \(smallest)")
    }

    /// A clip of so many pictures.
    private final class ShortClip: FrameSource {
        let format: SourceFormat
        private let pictures: TestPictures
        private var count = 0

        init(_ frameCount: Int) throws {
            // A comparison of pictures keeps them.
            pictures = try TestPictures(.qqvga, capacity: 40)
            format = SourceFormat(resolution: .qqvga, frameRate: 30, frameCount: frameCount)
        }

        func next() -> SourceOutput {
            guard count < format.frameCount ?? 0 else { return .end }
            defer { count += 1 }
            return .frame(pictures.picture(count))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A call continues when a clip in its switcher has ended, and shows the next source`() throws {
        let ended = Monitor([Int]())
        let switcher = SourceSwitcher(try ShortClip(5)) { event in
            if case .ended(let number) = event { ended.change { $0.append(number) } }
        }
        let seen = Monitor([(time: MediaTime, isDiscontinuity: Bool)]())
        let tap = FrameTap { frame in seen.withLock { $0.append((frame.captureTime, frame.isDiscontinuity)) } }
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(.qqvga, bitrate: .kilobits(200))], seed: 1), taps: SendTaps(preprocessed: tap))
        let sender = try LiveEncoders(pipeline, source: switcher.source)
        ended.wait { $0 == [0] ? () : nil }
        #expect(!sender.isFinished && sender.framesCaptured == 5)
        #expect(switcher.change(to: try LiveClip(atEnd: .loop) { try ShortClip(4) }) == 1)
        while sender.framesCaptured < 15 { usleep(5_000) }
        let before = sender.framesCaptured
        switcher.change(to: try LiveClip(atEnd: .hold) { try ShortClip(2) })
        let after = sender.framesCaptured
        while sender.framesCaptured < after + 8 { usleep(5_000) }
        try sender.stop()
        #expect(sender.sourceFailure == nil)
        #expect(switcher.change(to: try ShortClip(1)) == nil)

        let frames = seen.withLock { $0 }
        for (one, next) in zip(frames, frames.dropFirst()) { #expect(next.time > one.time) }
        // The first clip, the second one each time, and the third one, of which a frame more may have been on its way.
        let beginnings = frames.indices.filter { frames[$0].isDiscontinuity }
        let last = try #require(beginnings.last)
        #expect(beginnings.dropLast() == [0] + Array(stride(from: 5, to: last, by: 4)))
        #expect((before...after + 1).contains(last) && frames.count - last > 6, "\(beginnings), \(before)...\(after)")
    }

    @Test(arguments: LiveClip.Ending.allCases)
    func `A clip that is held or played again is the same in virtual time`(ending: LiveClip.Ending) throws {
        let settings = LoopbackSettings(layers: [.high(.qqvga, bitrate: .kilobits(200))])
        let report = try Loopback(settings) {
            TimedSource(try LiveClip(atEnd: ending) { try ShortClip(10) }, duration: .milliseconds(990))
        }.runInVirtualTime()
        #expect(report.interruption == nil)
        #expect(report.framesCaptured == (ending == .end ? 10 : 30))
        #expect(report.layers[0].sent.keyFramesEncoded == (ending == .loop ? 3 : 1))
    }

    @Test func `A camera in virtual time is rejected at once`() throws {
        let pipeline = try SendPipeline(SendSettings(layers: [.low], seed: 1))
        final class Away: FrameSource {
            let format = SourceFormat(resolution: .qqvga, frameRate: 30, isLive: true)
            func next() -> SourceOutput { .pending }
        }
        let settings = LoopbackSettings(layers: pipeline.settings.layers)
        let report = try Loopback(settings) { Away() }.runInVirtualTime()
        #expect(report.interruption == "\(VirtualTimeError.sourceIsLive)")
    }

    @Test func `The requested part of a source is used`() throws {
        let scene = try PortraitScene(resolution: .qqvga, frameRate: 30)
        let timed = TimedSource(scene, duration: .seconds(1))
        #expect(timed.format.frameCount == 30)
        var count = 0
        while case .frame(let frame) = try timed.next() {
            #expect(frame.captureTime == FrameRate(30).time(ofFrame: count))
            count += 1
        }
        #expect(count == 30)
    }
}
