import RillBeauty
import RillCodec
import RillCore
import RillImage
import RillLab
import RillMediaSupport
import RillTestSupport
import RillTranscode
import Testing

@testable import Rill

/// Pictures in full range on their way in: at every entrance they become what the pipeline holds, each for itself.
@Suite struct FullRangeTests {
    private let folder = TemporaryFolder()
    private let resolution = Resolution(width: 160, height: 128)

    /// All of the pictures in full range; or a change of the range in mid-stream, there and back.
    private static let ranges: [@Sendable (Int) -> Bool] = [{ _ in true }, { $0 >= 5 && $0 < 13 }]

    private func pictures(_ isFull: @escaping (Int) -> Bool) throws -> PicturesInFullRange {
        PicturesInFullRange(try LoopedPictures(resolution, frameCount: 20), isFull: isFull)
    }

    private func layers(_ codec: VideoCodec) -> [LayerSettings] {
        [.high(resolution, bitrate: .kilobits(200), codec: codec), .low(codec)]
    }

    @Test(arguments: VideoCodec.allCases, [0, 1])
    func `An app's frames are coded as their conversions are, in all layers`(codec: VideoCodec, kind: Int) throws {
        func send(_ source: any FrameSource, _ taps: sending SendTaps) throws -> SendPipeline {
            let pipeline = try SendPipeline(SendSettings(layers: layers(codec), seed: 1), taps: taps)
            while case .frame(let frame) = try source.next() {
                try pipeline.encode(frame, at: frame.captureTime)
            }
            return pipeline
        }
        let (coded, expected) = (CodedRecording(), CodedRecording())
        let (captured, preview) = (FrameCollection(copies: true), FrameCollection(copies: true))
        let isFull = Self.ranges[kind]
        let pipeline = try send(
            pictures(isFull), SendTaps(captured: captured, preprocessed: preview, encoded: coded))
        let conversions = try reduced(pictures(isFull))
        let plain = try send(PreparedPictures(conversions), SendTaps(encoded: expected))
        for layer in pipeline.settings.layers {
            #expect(coded.frames(of: layer.rid) == expected.frames(of: layer.rid), "\(layer.rid)")
        }
        #expect(pipeline.framesConverted == (0..<20).filter(isFull).count && plain.framesConverted == 0)
        #expect(captured.frames.map(\.colorSpace.range) == (0..<20).map { isFull($0) ? .full : .limited })
        #expect(preview.frames.allSatisfy { $0.colorSpace == .bt601 })
        #expect(preview.frames.map(\.samples) == conversions.map(\.samples))
    }

    @Test(arguments: [0, 1])
    func `A transcoder does the same for all its outputs, with one pass and two`(kind: Int) throws {
        func run(_ source: any FrameSource) throws -> (CodedRecording, [PictureRecording], TranscodeReport) {
            let coded = CodedRecording()
            let pictures = [PictureRecording(), PictureRecording()]
            var (small, whole) = (layers(.vp8)[1], layers(.vp8)[0])
            (small.rid, whole.rid) = ("small", "whole")
            var outputs: [Transcoder.Output] = layers(.vp9).map { .encoded($0, coded) }
            outputs += [.pictures(small, pictures[0]), .wholePictures(whole, pictures[1])]
            return (coded, pictures, try Transcoder(source: source, outputs: outputs).run())
        }
        let isFull = Self.ranges[kind]
        let (coded, pictures, report) = try run(pictures(isFull))
        let (expected, expectedPictures, _) = try run(PreparedPictures(reduced(self.pictures(isFull))))
        #expect(coded.frames(of: .high) == expected.frames(of: .high) && coded.frames(of: .high).count == 20)
        #expect(coded.frames(of: .low) == expected.frames(of: .low))
        #expect(pictures.map(\.checksums) == expectedPictures.map(\.checksums))
        #expect(report.framesRead == 20 && report.framesConverted == (0..<20).filter(isFull).count)

        var archive = layers(.vp8)[0]
        archive.encoder = .good(.vp8)
        func archived(_ open: @escaping @Sendable () throws -> any FrameSource) throws -> [[UInt8]] {
            let recording = CodedRecording()
            let clip = ReopenableClip(frameCount: 20, opensRanges: false) { _ in try open() }
            _ = try Transcoder(clip: clip, outputs: [.encoded(archive, recording)]).run()
            return recording.frames(of: .high)
        }
        let range = Self.ranges[kind]
        let size = resolution
        let full = try archived { PicturesInFullRange(try LoopedPictures(size, frameCount: 20), isFull: range) }
        let plain = try archived {
            PreparedPictures(try reduced(PicturesInFullRange(try LoopedPictures(size, frameCount: 20), isFull: range)))
        }
        #expect(full == plain && !full.isEmpty)
    }

