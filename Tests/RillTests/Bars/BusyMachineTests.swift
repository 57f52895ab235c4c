import RillTestSupport
import Synchronization
import Testing

@testable import Rill

/// A transcode gives the same files whatever else the machine does.
struct BusyMachineTests {
    let folder = TemporaryFolder()

    @Test func theSameFilesComeOutIdleAndBusy() throws {
        let pictures = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: isLongRun ? 1000 : 150)
        try compare { LoopedPictures(pictures) }
    }

    @Test(.needsMedia, arguments: BarClip.webcams)
    func theSameFilesOfARealClipComeOutIdleAndBusy(clip: BarClip) throws {
        let path = try clip.path(in: folder)
        try compare { try FirstFrames(clip.frameCount, of: Clip.open(path)) }
    }

    private func compare(_ makeSource: () throws -> any FrameSource) throws {
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
    private func transcode(_ source: any FrameSource, _ name: String) throws -> [String] {
        let layers = [LayerSettings.high(source.format.resolution, bitrate: .kilobits(600)), .low]
        let paths = layers.map { folder.path("\(name)-\($0.rid).ivf") }
        let outputs = try zip(layers, paths).map { layer, path in
            Transcoder.Output.encoded(
                layer, try IVFWriter(path: path, codec: .vp8, resolution: layer.resolution))
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

    func during<Result>(_ body: () throws -> Result) rethrows -> Result {
        let threads = (0..<threadCount).map { index in
            NamedThread("load-\(index)") { while self.isWanted.load(ordering: .relaxed) {} }
        }
        defer {
            isWanted.store(false, ordering: .relaxed)
            for thread in threads { thread.join() }
        }
        return try body()
    }
}
