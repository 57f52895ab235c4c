import RillCore
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// The bits that each layer takes, in every window of ten seconds that starts with one of its frames.
struct BitrateTests {
    @Test(.needsMedia, arguments: AcceptanceClip.webcams.map(\.whole))
    func `Every ten seconds of a real clip keep to the targets`(clip: AcceptanceClip) throws {
        let folder = TemporaryFolder()
        let source = try FirstFrames(clip.frameCount, of: Clip.open(clip.path(in: folder)))
        try measure(clip, source, frameCount: clip.frameCount)
    }

    @Test(.needsMedia, .needsMinutes, arguments: AcceptanceClip.webcams.map(\.whole))
    func `Every ten seconds of a minute keep to the targets`(clip: AcceptanceClip) throws {
        try measure(clip, SwingingFrames(clip.frames(), frameCount: 1800), frameCount: 1800)
    }

    @Test(.needsMinutes)
    func `Every ten seconds of the portrait keep to the targets`() throws {
        try measure(.portrait, SwingingFrames(AcceptanceClip.portrait.frames(), frameCount: 1800), frameCount: 1800)
    }

    private func measure(_ clip: AcceptanceClip, _ source: some FrameSource, frameCount: Int) throws {
        let layers = [LayerSettings.high(clip.resolution, bitrate: clip.bitrate), .low]
        let log = CodedSizes()
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: log))
        while case .frame(let frame) = try source.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        let end = FrameRate(30).time(ofFrame: frameCount)
        for (layer, share) in zip(layers, [0.05, 0.1]) {
            let frames = log.frames(of: layer.rid)
            let target = Double(layer.bitrate.bitsPerSecond)
            let windows = windows(of: frames, until: end)
            let (lowest, highest) = (try #require(windows.min()), try #require(windows.max()))
            let context = "\(layer.rid) of \(clip.testDescription): \(lowest) to \(highest) bit/s"
            #expect(lowest >= target * (1 - share) && highest <= target * (1 + share), "\(context)")
            #expect(frames.filter(\.isKey).count == 1, "\(context)")
            #expect(frames.allSatisfy { $0.resolution == layer.resolution }, "\(context)")
            note("\(context), in \(windows.count) windows")
        }
        let low = log.frames(of: .low)
        // Exactly five a second: the first frame and then every sixth.
        #expect(low.map(\.time) == stride(from: 0, to: frameCount, by: 6).map(FrameRate(30).time(ofFrame:)))
        #expect(log.frames(of: .high).count == frameCount)
    }

    /// Bits a second in each window of ten seconds that begins with a frame and ends before `end`.
    private func windows(of frames: [CodedSizes.Frame], until end: MediaTime) -> [Double] {
        frames.indices.compactMap { first in
            let limit = frames[first].time + .seconds(10)
            guard limit <= end else { return nil }
            let bytes = frames[first...].prefix { $0.time < limit }.reduce(0) { $0 + $1.byteCount }
            return Double(bytes * 8) / 10
        }
    }
}

/// What is known of every coded frame but its bytes.
private final class CodedSizes: EncodedFrameSink, Sendable {
    struct Frame {
        var time: MediaTime
        var byteCount: Int
        var isKey: Bool
        /// As the decoder sees it.
        var resolution: Resolution
    }

    private struct Layer {
        var decoder: VPXDecoder
        var frames: [Frame] = []
    }

    private let state = Monitor([StreamLayer.RID: Layer]())

    func frames(of rid: StreamLayer.RID) -> [Frame] { state.withLock { $0[rid]?.frames ?? [] } }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
        try state.withLock { layers in
            var layer = try layers[frame.layer.rid] ?? Layer(decoder: VPXDecoder())
            guard case .picture(let picture) = try layer.decoder.decode(payload, captureTime: frame.captureTime) else {
                throw TestFailure("the frame at \(frame.captureTime) gives no picture")
            }
            layer.frames.append(
                Frame(
                    time: frame.captureTime, byteCount: payload.count, isKey: frame.isKey,
                    resolution: picture.resolution))
            layers[frame.layer.rid] = layer
        }
    }

    func finish() {}
}