    @Test func `Beauty and its comparison see limited range`() throws {
        func all(_ source: any FrameSource) throws -> [[UInt8]] {
            var samples: [[UInt8]] = []
            while case .frame(let frame) = try source.next() {
                #expect(frame.colorSpace == .bt601)
                samples.append(frame.samples)
            }
            return samples
        }
        let isFull = Self.ranges[1]
        let conversions = try reduced(pictures(isFull))
        #expect(
            try all(BeautySource(pictures(isFull), options: .strong))
                == all(BeautySource(PreparedPictures(conversions), options: .strong)))
        #expect(
            try all(BeautyComparison(pictures(isFull), options: .natural))
                == all(BeautyComparison(PreparedPictures(conversions), options: .natural)))
    }

    @Test func `A run's trace gives its bytes again`() throws {
        let path = folder.path("call.trace")
        let live = CodedRecording()
        let isFull = Self.ranges[1]
        let pipeline = try SendPipeline(
            SendSettings(layers: layers(.vp8), seed: 1),
            taps: SendTaps(encoded: live, trace: try SendTraceWriter(path: path)))
        let source = try pictures(isFull)
        while case .frame(let frame) = try source.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        try pipeline.finish()
        let offline = CodedRecording()
        try TraceReplay(SendTrace(path: path), source: pictures(isFull)).run { offline.consume($0, payload: $1) }
        #expect(live.frames(of: .high) == offline.frames(of: .high) && live.frames(of: .high).count == 20)
        #expect(live.frames(of: .low) == offline.frames(of: .low))
    }

    @Test func `A tap that keeps all conversions costs frames, and nothing else`() throws {
        let kept = FrameCollection()
        let pipeline = try SendPipeline(
            SendSettings(layers: [layers(.vp8)[0]], seed: 1), taps: SendTaps(preprocessed: kept))
        let source = PicturesInFullRange(try LoopedPictures(resolution, frameCount: 60))
        while case .frame(let frame) = try source.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        let count = kept.frames.count
        #expect(count == UprightRotator.capacity(layerCount: 1))
        #expect(pipeline.picturesWithoutBuffer == 60 - count && pipeline.framesConverted == count)
        #expect(pipeline.statistics[0].encoder.framesEncoded == count)
    }

    @Test func `Raw NV12 becomes I420 and keeps its buffers separate`() throws {
        let source = I420Source(try NV12Pictures(count: 4), capacity: 1)
        for index in 0..<4 {
            guard case .frame(let frame) = try source.next() else { throw TestFailure("frame \(index)") }
            #expect(frame.format == .i420 && frame.colorSpace == .bt601)
            // 100 of 255, in luma and in chroma.
            #expect(frame.y[0, 0] == 102 && frame.u[0, 0] == 103 && frame.v[0, 0] == 103)
            // Behind the last there is nothing to find a buffer for.
            try withExtendedLifetime(frame) {
                switch try source.next() {
                case .noBuffer: #expect(index < 3)
                case .end: #expect(index == 3)
                case .frame, .pending: throw TestFailure("one buffer became two")
                }
            }
        }
        #expect(source.framesConverted == 4)
    }
}

/// Grey NV12 pictures in full range.
private final class NV12Pictures: FrameSource {
    let format: SourceFormat
    private let pool: FramePool
    private var count: Int

    init(count: Int) throws {
        self.count = count
        pool = try FramePool(.nv12, resolution: .qqvga, capacity: 2)
        format = SourceFormat(resolution: .qqvga, frameRate: 30, frameCount: count)
    }

    func next() throws -> SourceOutput {
        guard count > 0 else { return .end }
        count -= 1
        var frame = try existing(pool.makeFrame())
        var planes = frame.planes
        planes.y.fill(100)
        planes.u.fill(100)
        return .frame(frame.finish(captureTime: .zero, colorSpace: ColorSpace(range: .full)))
    }
}
