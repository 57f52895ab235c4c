import RillCodec
import RillCore
import RillImage
import RillTestSupport
import Testing

@testable import Rill

/// The bits that a layer takes whose frames come unevenly, and what its pictures are like.
@Suite(.serialized)
struct UnevenBitrateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var clip: AcceptanceClip
        var codec: VideoCodec
        var pattern: UnevenFrames
        var skipsStillBlocks = false

        var testDescription: String {
            "\(pattern), \(codec.rawValue)\(skipsStillBlocks ? ", still blocks left out" : ""), \(clip)"
        }
    }

    static let clips = AcceptanceClip.webcams.map(\.whole)

    /// One with each codec and one without still blocks, and more where the tests may take minutes.
    private static let sample =
        [
            Case(clip: clips[0].at(.kilobits(400)), codec: .vp8, pattern: .twoSeconds),
            Case(clip: clips[0].at(.kilobits(400)), codec: .vp8, pattern: .random(10), skipsStillBlocks: true),
            Case(clip: clips[0].at(.kilobits(400)), codec: .vp9, pattern: .random(10)),
        ]
        + (isLongRun
            ? [
                Case(clip: clips[0].at(.kilobits(800)), codec: .vp8, pattern: .tenth),
                Case(clip: clips[0].at(.kilobits(800)), codec: .vp8, pattern: .twoSeconds, skipsStillBlocks: true),
                Case(clip: clips[0].at(.kilobits(800)), codec: .vp9, pattern: .halfSeconds),
            ] : [])

    @Test(.needsMedia, arguments: sample)
    func `The target is kept, whatever is missing`(of testCase: Case) throws {
        let run = try Run(testCase)
        run.expectTarget()
        // Once with each codec: what a frame behind a gap is compared with.
        var evenCase = testCase
        evenCase.pattern = .even
        let even = try Run(evenCase, frameCount: 448)
        run.expectSmallFramesAfterGaps(even)
    }

    @Test(
        .needsMedia, .needsMinutes,
        arguments: [VideoCodec.vp9, .vp8].flatMap { codec in
            clips.flatMap { clip in
                [400, 800].map { Case(clip: clip.at(.kilobits($0)), codec: codec, pattern: .even) }
            }
        })
    func `Every pattern keeps target and quality`(of evenCase: Case) throws {
        // The even clip at three rates: what its pictures are like at any rate between.
        let even = try [0.8, 1, 1.2].map { share in
            var testCase = evenCase
            testCase.clip = testCase.clip.at(
                Bitrate(bitsPerSecond: Int(Double(evenCase.clip.bitrate.bitsPerSecond) * share)))
            return try Run(testCase, measuresQuality: true)
        }
        for pattern in UnevenFrames.all {
            var testCase = evenCase
            testCase.pattern = pattern
            let run = try Run(testCase, measuresQuality: true)
            run.expectTarget()
            if pattern.hasGaps { run.expectSmallFramesAfterGaps(even[1]) }
            run.expectQuality(of: even)
        }
    }
}

/// One layer's encoder, fed with the frames of a pattern.
private struct Run {
    private struct Coded {
        var frame: UnevenFrames.Frame
        var bits: Double
        var isKey: Bool
        /// Luma PSNR in dB; 0 if it was not measured.
        var quality: Double
    }

    private let testCase: UnevenBitrateTests.Case
    private let target: Double
    private let duration: Double
    private var coded: [Coded] = []

    init(_ testCase: UnevenBitrateTests.Case, frameCount: Int = 896, measuresQuality: Bool = false) throws {
        self.testCase = testCase
        target = Double(testCase.clip.bitrate.bitsPerSecond)
        duration = Double(frameCount) / 30
        var settings = LayerSettings.high(
            testCase.clip.resolution, bitrate: testCase.clip.bitrate, codec: testCase.codec)
        settings.frameRate = testCase.pattern.frameRate
        settings.encoder.skipsStillBlocks = testCase.skipsStillBlocks
        let encoder = try LayerEncoder(settings)
        let decoder = try VPXDecoder(testCase.codec)
        let source = try UnevenClip(
            path: testCase.clip.path(in: TemporaryFolder()), testCase.pattern, of: frameCount)
        for frame in testCase.pattern.frames(of: frameCount) {
            guard case .frame(let input) = try source.next() else {
                throw TestFailure("the clip ends at \(frame.time)")
            }
            try encoder.encode(input, LayerTask(settings: settings)) { coded, payload in
                var quality = 0.0
                if measuresQuality {
                    guard case .picture(let shown) = try decoder.decode(payload, captureTime: frame.time) else {
                        throw TestFailure("the frame at \(frame.time) gives no picture")
                    }
                    quality = PictureDifference(between: shown, and: input).psnr.y
                }
                self.coded.append(
                    Coded(frame: frame, bits: Double(payload.count * 8), isKey: coded.isKey, quality: quality))
            }
        }
    }

    private var context: String { testCase.testDescription }

    private var rate: Double { coded.reduce(0) { $0 + $1.bits } / duration }

    /// Average and windows of ten seconds.
    func expectTarget() {
        let tolerance = testCase.pattern.tolerance
        #expect(rate >= target * (1 - tolerance.below), "\(context): \(rate)")
        #expect(rate <= target * (1 + tolerance.above), "\(context): \(rate)")
        let windows = stride(from: 0, through: duration - 10, by: 0.25).map { begin in
            coded.reduce(0) { sum, coded in
                let time = coded.frame.time.seconds
                return time >= begin && time < begin + 10 ? sum + coded.bits : sum
            } / 10
        }
        let (lowest, highest) = (windows.min() ?? 0, windows.max() ?? .infinity)
        if case (0.05, 0.05) = tolerance {
            #expect(lowest >= target * 0.88, "\(context): \(lowest) in ten seconds")
            #expect(highest <= target * 1.12, "\(context): \(highest) in ten seconds")
        }
        note("\(context): \(rate) bit/s, \(lowest) to \(highest) in ten seconds, \(coded.count) frames")
    }

    func expectSmallFramesAfterGaps(_ even: Run) {
        let limit = 1.5 * (even.coded.filter { !$0.isKey }.map(\.bits).max() ?? 0)
        let largest = coded.filter(\.frame.isAfterGap).map(\.bits).max() ?? .infinity
        #expect(largest <= limit, "\(context): \(largest) bits after a gap")
        note("\(context): \(largest) bits after a gap, \(limit) allowed")
    }

    /// Compares the frames that are left with the same of the even clip at the same rate, between three rates' results.
    func expectQuality(of even: [Run]) {
        let places = Set(coded.map(\.frame.place))
        let points = even.map { run in (run.rate, run.quality(of: places)) }
        let upper = points.dropFirst().firstIndex { $0.0 >= rate } ?? points.count - 1
        let ((lowRate, low), (highRate, high)) = (points[upper - 1], points[upper])
        let expected = low + (high - low) * (rate - lowRate) / (highRate - lowRate)
        let quality = quality(of: places)
        #expect(quality >= expected - 0.2, "\(context): \(quality) dB for \(expected)")
        note("\(context): \(quality) dB, the even clip \(expected)")
    }

    private func quality(of places: Set<Int>) -> Double {
        let compared = coded.filter { places.contains($0.frame.place) }
        return compared.reduce(0) { $0 + $1.quality } / Double(compared.count)
    }
}
