import RillCodec
import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

/// The live driver: real threads, paced by the frames' timestamps. Run under the thread sanitizer by the test script,
/// so sizes are small and nothing depends on how fast the machine is.
struct LiveDriverTests {
    private let resolution = Resolution(width: 96, height: 64)

    private var layers: [LayerSettings] {
        var low = LayerSettings.low
        low.resolution = Resolution(width: 48, height: 32)
        return [.high(resolution, bitrate: .kilobits(100)), low]
    }

    @Test func `The live driver gives the bytes of the offline one`() throws {
        let pictures = try LoopedPictures(resolution, frameCount: 45)
        let live = CodedRecording()
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: live))
        let source = PatientPictures(try LoopedPictures(resolution, frameCount: 45), live, layers: layers)
        let sender = try LiveEncoders(pipeline, source: source)
        try sender.waitUntilFinished()
        // With dropped frames the bytes would rightly differ: TraceReplayTests compares those too.
        #expect(sender.framesDropped == [0, 0])

        let offline = CodedRecording()
        let encoder = try SimulcastEncoder(layers: layers)
        while case .frame(let frame) = pictures.next() {
            try encoder.encode(frame) { offline.consume($0, payload: $1) }
        }
        for rid in [StreamLayer.RID.high, .low] {
            #expect(live.frames(of: rid) == offline.frames(of: rid), "\(rid)")
        }
        #expect(live.frames(of: .high).count == 45 && live.frames(of: .low).count == 8)
    }

    @Test func `A live call shows what was sent`() throws {
        var settings = LoopbackSettings(
            layers: layers, network: try LinkSettings(notation: "delay=5ms,jitter=1ms"))
        settings.playoutDelay = .fixed(.milliseconds(60))
        let pictures = try LoopedPictures(resolution, frameCount: 45)
        let report = try Loopback(settings) { LoopedPictures(pictures) }.runLive()
        #expect(report.mode == "live" && report.framesCaptured == 45)
        for layer in report.layers {
            #expect(layer.received.framesDecoded == layer.sent.framesEncoded, "\(layer.rid)")
            #expect(layer.received.packetsLost == 0)
            #expect(layer.sent.framesEncoded + layer.sent.framesDropped == (layer.rid == "high" ? 45 : 8))
        }
    }

    @Test func `Stopping ends an endless source`() throws {
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1))
        let sender = try LiveEncoders(pipeline, source: try LoopedPictures(resolution, frameCount: 1_000_000))
        while sender.framesCaptured < 5 { LiveClock.pause() }
        try sender.stop()
        #expect(sender.isFinished && sender.framesCaptured < 1000)
    }

    @Test func `A sink that fails ends the session with its error`() throws {
        struct DiskFull: Error {}
        final class FullDisk: EncodedFrameSink {
            func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
                if frame.number == 3 { throw DiskFull() }
            }
            func finish() {}
        }
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: FullDisk()))
        let sender = try LiveEncoders(pipeline, source: try LoopedPictures(resolution, frameCount: 1_000_000))
        #expect(throws: DiskFull.self) { try sender.waitUntilFinished() }
    }

    @Test func `Controls from other threads reach the layers`() async throws {
        let recording = CodedRecording()
        let pipeline = try SendPipeline(
            SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: recording))
        let sender = try LiveEncoders(pipeline, source: try LoopedPictures(resolution, frameCount: 60))
        await withTaskGroup { group in
            group.addTask { for _ in 0..<20 { pipeline.requestKeyFrame(.high) } }
            group.addTask { for rate in 50..<70 { try? pipeline.setBitrate(.kilobits(rate), of: .low) } }
            group.addTask { for index in 0..<20 { pipeline.setActive(index % 2 == 1, .low) } }
            group.addTask { for _ in 0..<20 { _ = pipeline.statistics } }
        }
        try sender.waitUntilFinished()
        #expect(pipeline.statistics[0].encoder.keyFramesEncoded >= 1)
        #expect(recording.frames(of: .high).count + sender.framesDropped[0] == 60)
    }

    @Test func `A source is paced from its first frame, wherever its clock starts`() throws {
        let source = try ShiftedPictures(resolution, start: .seconds(1_000_000), spacing: .milliseconds(1), count: 5)
        let sender = try LiveEncoders(try SendPipeline(SendSettings(layers: layers, seed: 1)), source: source)
        try sender.waitUntilFinished()
        #expect(sender.framesCaptured == 5)
    }

    @Test func `A clip's frames count as captured when they are due, however late its thread wakes`() throws {
        let kept = Monitor([StreamLayer.RID: [(captureTime: MediaTime, timestamps: FrameTimestamps)]]())
        let tap = EncodedFrameTap { frame, _ in
            kept.withLock { $0[frame.layer.rid, default: []].append((frame.captureTime, frame.timestamps)) }
        }
        let pipeline = try SendPipeline(SendSettings(layers: layers, seed: 1), taps: SendTaps(encoded: tap))
        let source = try ShiftedPictures(resolution, start: .seconds(7), spacing: .milliseconds(11), count: 20)
        try LiveEncoders(pipeline, source: source).waitUntilFinished()
        let frames = kept.withLock { $0 }
        #expect(Set(frames.keys) == [.high, .low])
        for (rid, frames) in frames {
            let lags = Set(frames.compactMap { frame in frame.timestamps[.captured].map { $0 - frame.captureTime } })
            #expect(lags.count == 1, "\(rid): \(lags)")
            for frame in frames {
                let stages: [FrameTimestamps.Stage] = [.captured, .preprocessed, .scaled, .encoded]
                let timestamps = stages.compactMap { frame.timestamps[$0] }
                #expect(timestamps.count == 4 && timestamps == timestamps.sorted(), "\(rid): \(timestamps)")
            }
        }
    }

    @Test func `Stopping does not wait for the next frame's time`() throws {
        let source = try ShiftedPictures(resolution, start: .zero, spacing: .seconds(3600), count: 5)
        let sender = try LiveEncoders(try SendPipeline(SendSettings(layers: layers, seed: 1)), source: source)
        while sender.framesCaptured < 1 { LiveClock.pause() }
        try sender.stop()
        #expect(sender.framesCaptured == 1)
    }

    @Test func `A link's thread ends with a link that was not stopped`() throws {
        final class Witness: Sendable {}
        weak var ofLink: Witness?
        do {
            let witness = Witness()
            ofLink = witness
            _ = try LiveLink(.clean, clock: LiveClock()) { _, _ in _ = witness }
        }
        let clock = LiveClock()
        while ofLink != nil, clock.now < .zero + .seconds(20) { LiveClock.pause() }
        #expect(ofLink == nil)
    }
}

