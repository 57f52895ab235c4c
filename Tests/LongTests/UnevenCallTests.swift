import RillCodec
import RillCore
import RillLab
import RillLink
import RillTestSupport
import RillThreads
import Testing

@testable import Rill

/// Calls whose source drops frames.
@Suite(.serialized)
struct UnevenCallTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var clip: AcceptanceClip
        var codec: VideoCodec
        var pattern: UnevenFrames

        var testDescription: String { "\(pattern), \(codec.rawValue), \(clip)" }

        /// The call, in which both layers are 45 kbit/s and headers above the high layer's target.
        func loopback(over network: LinkSettings, taps: sending SendTaps = SendTaps()) throws -> Loopback {
            var high = LayerSettings.high(clip.resolution, bitrate: clip.bitrate, codec: codec)
            high.frameRate = pattern.frameRate
            var settings = LoopbackSettings(layers: [high, .low(codec)], network: network)
            settings.measuresQuality = false
            settings.adaptation = nil
            return try Loopback(settings, taps: taps) {
                try UnevenClip(path: clip.path(in: TemporaryFolder()), pattern, of: UnevenCallTests.frameCount)
            }
        }
    }

    /// 30 seconds.
    fileprivate static let frameCount = 896
    private static let clips = UnevenBitrateTests.clips.map { $0.at(.kilobits(800)) }
    private static let sample = [
        Case(clip: clips[0], codec: .vp8, pattern: .halfSeconds),
        Case(clip: clips[0], codec: .vp9, pattern: .twoSeconds),
    ]
    private static let all = UnevenFrames.all.flatMap { pattern in
        clips.flatMap { clip in
            VideoCodec.allCases.map { Case(clip: clip, codec: $0, pattern: pattern) }
        }
    }

    /// The stream takes 86 % of the link, and a queue of 300 ms is all that there is for what comes above that.
    @Test(.needsMedia, arguments: isLongRun ? all : sample)
    func `A link that fits the target bitrate carries the frames after gaps`(testCase: Case) throws {
        let network = try LinkSettings(notation: "rate=1M,delay=30ms,queue=300ms")
        let layer = try testCase.loopback(over: network).runInVirtualTime().layers[0]
        #expect(layer.received.shownShare >= 0.97, "\(testCase.testDescription): \(layer.received.shownShare)")
        #expect(layer.received.pliCount == 0, "\(testCase.testDescription)")
        let (shown, lost) = (layer.received.shownShare, layer.received.packetsLost)
        note("\(testCase.testDescription): \(shown) shown, \(lost) packets lost")
    }

    /// In real time: a busy machine drops more frames, which is what this tests, except for the lower bound.
    @Test(.needsMedia, .needsMinutes, arguments: UnevenFrames.all, VideoCodec.allCases)
    func `A live source that drops frames keeps the target`(pattern: UnevenFrames, codec: VideoCodec) throws {
        let coded = Monitor([(time: MediaTime, bits: Double)]())
        let tap = EncodedFrameTap { frame, payload in
            if frame.layer.rid == .high {
                coded.withLock { $0.append((frame.captureTime, Double(payload.count * 8))) }
            }
        }
        let testCase = Case(clip: Self.clips[0], codec: codec, pattern: pattern)
        _ = try testCase.loopback(over: .clean, taps: SendTaps(encoded: tap)).runLive()
        let frames = coded.withLock { $0 }
        let target = Double(testCase.clip.bitrate.bitsPerSecond)
        let rate = frames.reduce(0) { $0 + $1.bits } / (Double(Self.frameCount) / 30)
        let tolerance = pattern.tolerance
        #expect(rate <= target * (1 + tolerance.above), "\(testCase.testDescription): \(rate)")
        #expect(rate >= target * (1 - tolerance.below), "\(testCase.testDescription): \(rate)")
        note("\(testCase.testDescription), live: \(rate) bit/s, \(frames.count) frames")
    }
}
