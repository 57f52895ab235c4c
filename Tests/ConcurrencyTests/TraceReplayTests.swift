import Foundation
import Rill
import RillBeauty
import RillCodec
import RillCore
import RillMediaSupport
import RillScenes
import RillTestSupport
import RillThreads
import Testing

@testable import RillLab

/// What a live run made of its frames can be made again from its trace.
struct TraceReplayTests {
    let folder = TemporaryFolder()

    @Test(arguments: VideoCodec.allCases)
    func `A run that dropped and adapted gives the same bytes offline`(codec: VideoCodec) throws {
        let resolution = Resolution(width: 320, height: 240)
        func source() throws -> LoopedPictures {
            try LoopedPictures(resolution, frameRate: 120, frameCount: 240)
        }
        var high = LayerSettings.high(resolution, bitrate: .kilobits(800), codec: codec)
        high.frameRate = 120
        let low = LayerSettings.low(codec)
        var settings = SendSettings(layers: [high, low], seed: 3)
        settings.adaptation?.window = .milliseconds(150)
        let path = folder.path("call.trace")
        // The layer's thread waits for the sink: the machine is too slow, however fast it is.
        let live = CodedRecording()
        let pipeline = try SendPipeline(
            settings, taps: SendTaps(encoded: SlowSink(live, of: .high), trace: try SendTraceWriter(path: path)))
        let sender = try LiveEncoders(pipeline, source: try source())
        for _ in 0..<8 {
            sender.clock.sleep(until: sender.clock.now + .milliseconds(50))
            pipeline.requestKeyFrame(.low)
            try pipeline.change(.high) { $0.bitrate = .kilobits(300 + Int.random(in: 0...500)) }
        }
        pipeline.restartEncoder(.high)
        try sender.waitUntilFinished()

        let trace = try SendTrace(path: path)
        let offline = CodedRecording()
        try TraceReplay(trace, source: source()).run { offline.consume($0, payload: $1) }
        for rid in [StreamLayer.RID.high, .low] {
            let isEqual = live.frames(of: rid) == offline.frames(of: rid)
            #expect(isEqual, "\(codec), \(rid)")
            #expect(live.frames(of: rid).count > 5, "\(codec), \(rid)")
        }
        #expect(trace.layers.map(\.rid) == [.high, .low] && trace.layers.map(\.framesDropped) == sender.framesDropped)
        #expect(sender.framesDropped[0] > 10, "nothing was dropped: the test shows nothing")
        #expect(trace.layers.contains { $0.rid == .high && $0.adaptations > 0 })
        let limited = try #require(pipeline.statistics.first)
        #expect(limited.qualityLimitationReason == .cpu)
    }

