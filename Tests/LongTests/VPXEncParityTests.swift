import RillCore
import RillFiles
import RillImage
import RillLab
import RillMediaSupport
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// The high layer against libvpx's own tools at the same settings: the same bytes, and so the same pictures.
struct VPXEncParityTests {
    let folder = TemporaryFolder()

    /// The rates that every clip is coded at.
    static let bitrates: [Bitrate] = [.kilobits(150), .kilobits(400), .kilobits(800), .kilobits(1500)]

    @Test(.needsVPXTools, arguments: VideoCodec.allCases, bitrates)
    func `The portrait is coded to the bytes of vpxenc`(codec: VideoCodec, bitrate: Bitrate) throws {
        try compareBytes(.portrait.at(bitrate), codec)
    }

    @Test(.needsVPXTools, .needsMedia, arguments: AcceptanceClip.webcams, VideoCodec.allCases)
    func `A real clip is coded to the bytes of vpxenc`(clip: AcceptanceClip, codec: VideoCodec) throws {
        // One rate of the four where the tests may not take minutes.
        for bitrate in isLongRun ? Self.bitrates : [clip.bitrate] { try compareBytes(clip.at(bitrate), codec) }
    }

    @Test(.needsVPXTools)
    func `The portrait is shown as well as by vpxdec`() throws {
        try compareQuality(.portrait)
    }

    @Test(.needsVPXTools, .needsMedia, arguments: AcceptanceClip.webcams)
    func `A real clip is shown as well as by vpxdec`(clip: AcceptanceClip) throws {
        try compareQuality(clip)
    }

    /// Through the sending pipeline frame by frame, and through the transcoder into a file, with the low layer beside
    /// it.
    private func compareBytes(_ clip: AcceptanceClip, _ codec: VideoCodec) throws {
        let context = "\(clip.testDescription), \(codec.rawValue)"
        let input = try clip.path(in: folder)
        let reference = try frames(ofIVF: encodeWithVPXEnc(clip, codec, input))
        #expect(reference.count == clip.frameCount, "\(context)")
        let layers = layers(clip, codec)

        let recording = CodedRecording()
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: recording))
        let source = try FirstFrames(clip.frameCount, of: Clip.open(input))
        while case .frame(let frame) = try source.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        expectEqual(recording.frames(of: .high), reference.map(\.payload), "\(context), sent")

        let path = folder.path("ours.ivf")
        let file = try IVFWriter(path: path, codec: codec, resolution: clip.resolution)
        _ = try Transcoder(
            source: try FirstFrames(clip.frameCount, of: Clip.open(input)),
            outputs: [.encoded(layers[0], file), .encoded(layers[1], CodedRecording())], keyFrameInterval: nil
        ).run()
        let transcoded = try frames(ofIVF: path)
        expectEqual(transcoded.map(\.payload), reference.map(\.payload), "\(context), transcoded")
        #expect(transcoded.map(\.timestamp) == reference.map(\.timestamp), "\(context)")
        note("\(context): \(reference.reduce(0) { $0 + $1.payload.count }) bytes, as vpxenc's")
    }

    /// What a call over a clean network shows, against vpxdec's pictures of vpxenc's file.
    private func compareQuality(_ clip: AcceptanceClip) throws {
        let input = try clip.path(in: folder)
        let decoded = folder.path("theirs.y4m")
        try Peer.vpxdec.run("-o", decoded, encodeWithVPXEnc(clip, .vp8, input))
        var meter = QualityMeter()
        let (source, shown) = try (Clip.open(input), Clip.open(decoded))
        while case .frame(let theirs) = try shown.next(), case .frame(let original) = try source.next() {
            meter.add(PictureDifference(between: theirs, and: original))
        }
        #expect(meter.count == clip.frameCount)

        let settings = LoopbackSettings(layers: layers(clip, .vp8))
        let report = try Loopback(settings) {
            try FirstFrames(clip.frameCount, of: Clip.open(input))
        }.runInVirtualTime()
        let quality = try #require(report.layers[0].quality)
        let (psnr, ssim) = (try #require(quality.psnrY), try #require(quality.ssimY))
        let reference = (psnr: try #require(meter.psnr).y, ssim: try #require(meter.ssim).y)
        #expect(quality.frames == clip.frameCount)
        #expect(abs(psnr - reference.psnr) < 0.01, "\(psnr) dB, vpxdec \(reference.psnr) dB")
        #expect(abs(ssim - reference.ssim) < 0.0001, "\(ssim), vpxdec \(reference.ssim)")
        note(
            "\(clip.testDescription): PSNR-Y \(psnr) dB, SSIM \(ssim); vpxdec \(reference.psnr) dB, \(reference.ssim)")
    }

    /// The usual two, with all blocks coded, as vpxenc codes them.
    private func layers(_ clip: AcceptanceClip, _ codec: VideoCodec) -> [LayerSettings] {
        var layers = [LayerSettings.high(clip.resolution, bitrate: clip.bitrate, codec: codec), .low(codec)]
        for index in layers.indices { layers[index].encoder.skipsStillBlocks = false }
        return layers
    }

    private func expectEqual(_ ours: [[UInt8]], _ theirs: [[UInt8]], _ context: String) {
        #expect(ours.count == theirs.count, "\(context)")
        // Not the arrays at once: the failure would print all of their bytes.
        let difference = zip(ours, theirs).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil, "\(context): the first frame that differs")
    }

    /// vpxenc at our encoder's default settings. Without a rate it would take the clip's as its time base.
    private func encodeWithVPXEnc(_ clip: AcceptanceClip, _ codec: VideoCodec, _ input: String) throws -> String {
        let output = folder.path("theirs.ivf")
        let settings = EncoderSettings(codec)
        let common = [
            "--codec=\(codec.rawValue.lowercased())", "--ivf", "--rt", "--end-usage=cbr", "--lag-in-frames=0",
            "--cpu-used=\(settings.effectiveSpeed(for: clip.resolution))",
            "--target-bitrate=\(clip.bitrate.bitsPerSecond / 1000)", "--min-q=\(settings.quantizers.lowerBound)",
            "--max-q=\(settings.quantizers.upperBound)", "--undershoot-pct=\(settings.undershootPercentage)",
            "--overshoot-pct=\(settings.overshootPercentage)", "--buf-sz=1000", "--buf-initial-sz=500",
            "--buf-optimal-sz=600", "--kf-max-dist=3000", "--static-thresh=1", "--threads=1", "--timebase=1/90000",
            "--fps=30/1", "--limit=\(clip.frameCount)", "-o", output, input,
        ]
        let own =
            switch codec {
            case .vp8: ["--token-parts=0"]
            default: ["--row-mt=1", "--tile-columns=0", "--aq-mode=3", "--frame-parallel=0"]
            }
        try Peer.vpxenc.run(own + common)
        return output
    }

    private func frames(ofIVF path: String) throws -> [(timestamp: Int64, payload: [UInt8])] {
        let reader = try IVFReader(path: path)
        var frames: [(timestamp: Int64, payload: [UInt8])] = []
        var payload: [UInt8] = []
        while let frame = try reader.next(into: &payload) { frames.append((frame.timestamp, payload)) }
        return frames
    }
}
