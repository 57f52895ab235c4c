import Glibc
import RillCore
import RillLab
import RillLink
import RillTestSupport
import Testing

@testable import Rill

/// Ten minutes of a call in virtual time, in a process of its own: memory is what the whole process takes.
struct LongCallTests {
    static let networks =
        ["loss=2%,delay=40ms,jitter=10ms,reorder=1%,duplicate=1%,seed=5"]
        + (isLongRun ? ["delay=40ms,jitter=10ms"] : [])

    @Test(
        .enabled(if: !isAddressSanitized, "the address sanitizer keeps freed memory"), arguments: networks)
    func `Memory does not grow after the first minute`(network: String) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [network] in
            try LongCall(network: network).run()
        }
        if let output = result?.standardOutputContent { note(String(decoding: output, as: UTF8.self)) }
    }
}

private struct LongCall {
    private let settings: LoopbackSettings
    /// A little more than ten minutes, so that the tenth is whole.
    private let frameCount = 30 * 602

    init(network: String) throws {
        var (high, low) = (LayerSettings.high(.vga, bitrate: .kilobits(800)), LayerSettings.low)
        if !isLongRun {
            high = .high(Resolution(width: 80, height: 64), bitrate: .kilobits(60))
            (low.resolution, low.bitrate) = (Resolution(width: 40, height: 32), .kilobits(15))
        }
        settings = LoopbackSettings(layers: [high, low], network: try LinkSettings(notation: network))
    }

    func run() throws {
        let pictures = try TestPictures(settings.layers[0].resolution, capacity: 20)
        let distinct = (0..<20).map(pictures.picture)
        var sources: [PooledPictures] = []
        var sizes: [Int: Int] = [:]
        let report = try Loopback(settings) {
            let source = try PooledPictures(distinct, frameCount: frameCount)
            sources.append(source)
            return source
        }.runInVirtualTime { time in
            let minute = Int(time.nanoseconds / 60_000_000_000)
            // One that is missing fails the comparison.
            if sizes[minute] == nil { sizes[minute] = try? residentByteCount() }
        }
        let (first, last) = (try #require(sizes[1]), try #require(sizes[10]))
        #expect(last - first < 1 << 20, "\(first) bytes after the first minute, \(last) after the tenth")

        // The sender's and the two comparators' frames: never one too few, and all are back.
        #expect(sources.map(\.statistics.misses) == [0, 0, 0])
        #expect(sources.map(\.statistics.inUse) == [0, 0, 0])
        #expect(sources[0].statistics.handedOut == frameCount)
        for layer in report.layers {
            #expect(layer.sent.framesEncoded == (layer.rid == "high" ? frameCount : frameCount / 6), "\(layer.rid)")
            guard settings.network.loss == .zero else { continue }
            // A decoder whose pool was dry would have decoded more than was shown.
            #expect(layer.received.framesShown == layer.sent.framesEncoded, "\(layer.rid)")
        }
        let shown = report.layers.map(\.received.framesShown)
        print("\(report.network): \(first) bytes resident after minute 1, \(last) after minute 10, \(shown) shown")
    }
}

/// A few pictures, over and over, each time in a buffer of the source's own pool, as a camera gives them.
private final class PooledPictures: FrameSource {
    let format: SourceFormat
    private let pictures: [VideoFrame]
    private let pool: FramePool
    private var count = 0

    init(_ pictures: [VideoFrame], frameCount: Int) throws {
        self.pictures = pictures
        self.pool = try FramePool(resolution: pictures[0].resolution, capacity: 8)
        self.format = SourceFormat(resolution: pictures[0].resolution, frameRate: 30, frameCount: frameCount)
    }

    var statistics: FramePool.Statistics { pool.statistics }

    func next() -> SourceOutput {
        guard let total = format.frameCount, count < total else { return .end }
        guard var frame = pictures[count % pictures.count].copied(into: pool) else { return .noBuffer }
        frame.captureTime = FrameRate(30).time(ofFrame: count)
        count += 1
        return .frame(frame)
    }
}
