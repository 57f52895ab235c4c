import RillCore
import RillFiles
import RillMediaSupport
import RillTestSupport
import RillThreads
import RillTranscode
import Synchronization
import Testing

@testable import Rill

/// A transcode gives the same files whatever else the machine does.
struct BusyMachineTests {
    let folder = TemporaryFolder()

    /// VP9 with two threads is cut into tiles that the threads share out by who comes first.
    @Test(arguments: [(VideoCodec.vp8, 1), (.vp8, 2), (.vp9, 1), (.vp9, 2)])
    func `The same files come out idle and busy`(codec: VideoCodec, threadCount: Int) throws {
        let size = Resolution(width: threadCount == 1 ? 320 : 640, height: 240)
        let pictures = try LoopedPictures(size, frameCount: isLongRun ? 1000 : 100)
        try compare(codec, threadCount) { LoopedPictures(pictures) }
    }

    /// Each clip with each codec where the tests may take minutes, else each once.
    private static let realClips =
        isLongRun
        ? AcceptanceClip.webcams.flatMap { clip in VideoCodec.allCases.map { (clip, $0) } }
        : Array(zip(AcceptanceClip.webcams, VideoCodec.allCases))

    @Test(.needsMedia, arguments: realClips)
    func `The same files of a real clip come out idle and busy`(clip: AcceptanceClip, codec: VideoCodec) throws {
        let path = try clip.path(in: folder)
        try compare(codec, 2) { try FirstFrames(clip.frameCount, of: Clip.open(path)) }
    }

    private func compare(
        _ codec: VideoCodec, _ threadCount: Int, _ makeSource: () throws -> any FrameSource
    ) throws {
        func transcode(_ source: any FrameSource, _ name: String) throws -> [String] {
            var layers = [
                LayerSettings.high(source.format.resolution, bitrate: .kilobits(600), codec: codec), .low(codec),
            ]
            layers[0].encoder.threadCount = threadCount
            return try self.transcode(source, layers, name)
        }
        let idle = try transcode(makeSource(), "idle")
        let busy = try Load(threadCount: 2).during {
            try ["first", "second"].map { try transcode(makeSource(), $0) }
        }
        for files in busy {
            for (path, expected) in zip(files, idle) {
                let bytes = try read(path)
                #expect(bytes.count > 1000, "\(path)")
                let isEqual = bytes == (try read(expected))
                #expect(isEqual, "\(path) is not \(expected)")
            }
        }
    }

    /// Writes both layers, and gives the files' paths.
    private func transcode(_ source: any FrameSource, _ layers: [LayerSettings], _ name: String) throws -> [String] {
        let paths = layers.map { folder.path("\(name)-\($0.rid).ivf") }
        let outputs = try zip(layers, paths).map { layer, path in
            Transcoder.Output.encoded(
                layer, try IVFWriter(path: path, codec: layer.encoder.codec, resolution: layer.resolution))
        }
        let report = try Transcoder(source: source, outputs: outputs).run()
        #expect(report.sourceFailure == nil)
        return paths
    }
}

/// Threads that do nothing, as fast as they can.
private final class Load: Sendable {
    private let isWanted = Atomic(true)
    private let threadCount: Int

    init(threadCount: Int) { self.threadCount = threadCount }

    func during<Result>(_ body: () throws -> Result) throws -> Result {
        let threads = try (0..<threadCount).map { index in
            try NamedThread("load-\(index)") { while self.isWanted.load(ordering: .relaxed) {} }
        }
        defer {
            isWanted.store(false, ordering: .relaxed)
            for thread in threads { thread.join() }
        }
        return try body()
    }
}