/// Pictures of which each waits until all before it were encoded, so that none has to give way however busy the machine
/// is.
private final class PatientPictures: FrameSource {
    private let pictures: LoopedPictures
    private let recording: CodedRecording
    /// For each layer, every how many of the source's frames it takes one.
    private let steps: [(rid: StreamLayer.RID, step: Int)]
    private var count = 0

    init(_ pictures: LoopedPictures, _ recording: CodedRecording, layers: [LayerSettings]) {
        self.pictures = pictures
        self.recording = recording
        steps = layers.map { ($0.rid, 30 / $0.frameRate.numerator) }
    }

    var format: SourceFormat { pictures.format }

    func next() -> SourceOutput {
        let clock = LiveClock()
        // The test fails where this does not suffice.
        while clock.now < .zero + .seconds(60), !isEncoded { LiveClock.pause() }
        count += 1
        return pictures.next()
    }

    private var isEncoded: Bool {
        steps.allSatisfy { rid, step in recording.frames(of: rid).count >= (count + step - 1) / step }
    }
}

/// A few pictures whose timestamps begin anywhere and lie any length apart.
private final class ShiftedPictures: FrameSource {
    let format: SourceFormat
    private let pictures: TestPictures
    private let spacing: MediaDuration
    private var remaining: Int
    private var time: MediaTime

    init(_ resolution: Resolution, start: MediaDuration, spacing: MediaDuration, count: Int) throws {
        format = SourceFormat(resolution: resolution, frameRate: nil)
        pictures = try TestPictures(resolution)
        self.spacing = spacing
        remaining = count
        time = .zero + start
    }

    func next() -> SourceOutput {
        guard remaining > 0 else { return .end }
        remaining -= 1
        var frame = pictures.picture(remaining)
        frame.captureTime = time
        time += spacing
        return .frame(frame)
    }
}
