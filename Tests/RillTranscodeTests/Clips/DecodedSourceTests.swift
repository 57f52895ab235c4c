import Foundation
import RillCodec
import RillCore
import RillFiles
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

/// IVF files as sources of pictures, and their reported rates.
struct DecodedSourceTests {
    private let folder = TemporaryFolder()
    private let resolution = Resolution(width: 64, height: 48)

    /// A file of as many frames, in milliseconds.
    private func makeClip(_ milliseconds: [Int64]) throws -> String {
        let path = folder.path("clip.ivf")
        let writer = try IVFWriter(path: path, codec: .vp8, resolution: resolution, timeBase: .init(1, 1000))
        let layer = LayerSettings.high(resolution, bitrate: .kilobits(300)).takingEveryFrame(of: 30)
        let encoder = try SimulcastEncoder(layers: [layer])
        let source = try LoopedPictures(resolution, frameCount: milliseconds.count)
        var rest = milliseconds[...]
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { try writer.write($1, at: rest.removeFirst()) }
        }
        try writer.finish()
        return path
    }

    private func times(_ source: DecodedSource) throws -> [Int64] {
        var times: [Int64] = []
        while case .frame(let frame) = try source.next() { times.append(frame.captureTime.nanoseconds / 1_000_000) }
        return times
    }

    @Test(arguments: [400, 2, 5] as [Int64])
    func `The first interval decides nothing`(first: Int64) throws {
        let timestamps: [Int64] = [0] + (0..<Int64(100)).map { first + $0 * 1000 / 60 }
        let source = try DecodedSource(path: makeClip(timestamps))
        #expect(source.format.frameRate == 60)
        #expect(try times(source) == timestamps)
    }

    @Test func `A file of one frame has the usual rate`() throws {
        let source = try DecodedSource(path: makeClip([7]))
        #expect(source.format.frameRate == 30)
        // Times count from the first frame of the file.
        #expect(try times(source) == [0])
    }

    /// Frames that show no picture have timestamps, too, and VP9 hides some of them in others.
    @Test(arguments: ["vp8", "vp9", "vp9-hidden", "vp9-resized"])
    func `The index has the shown frames`(stream: String) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Streams/\(stream).ivf").path
        let source = try DecodedSource(path: path)
        var times: [MediaTime] = []
        while case .frame(let frame) = try source.next() { times.append(frame.captureTime) }
        #expect(try IVFIndex(of: IVFReader(path: path)).times == times && !times.isEmpty)
    }

    /// A pipe cannot be scanned: its first second decides, and the packets of that second are not lost.
    @Test func `For a pipe the first second decides`() throws {
        let slow = (0..<Int64(60)).map { 500 + $0 * 40 }
        let fast = (1..<Int64(60)).map { 2900 + $0 * 10 }
        let timestamps = [0] + slow + fast
        let clip = try makeClip(timestamps)
        #expect(try DecodedSource(path: clip).format.frameRate == 25)
        let pipe = folder.path("pipe.ivf")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let bytes = try read(clip)
        Thread.detachNewThread {
            // The reader reads all; where it fails, the test has failed already.
            try? FileHandle(forWritingAtPath: pipe)?.write(contentsOf: Data(bytes))
        }
        let source = try DecodedSource(path: pipe)
        #expect(source.format.frameRate == 25)
        #expect(try times(source) == timestamps)
    }
}