    /// What was done to faces, changed on the way and limited by a deadline, is done again.
    @Test func `The beauty filter is replayed as recorded`() throws {
        let resolution = Resolution(width: 160, height: 120)
        func scene() throws -> PortraitScene {
            try PortraitScene(resolution: resolution, frameRate: 30, frameCount: 24)
        }
        let path = folder.path("call.trace")
        let live = CodedRecording()
        var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(300))], seed: 1)
        settings.beautyBudget = .milliseconds(1)
        settings.modeledBeautyCost = .milliseconds(3)
        let pipeline = try SendPipeline(
            settings, taps: SendTaps(encoded: live, trace: try SendTraceWriter(path: path)))
        let source = try scene()
        var count = 0
        while case .frame(let frame) = source.next() {
            if count == 4 { pipeline.setBeauty(.strong) }
            if count == 20 { pipeline.setBeauty(.natural) }
            try pipeline.encode(frame, at: frame.captureTime)
            count += 1
        }
        try pipeline.finish()

        let trace = try SendTrace(path: path)
        #expect(trace.beauty.first == SendTrace.Beauty(frame: 0, options: .off, level: .full))
        #expect(trace.beauty.contains { $0.frame == 4 && $0.options == .strong })
        #expect(trace.beauty.contains { $0.frame == 20 && $0.options == .natural && $0.level > .full })
        let offline = CodedRecording()
        try TraceReplay(trace, source: scene()).run { offline.consume($0, payload: $1) }
        let isEqual = live.frames(of: .high) == offline.frames(of: .high)
        #expect(isEqual && live.frames(of: .high).count == 24)
        // Without it the bytes are others: the comparison shows something.
        let plain = CodedRecording()
        try TraceReplay(trace, source: scene(), isPreprocessed: true).run { plain.consume($0, payload: $1) }
        #expect(live.frames(of: .high) != plain.frames(of: .high))
    }

    /// Faces found by a cascade and given by the app are known again, and by another cascade nothing is replayed.
    @Test func `Faces are replayed as recorded`() throws {
        let resolution = Resolution(width: 160, height: 120)
        func scene() throws -> PortraitScene {
            try PortraitScene(resolution: resolution, frameRate: 30, frameCount: 90)
        }
        let (cascade, other) = (try Self.cascade(threshold: 0), try Self.cascade(threshold: 0.01))
        let path = folder.path("call.trace")
        let live = CodedRecording()
        var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(300))], seed: 1)
        settings.faces = .cascade(cascade)
        let pipeline = try SendPipeline(
            settings, taps: SendTaps(encoded: live, trace: try SendTraceWriter(path: path)))
        let source = try scene()
        let face = FaceRegion(x: 54, y: 26, side: 52)
        var count = 0
        while case .frame(let frame) = source.next() {
            if count == 4 { pipeline.setBeauty(.strong) }
            if count == 2 || count == 12 { pipeline.giveFaces([face], at: frame.captureTime) }
            if count == 30 { pipeline.giveFaces([], at: frame.captureTime) }
            try pipeline.encode(frame, at: frame.captureTime)
            count += 1
        }
        try pipeline.finish()

        let trace = try SendTrace(path: path)
        #expect(trace.cascade == cascade.checksum)
        // What was given before beauty was on had no effect.
        #expect(
            trace.givenFaces == [
                SendTrace.GivenFaces(frame: 12, faces: [face]), SendTrace.GivenFaces(frame: 30, faces: []),
            ])
        let offline = CodedRecording()
        try TraceReplay(trace, source: scene(), faces: .cascade(cascade)).run { offline.consume($0, payload: $1) }
        let isEqual = live.frames(of: .high) == offline.frames(of: .high)
        #expect(isEqual && live.frames(of: .high).count == 90)
        for faces in [FaceDetection.cascade(other), .off] {
            #expect(throws: TraceError.self) { try TraceReplay(trace, source: scene(), faces: faces).run { _, _ in } }
        }
        // A trace without faces is not replayed with any.
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        lines.removeAll { $0.hasPrefix("* faces") || $0.hasPrefix("* cascade") }
        let blind = try SendTrace(parsing: Array(lines.joined(separator: "\n").utf8 + [10]).span)
        let without = CodedRecording()
        try TraceReplay(blind, source: scene(), faces: .cascade(cascade)).run { without.consume($0, payload: $1) }
        #expect(live.frames(of: .high) != without.frames(of: .high))
    }

    /// A cascade that takes much for a face: what is brighter below than above.
    private static func cascade(threshold: Float) throws -> FaceCascade {
        let whole = FaceCascade.Rectangle(x: 0, y: 0, width: 8, height: 8, weight: -1)
        let lower = FaceCascade.Rectangle(x: 0, y: 4, width: 8, height: 4, weight: 2)
        let node = FaceCascade.Node(feature: 0, threshold: threshold, below: .leaf(0), above: .leaf(1))
        return try FaceCascade(
            side: 8, features: [[whole, lower]], stages: [FaceCascade.Stage(trees: [[node]], threshold: 0.5)])
    }

    @Test func `Another clip is found out`() throws {
        let path = folder.path("call.trace")
        let pictures = try LoopedPictures(.qqvga, frameCount: 30)
        let pipeline = try SendPipeline(
            SendSettings(layers: [.low], seed: 1), taps: SendTaps(trace: try SendTraceWriter(path: path)))
        while case .frame(let frame) = pictures.next() {
            try pipeline.encode(frame, at: frame.captureTime)
        }
        try pipeline.finish()
        let short = try LoopedPictures(.qqvga, frameCount: 20)
        #expect(throws: TraceError.sourceTooShort(frameCount: 20, wantedFrame: 24)) {
            try TraceReplay(SendTrace(path: path), source: short).run { _, _ in }
        }
    }
}

/// Takes 25 ms for each frame of one layer.
private final class SlowSink: EncodedFrameSink {
    private let sink: CodedRecording
    private let rid: StreamLayer.RID
    private let clock = LiveClock()

    init(_ sink: CodedRecording, of rid: StreamLayer.RID) {
        self.sink = sink
        self.rid = rid
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        sink.consume(frame, payload: payload)
        if frame.layer.rid == rid { clock.sleep(until: clock.now + .milliseconds(25)) }
    }

    func finish() { sink.finish() }
}
