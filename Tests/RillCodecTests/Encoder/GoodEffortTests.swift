import RillCodec
import RillCore
import RillTestSupport
import Testing

/// An encoder that looks ahead: every frame that goes in comes out, later.
struct GoodEffortTests {
    private static let resolution = Resolution(width: 176, height: 144)

    private struct Coded: Equatable {
        var time: MediaTime
        var isHidden: Bool
        var isKey: Bool
        var number: Int64
        var bytes: [UInt8]
    }

    /// At uneven times, from a time that is not zero.
    private static func time(_ index: Int) -> MediaTime {
        MediaTime(nanoseconds: 5_000_000_000 + Int64(index) * 33_333_333 + Int64(index % 3) * 2_000_000)
    }

    private func encode(
        _ count: Int, _ settings: EncoderSettings, bitrate: Bitrate = .kilobits(150), inTwoPasses: Bool = true
    ) throws -> [Coded] {
        let pictures = try TestPictures(Self.resolution)
        func picture(_ index: Int) -> VideoFrame {
            var picture = pictures.picture(index)
            picture.captureTime = Self.time(index)
            return picture
        }
        var statistics: FirstPassStatistics?
        if inTwoPasses {
            let pass = try VPXFirstPass(settings, resolution: Self.resolution, frameRate: 30, bitrate: bitrate)
            for index in 0..<count { try pass.add(picture(index)) }
            statistics = try pass.finish()
        }
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: Self.resolution, frameRate: 30, bitrate: bitrate,
            firstPass: statistics)
        var coded: [Coded] = []
        func keep(_ frame: EncodedFrame, _ bytes: Span<UInt8>) {
            coded.append(
                Coded(
                    time: frame.captureTime, isHidden: frame.isHidden, isKey: frame.isKey, number: frame.number,
                    bytes: bytes.array))
        }
        for index in 0..<count { try encoder.encode(picture(index), keep) }
        try encoder.finish(keep)
        let shown = coded.count { !$0.isHidden }
        #expect(encoder.statistics.framesEncoded == shown)
        #expect(encoder.statistics.hiddenFramesEncoded == coded.count - shown)
        #expect(encoder.statistics.framesDropped == 0)
        return coded
    }

    @Test(arguments: VideoCodec.allCases, [true, false])
    func `Every picture is output once, in order, with its time`(codec: VideoCodec, inTwoPasses: Bool) throws {
        var settings = EncoderSettings.good(codec)
        settings.speed = 4
        let coded = try encode(60, settings, inTwoPasses: inTwoPasses)
        let shown = coded.filter { !$0.isHidden }
        #expect(shown.map(\.time) == (0..<60).map(Self.time), "\(codec), two passes: \(inTwoPasses)")
        #expect(coded.map(\.number) == Array(0..<Int64(coded.count)))
        #expect(coded[0].isKey && !coded[0].isHidden)
        // VP9 packs what is hidden with what is shown, and one pass of VP8 hides nothing.
        #expect(codec == .vp9 || !inTwoPasses || coded.contains { $0.isHidden })
        for (before, frame) in zip(coded, coded.dropFirst()) { #expect(before.time < frame.time) }

        let decoder = try VPXDecoder(codec)
        for frame in coded {
            switch try decoder.decode(frame.bytes.span, captureTime: frame.time) {
            case .picture: #expect(!frame.isHidden)
            case .hidden: #expect(frame.isHidden)
            case .noBuffer, .awaitingKeyFrame: Issue.record("frame \(frame.number) was not decoded")
            }
        }
    }

    @Test(arguments: VideoCodec.allCases) func `A few pictures are enough`(codec: VideoCodec) throws {
        for count in [1, 2, 5] {
            #expect(try encode(count, .good(codec)).count { !$0.isHidden } == count, "\(codec), \(count) pictures")
        }
    }

    @Test(arguments: VideoCodec.allCases, EncoderSettings.Effort.allCases)
    func `A quality takes the bits it needs`(codec: VideoCodec, effort: EncoderSettings.Effort) throws {
        func bytes(_ quality: Int, _ bitrate: Bitrate) throws -> Int {
            var settings = effort == .good ? EncoderSettings.good(codec) : EncoderSettings(codec)
            settings.quality = quality
            settings.quantizers = 0...63
            settings.speed = effort == .good ? 4 : nil
            return try encode(30, settings, bitrate: bitrate, inTwoPasses: effort == .good)
                .reduce(0) { $0 + $1.bytes.count }
        }
        let (fine, coarse) = (try bytes(10, .kilobits(100)), try bytes(50, .kilobits(100)))
        #expect(fine > 2 * coarse, "\(codec), \(effort): \(fine) and \(coarse) bytes")
        // Ten times the bitrate does not need more.
        let free = try bytes(50, .megabits(1))
        #expect(abs(free - coarse) * 20 <= coarse, "\(codec), \(effort): \(coarse) and \(free) bytes")
    }

    @Test func `Settings for calls are refused`() {
        var settings = EncoderSettings.good(.vp8)
        settings.temporalPattern = .l1t2
        expectRefusal(of: settings, "temporal layers")
        settings = .good(.vp8)
        settings.speed = -6
        expectRefusal(of: settings, "0 to 5")
        settings = .good(.vp9)
        settings.quality = 64
        expectRefusal(of: settings, "quality goes from 0")
        settings = .good(.vp9)
        settings.lagInFrames = 26
        expectRefusal(of: settings, "held back")
    }

    private func expectRefusal(of settings: EncoderSettings, _ words: String) {
        do {
            _ = try VPXEncoder(
                settings, layer: StreamLayer(rid: .high), resolution: Self.resolution, frameRate: 30,
                bitrate: .kilobits(100))
            Issue.record("\(words): not refused")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }
}
