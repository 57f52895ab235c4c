import RillCore
import RillFiles
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// Two passes against vpxenc's at the same settings: the same bytes, hidden frames included.
struct TwoPassParityTests {
    private let folder = TemporaryFolder()

    @Test(.needsVPXTools, arguments: VideoCodec.allCases, [nil, 20])
    func `The portrait is coded to the bytes of vpxenc`(codec: VideoCodec, quality: Int?) throws {
        var clip = AcceptanceClip.portrait
        clip.frameCount = min(clip.frameCount, 60)
        try compareBytes(clip, codec, quality)
    }

    @Test(.needsVPXTools, .needsMedia, arguments: VideoCodec.allCases)
    func `A real clip is coded to the bytes of vpxenc`(codec: VideoCodec) throws {
        var clip = AcceptanceClip.webcams[0]
        clip.frameCount = isLongRun ? 300 : 40
        try compareBytes(clip, codec, nil)
    }

    private func compareBytes(_ clip: AcceptanceClip, _ codec: VideoCodec, _ quality: Int?) throws {
        let context = "\(clip.testDescription), \(codec.rawValue), quality \(quality.map(String.init) ?? "free")"
        let input = try clip.path(in: folder)
        var layer = LayerSettings.high(clip.resolution, bitrate: clip.bitrate, codec: codec)
        layer.encoder = .good(codec)
        layer.encoder.quality = quality
        // Faster than the default, which a debug run of all clips has no time for.
        if !isLongRun { layer.encoder.speed = 4 }
        let theirs = try encodeWithVPXEnc(clip, layer.encoder, input)

        let ours = folder.path("ours.ivf")
        let file = try IVFWriter(path: ours, codec: codec, resolution: clip.resolution)
        let frameCount = clip.frameCount
        let report = try Transcoder(
            clip: ReopenableClip(frameCount: frameCount, opensRanges: false) { _ in
                FirstFrames(frameCount, of: try Clip.open(input))
            }, outputs: [.encoded(layer, file)], keyFrameInterval: nil
        ).run()
        let (mine, reference) = (try frames(ofIVF: ours), try frames(ofIVF: theirs))
        #expect(mine.count == reference.count, "\(context)")
        let difference = zip(mine, reference).enumerated().first { $1.0.payload != $1.1.payload }?.offset
        #expect(difference == nil, "\(context): the first frame that differs")
        #expect(mine.map(\.timestamp) == reference.map(\.timestamp), "\(context)")
        // VP9 packs a hidden frame together with the one that is shown next.
        let output = report.outputs[0]
        #expect(output.framesWritten == clip.frameCount, "\(context)")
        #expect(output.framesWritten + output.hiddenFramesWritten == reference.count, "\(context)")
        if codec == .vp8 { #expect(output.hiddenFramesWritten > 0, "\(context)") }

        let decoded = try Clip.open(ours)
        var times: [MediaTime] = []
        while case .frame(let frame) = try decoded.next() { times.append(frame.captureTime) }
        #expect(times == (0..<clip.frameCount).map { MediaTime(ticks: Int64($0) * 3000, rate: 90_000) }, "\(context)")
    }

    private func encodeWithVPXEnc(_ clip: AcceptanceClip, _ settings: EncoderSettings, _ input: String) throws -> String
    {
        let output = folder.path("theirs.ivf")
        let isUnlimited = settings.quality != nil && settings.codec == .vp8
        var arguments = [
            "--codec=\(settings.codec.rawValue.lowercased())", "--ivf", "--good", "--passes=2",
            "--end-usage=\(settings.quality == nil ? "vbr" : settings.codec == .vp8 ? "cq" : "q")",
            "--lag-in-frames=25", "--auto-alt-ref=1",
            "--arnr-maxframes=7", "--arnr-strength=5", "--cpu-used=\(settings.effectiveSpeed(for: clip.resolution))",
            "--target-bitrate=\(isUnlimited ? 100_000 : clip.bitrate.bitsPerSecond / 1000)", "--min-q=0", "--max-q=63",
            "--undershoot-pct=\(settings.undershootPercentage)", "--overshoot-pct=\(settings.overshootPercentage)",
            "--buf-sz=6000", "--buf-initial-sz=4000", "--buf-optimal-sz=5000", "--kf-max-dist=240",
            "--static-thresh=0", "--threads=1", "--timebase=1/90000", "--fps=30/1", "--limit=\(clip.frameCount)",
        ]
        if let quality = settings.quality { arguments.append("--cq-level=\(quality)") }
        switch settings.codec {
        case .vp8: arguments.append("--token-parts=0")
        default: arguments += ["--row-mt=1", "--tile-columns=0", "--aq-mode=0", "--frame-parallel=0"]
        }
        try Peer.vpxenc.run(arguments + ["-o", output, input])
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
