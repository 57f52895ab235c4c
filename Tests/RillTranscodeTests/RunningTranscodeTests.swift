import Glibc
import RillCodec
import RillCore
import RillFiles
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

struct RunningTranscodeTests {
    private let folder = TemporaryFolder()
    private let resolution = Resolution(width: 160, height: 128)
    private var layer: LayerSettings { .high(resolution, bitrate: .kilobits(200)) }

    /// A transcode of that many frames into `out.ivf`.
    private func transcoder(frames: Int) throws -> Transcoder {
        try transcoder(of: LoopedPictures(resolution, frameCount: frames))
    }

    private func transcoder(of source: any FrameSource) throws -> Transcoder {
        let file = OutputFile(path: folder.path("out.ivf"))
        let writer = try IVFWriter(path: file.partPath, codec: .vp8, resolution: resolution)
        return Transcoder(source: source, outputs: [.encoded(layer, writer)], files: [file])
    }

    /// Gives a number of pictures, and then `pending` forever, so that a cancellation may come at any time.
    private final class StalledPictures: FrameSource {
        private let pictures: LoopedPictures

        init(_ resolution: Resolution, frameCount: Int) throws {
            pictures = try LoopedPictures(resolution, frameCount: frameCount)
        }

        var format: SourceFormat { pictures.format }

        func next() -> SourceOutput {
            let output = pictures.next()
            guard case .end = output else { return output }
            usleep(2000)
            return .pending
        }
    }

    private func exists(_ name: String) -> Bool { unsafe access(folder.path(name), F_OK) == 0 }

    @Test func `Progress rises to the report's values`() async throws {
        let running = try transcoder(frames: 200).start()
        var last: TranscodeProgress?
        for await progress in running.progress {
            #expect(progress.framesRead >= last?.framesRead ?? 0 && progress.totalFrames == 200)
            last = progress
        }
        let report = try await running.report()
        #expect(report.framesRead == 200 && report.outputs[0].framesWritten == 200)
        #expect(last?.framesRead == 200 && last?.fraction == 1 && last?.outputs == report.outputs)
        #expect(last?.mediaTime == report.duration)
        #expect(exists("out.ivf") && !exists(".out.ivf.part"))
    }

    @Test func `Who looks late sees the newest alone`() async throws {
        let running = try transcoder(frames: 100).start()
        _ = try await running.report()
        var seen: [TranscodeProgress] = []
        for await progress in running.progress { seen.append(progress) }
        #expect(seen.count == 1 && seen.first?.framesRead == 100)
    }

    @Test func `After cancellation it leaves nothing`() async throws {
        let running = try transcoder(of: StalledPictures(resolution, frameCount: 30)).start()
        for await progress in running.progress where progress.framesRead > 20 { running.cancel() }
        await #expect(throws: CancellationError.self) { _ = try await running.report() }
        #expect(!exists("out.ivf") && !exists(".out.ivf.part"))
    }

    @Test func `The task that waits takes it along`() async throws {
        let running = try transcoder(of: StalledPictures(resolution, frameCount: 30)).start()
        let waiting = Task { try await running.report() }
        for await progress in running.progress where progress.framesRead > 20 { break }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        #expect(!exists("out.ivf") && !exists(".out.ivf.part"))
    }

    @Test func `A sink that fails leaves nothing`() async throws {
        struct DiskFull: Error {}
        let file = OutputFile(path: folder.path("out.ivf"))
        let writer = try IVFWriter(path: file.partPath, codec: .vp8, resolution: resolution)
        var low = layer
        low.rid = .low
        let transcoder = Transcoder(
            source: try LoopedPictures(resolution, frameCount: 500),
            outputs: [.encoded(layer, writer), .pictures(low, FrameTap { _ in throw DiskFull() })], files: [file])
        await #expect(throws: DiskFull.self) { _ = try await transcoder.start().report() }
        #expect(!exists("out.ivf") && !exists(".out.ivf.part"))
    }

    @Test func `A source that is read once has no two passes`() throws {
        var layer = layer
        layer.encoder = .good(.vp8)
        let transcoder = Transcoder(
            source: try LoopedPictures(resolution, frameCount: 5), outputs: [.encoded(layer, CodedRecording())])
        #expect(throws: TranscodeError.sourceNotReopenable) { try transcoder.run() }
    }
}
