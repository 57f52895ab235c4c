import Glibc
import RillCore
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

/// Calls over bad networks: what is shown is what a plain model of the stream says, and key frames come when they are
/// asked for, on the layer that asked, and never otherwise.
struct LossyCallTests {
    static let networks = [
        "loss=1%", "loss=5%", "loss=20%", "reorder=5%", "duplicate=5%", "loss=3%,reorder=3%,rate=3M",
    ]
    static let seeds: ClosedRange<UInt64> = isLongRun ? 1...100 : 1...3

    @Test(arguments: networks, seeds)
    func `The frames shown are those that the model calls decodable`(network: String, seed: UInt64) throws {
        let settings = try LinkSettings(notation: "\(network),delay=40ms,jitter=10ms,seed=\(seed)")
        let source = try LoopedPictures(.vga, frameCount: 150)
        let call = try LoggedCall(source, layers: [.high(.vga, bitrate: .kilobits(800)), .low], network: settings)
        for (name, layer) in zip(["high", "low"], call.layers) {
            let context = "\(name) over \(network), seed \(seed)"
            try compareWithModel(layer, context)
            compareKeyFramesWithRequests(layer, context)
        }
    }

    private func compareWithModel(_ layer: LoggedCall.LayerLog, _ context: String) throws {
        let first = try #require(layer.frames.first).timestamp
        let frames = layer.frames.map { frame in
            DecodabilityModel.Frame(
                // From the first stamp's own 32 bits on, as the receiver counts: times then round alike.
                timestamp: Int64(first.rawValue) + Int64(frame.timestamp.distance(since: first)), isKey: frame.isKey,
                arrivals: frame.arrivals)
        }
        let end = try #require(layer.frames.last).captureTime + .seconds(2)
        let model = DecodabilityModel(
            frames, playoutDelay: .milliseconds(100), roundTripTime: .milliseconds(100), until: end)
        let expected = model.releases.filter(\.isShown).map { "\(layer.frames[$0.frame].timestamp) at \($0.time)" }
        let shown = layer.shown.map { "\($0.timestamp) at \($0.time)" }
        #expect(shown == expected, "\(context)")
        #expect(layer.requests.filter { $0 < end } == model.requests.filter { $0 < end }, "\(context)")
        #expect(layer.received?.decoder.framesDecoded == model.releases.count, "\(context)")
        #expect(layer.received?.decoder.framesCorrupted == 0, "\(context)")
        for (earlier, later) in zip(model.requests, model.requests.dropFirst()) {
            #expect(later - earlier >= .milliseconds(300), "\(context)")
        }
    }

    /// Each request that arrives (copies within the sender's window are the same request) makes the layer's next frame
    /// a key frame, and nothing else does.
    private func compareKeyFramesWithRequests(_ layer: LoggedCall.LayerLog, _ context: String) {
        var honored: [MediaTime] = []
        for arrival in layer.requestArrivals where honored.last.map({ arrival - $0 >= .milliseconds(200) }) ?? true {
            honored.append(arrival)
        }
        var expected: Set<Int> = [0]
        for time in honored {
            // A request that comes with a frame's own instant is heard after the frame was taken.
            if let index = layer.frames.firstIndex(where: { $0.captureTime > time }) { expected.insert(index) }
        }
        let keys = Set(layer.frames.indices.filter { layer.frames[$0].isKey })
        #expect(keys == expected, "\(context)")
    }

    /// Broken chains are noticed in time: within a frame interval and the playout delay of the loss.
    @Test(arguments: seeds)
    func `A lost frame leads to a request in time`(seed: UInt64) throws {
        let settings = try LinkSettings(notation: "loss=2%,delay=40ms,seed=\(seed)")
        let source = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 300)
        let high = LayerSettings.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300))
        let call = try LoggedCall(source, layers: [high, .low], network: settings)
        for (layer, interval) in zip(call.layers, [MediaDuration.seconds(1.0 / 30), .milliseconds(200)]) {
            guard let firstLost = layer.frames.firstIndex(where: { $0.arrivals.contains { $0 == nil } }) else {
                continue
            }
            let lost = layer.frames[firstLost]
            guard firstLost + 1 < layer.frames.count else { continue }
            let request = try #require(layer.requests.first, "nothing was asked for, seed \(seed)")
            // 40 ms there, a frame interval until the next frame shows the gap, the playout delay; a little for
            // rounding.
            let limit = lost.captureTime + .milliseconds(40) + interval + .milliseconds(101)
            #expect(request <= limit, "asked at \(request), at the latest due \(limit), seed \(seed)")
            #expect(request > lost.captureTime, "seed \(seed)")
        }
    }

    @Test func `A key frame request on one layer makes none on the other`() throws {
        let log = KeyFrameLog()
        let pipeline = try SendPipeline(
            SendSettings(
                layers: [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300)), .low], seed: 5),
            taps: SendTaps(encoded: log))
        let source = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 1000)
        var asked: [StreamLayer.RID: [Int]] = [.high: [0], .low: [0]]
        var index = 0
        while case .frame(let frame) = source.next() {
            if index % 70 == 35 {
                pipeline.requestKeyFrame(.low)
                // The low layer's next frame is the next multiple of six.
                let next = (index + 5) / 6 * 6
                if next < 1000 { asked[.low]?.append(next) }
            }
            if index % 130 == 77 {
                pipeline.requestKeyFrame(.high)
                asked[.high]?.append(index)
            }
            try pipeline.encode(frame, at: frame.captureTime)
            index += 1
        }
        #expect(index == 1000)
        #expect(log.keys == asked)
    }
}

/// Which frames were key frames, by their place in the source at 30 frames a second.
private final class KeyFrameLog: EncodedFrameSink, Sendable {
    private let state = Monitor([StreamLayer.RID: [Int]]())
    var keys: [StreamLayer.RID: [Int]] { state.withLock { $0 } }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        guard frame.isKey else { return }
        let index = Int((frame.captureTime.seconds * 30).rounded())
        state.withLock { $0[frame.layer.rid, default: []].append(index) }
    }

    func finish() {}
}
