import Glibc
import Rill
import RillTestSupport
import Testing

/// A camera in the live driver: frames as they come, waits that end, and key frames where something begins.
@Suite struct LiveSourceTests {
    /// A source that gives frames by the monotonic clock, then waits, then begins anew in another size.
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
            frame.isBeginning = count == 0 || count == 30
            return .frame(frame)
        }
    }

    @Test func `Frames go on as they come, a new beginning is a key frame on each layer, and a wait can be stopped`()
        throws
    {
        let keys = Monitor([StreamLayer.RID: Int]())
        let delays = Monitor([MediaDuration]())
        let tap = EncodedFrameTap { frame, _ in
            if frame.isKey { keys.withLock { $0[frame.layer.rid, default: 0] += 1 } }
            if let captured = frame.stamps[.captured], let passed = frame.stamps[.preprocessed] {
                delays.withLock { $0.append(passed - captured) }
            }
        }
        var low = LayerSettings.low
        low.frameRate = 30
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(.qqvga, bitrate: .kilobits(200)), low], seed: 1), taps: SendTaps(encoded: tap))
        let sender = LiveSender(pipeline, source: try Camera(), packets: ConcurrentPacketTap { _, _ in })
        // The source never ends: after its last frame it waits for ever.
        while sender.framesCaptured < 50 { usleep(5_000) }
        try sender.stop()
        #expect(sender.framesCaptured == 50)
        #expect(keys.withLock { $0 } == [.high: 2, .low: 2])
        let smallest = try #require(delays.withLock { $0.min() })
        #expect(smallest >= .milliseconds(3) && smallest < .seconds(5), "the camera's own stamps count: \(smallest)")
    }

    @Test func `A camera in virtual time is refused, not waited for`() throws {
        let pipeline = try SendPipeline(SendSettings(layers: [.low], seed: 1))
        final class Away: FrameSource {
            let format = SourceFormat(resolution: .qqvga, frameRate: 30, isLive: true)
            func next() -> SourceOutput { .pending }
        }
        let settings = LoopbackSettings(layers: pipeline.settings.layers)
        let report = try Loopback(settings) { Away() }.runInVirtualTime()
        #expect(report.interruption == "\(PipelineError.sourceIsLive)")
    }

    @Test func `So much of a source is taken as was asked for`() throws {
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
