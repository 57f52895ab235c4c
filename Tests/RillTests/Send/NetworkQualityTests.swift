import Glibc
import RillCodec
import RillCore
import RillFiles
import RillImage
import RillTestSupport
import Testing

@testable import Rill

/// A clip of a webcam, which is not part of the repository.
private let clip = unsafe getenv("RILL_MEDIA").map { unsafe String(cString: $0) + "/webcam_1280x720.y4m" }

/// The picture at a network's bitrate, with a real clip: both layers at 500 kbit/s, beside one encoder alone.
@Suite(
    .enabled(
        if: clip != nil && isLongRun, "RILL_MEDIA is not set to a folder with the real clips, or --all is not given"))
struct NetworkQualityTests {
    /// What the receiver of one layer sees.
    private final class Screen {
        private let decoder: VPXDecoder
        private var shown: VideoFrame?
        private var meter = 0.0
        private(set) var pictures = 0
        private let full: FramePool

        init(_ codec: VideoCodec) throws {
            decoder = try VPXDecoder(codec)
            full = try FramePool(resolution: .hd720, capacity: 1)
        }

        func decode(_ payload: Span<UInt8>) throws {
            if case .picture(let picture) = try decoder.decode(payload, captureTime: .zero) { shown = picture }
        }

        /// Compares what is shown, enlarged, with what was captured.
        func compare(with frame: VideoFrame) {
            guard let shown else { return }
            let picture =
                shown.resolution == .hd720
                ? shown : shown.scaled(PictureFit(shown.resolution, into: .hd720, .crop), into: full)
            guard let picture else { return }
            meter += PictureDifference(between: frame, and: picture).psnr.y
            pictures += 1
        }

        var psnr: Double { meter / Double(max(1, pictures)) }
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `At 500 kbit per second the high layer has 15 frames per second, and nearly the encoder's own quality`(
        codec: VideoCodec
    ) throws {
        // Both layers get what 500 kbit/s leave after headers.
        let both = try run(codec, .kilobits(2500), network: .kilobits(465))
        let alone = try run(codec, .kilobits(500), network: nil)
        note(
            "\(codec.rawValue): \(both.psnr) dB at \(both.rate) fps, \(both.sizes), low \(both.lowRate) fps; alone \(alone.psnr) dB; cuts alone \(Self.cuts.map { alone.byteCounts[$0] }) bytes"
        )
        #expect(both.rate >= 15 && both.lowRate >= 4.5)
        #expect(both.psnr >= alone.psnr - 1.5)
    }

    /// The clip's scenes change at these frames.
    private static let cuts = [110, 199, 250, 316, 363]

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `Frames follow the network's bitrate at once, and cuts of the scene stay small`(codec: VideoCodec) throws {
        let steady = try run(codec, .kilobits(2500), network: .kilobits(465)).byteCounts
        let cuts = Self.cuts.map { steady[$0] }
        let drop = try run(codec, .kilobits(2500), network: .kilobits(2545), later: .kilobits(445)).byteCounts
        // The high layer has 400 of 445 kbit/s then: 1667 bytes per frame.
        let after = Array(drop[150..<180])
        note(
            "\(codec.rawValue): cuts \(cuts) bytes at 420 kbit/s; after 2500 -> 400 kbit/s \(after), mean \(after.reduce(0, +) / 30)"
        )
        // 200 ms of 420 kbit/s.
        #expect(cuts.allSatisfy { $0 < 10_500 }, "\(cuts)")
        #expect(after.allSatisfy { $0 < 1667 * 3 }, "\(after)")
        #expect((1200...1900).contains(after.reduce(0, +) / 30), "\(after)")
    }

    private func run(
        _ codec: VideoCodec, _ bitrate: Bitrate, network: Bitrate?, later: Bitrate? = nil
    ) throws -> (psnr: Double, rate: Double, lowRate: Double, sizes: Set<Resolution>, byteCounts: [Int]) {
        let reader = try Y4MReader(path: try #require(clip), capacity: 16, matrix: .bt601)
        let screen = try Screen(codec)
        var sizes: Set<Resolution> = []
        var byteCounts: [Int] = []
        let tap = EncodedFrameTap { frame, payload in
            guard frame.layer.rid == .high else { return }
            sizes.insert(frame.resolution)
            byteCounts.append(frame.byteCount)
            try screen.decode(payload)
        }
        let layers = [LayerSettings.high(.hd720, bitrate: bitrate, codec: codec), .low]
        // The pipeline calls the tap on this thread alone.
        nonisolated(unsafe) let taps = SendTaps(encoded: tap)
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: unsafe taps)
        pipeline.setNetworkBitrate(network)
        var count = 0
        while case .frame(let frame) = try reader.next() {
            if count == 150, let later { pipeline.setNetworkBitrate(later) }
            try pipeline.encode(frame, at: frame.captureTime)
            if count % 5 == 1 { screen.compare(with: frame) }
            count += 1
        }
        let seconds = Double(count) / 30
        let frames = pipeline.statistics.map { Double($0.encoder.framesEncoded) / seconds }
        return (screen.psnr, frames[0], frames[1], sizes, byteCounts)
    }
}
