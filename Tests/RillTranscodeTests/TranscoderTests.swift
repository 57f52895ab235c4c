import Glibc
import RillCodec
import RillCore
import RillFiles
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

struct TranscoderTests {
    private let resolution = Resolution(width: 160, height: 128)

    private var layers: [LayerSettings] {
        var low = LayerSettings.low
        low.resolution = Resolution(width: 80, height: 60)
        return [.high(resolution, bitrate: .kilobits(200)), low]
    }

    @Test func `It gives the bytes of the simulcast encoder each time`() throws {
        let expected = CodedRecording()
        let encoder = try SimulcastEncoder(layers: layers)
        let source = try LoopedPictures(resolution, frameCount: 60)
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { expected.consume($0, payload: $1) }
        }
        for _ in 0..<3 {
            let recording = CodedRecording()
            let report = try Transcoder(
                source: try LoopedPictures(resolution, frameCount: 60),
                outputs: layers.map { .encoded($0, recording) }
            ).run()
            #expect(recording.frames(of: .high) == expected.frames(of: .high))
            #expect(recording.frames(of: .low) == expected.frames(of: .low))
            #expect(report.framesRead == 60 && report.outputs.map(\.framesWritten) == [60, 10])
        }
    }

    @Test func `Pictures are scaled and thinned out but not coded`() throws {
        let pictures = PictureRecording()
        let whole = PictureRecording()
        let report = try Transcoder(
            source: try LoopedPictures(resolution, frameCount: 60),
            outputs: [.pictures(layers[0], whole), .pictures(layers[1], pictures)]
        ).run()
        #expect(report.outputs.map(\.framesWritten) == [60, 10])
        let source = try LoopedPictures(resolution, frameCount: 60)
        var expected: [UInt64] = []
        while case .frame(let frame) = source.next() { expected.append(checksum(frame)) }
        #expect(whole.checksums == expected)
        #expect(pictures.checksums.count == 10 && pictures.isFinished)
    }

    @Test func `A sink that fails ends the work with its error`() throws {
        struct DiskFull: Error {}
        final class FullDisk: FrameSink {
            func consume(_ frame: VideoFrame) throws { throw DiskFull() }
            func finish() {}
        }
        let other = PictureRecording()
        #expect(throws: DiskFull.self) {
            try Transcoder(
                source: try LoopedPictures(resolution, frameCount: 500),
                outputs: [.pictures(layers[0], FullDisk()), .pictures(layers[1], other)]
            ).run()
        }
        // The other output was finished all the same.
        #expect(other.isFinished)
    }

    @Test func `An IVF file decodes to the encoder's own pictures`() throws {
        let folder = TemporaryFolder()
        let path = folder.path("clip.ivf")
        let coded = CodedRecording()
        let file = try IVFWriter(path: path, codec: .vp8, resolution: resolution)
        let encoder = try SimulcastEncoder(layers: [layers[0]])
        let source = try LoopedPictures(resolution, frameCount: 30)
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { frame, payload in
                coded.consume(frame, payload: payload)
                try file.consume(frame, payload: payload)
            }
        }
        try file.finish()

        let pictures = PictureRecording()
        let clip = try Clip.open(path)
        #expect(clip.format.frameRate == 30 && clip.format.frameCount == 30 && clip.format.resolution == resolution)
        _ = try Transcoder(source: clip, outputs: [.pictures(layers[0], pictures)]).run()
        let decoder = try VPXDecoder()
        let expected = try coded.frames(of: .high).map { bytes -> UInt64 in
            guard case .picture(let picture) = try decoder.decode(bytes.span, captureTime: .zero) else { return 0 }
            return checksum(picture)
        }
        #expect(pictures.checksums == expected)
    }

    @Test func `A clip that ends early is written up to there, and reported`() throws {
        let folder = TemporaryFolder()
        let path = folder.path("cut.y4m")
        let writer = try Y4MWriter(path: path, resolution: resolution, frameRate: 30)
        let source = try LoopedPictures(resolution, frameCount: 10)
        while case .frame(let frame) = source.next() { try writer.consume(frame) }
        try writer.finish()
        let size = 10 * (resolution.pixelCount * 3 / 2 + 6)
        #expect(unsafe truncate(path, size - 5000) == 0)

        let pictures = PictureRecording()
        let report = try Transcoder(
            source: try Clip.open(path), outputs: [.pictures(layers[0], pictures)]
        ).run()
        #expect(pictures.checksums.count == 9 && report.framesRead == 9)
        #expect(report.sourceFailure is FileError)
    }
}
