import RillBeauty
import RillCore
import RillLab
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

/// What the live driver decides is what the virtual one decides: the same frames at the same times, encoders and
/// decoders that take the same time. Run under the thread sanitizer by the test script.
@Suite struct LiveAndVirtualTests {
    private let resolution = Resolution(width: 64, height: 48)

    /// Frames that come unevenly, in bursts and with gaps.
    private func captureTimes(seed: UInt64) -> [MediaTime] {
        var random = SeededGenerator(seed: seed)
        var time = MediaTime.zero
        return (0..<80).map { _ in
            time += .milliseconds([9, 12, 20, 33, 50, 90, 130].randomElement(using: &random) ?? 33)
            return time
        }
    }

    private func sendSettings() -> SendSettings {
        var layer = LayerSettings.high(resolution, bitrate: .megabits(2))
        layer.frameRate = 120
        var settings = SendSettings(layers: [layer], seed: 1)
        settings.adaptation = nil
        return settings
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Of frames that come while an encoder is busy both keep the same ones`(seed: UInt64) throws {
        let times = captureTimes(seed: seed)
        let virtual = SenderLog()
        let pictures = try StampedPictures(resolution, times)
        let packets = try PacketSender(sendSettings(), taps: virtual.taps)
        virtual.pipeline.withLock { $0 = packets.pipeline }
        defer { virtual.pipeline.withLock { $0 = nil } }
        let sender = VirtualSender(
            packets, source: pictures, packets: PacketTap { _, _ in }, encodeTime: .milliseconds(60))
        try VirtualDriver([sender]).run { sender.isDone }
        let steps = virtual.steps
        #expect(sender.framesDropped[0] > 5 && virtual.events.count == 80, "\(sender.framesDropped)")

        // The same order of events in real time: each waits for those before it.
        let live = SenderLog(following: steps)
        let livePipeline = try SendPipeline(sendSettings(), taps: live.taps)
        live.pipeline.withLock { $0 = livePipeline }
        defer { live.pipeline.withLock { $0 = nil } }
        let liveSender = try LiveEncoders(
            livePipeline, source: try StampedPictures(resolution, times, followedBy: live))
        try liveSender.waitUntilFinished()
        #expect(!live.hasTimedOut)
        #expect(liveSender.framesDropped == sender.framesDropped)
        #expect(live.events == virtual.events)
    }

    @Test func `Both tell the jitter buffer how long decoding takes`() throws {
        let clip = try CodedClip()
        var stream = JitterBufferSettings(ssrc: CodedClip.ssrc, payloadType: CodedClip.payloadType)
        // Then what is aimed at is the time that decoding takes, and nothing else.
        stream.playoutDelay = .fixed(.zero)
        let packets = clip.packets.prefix(60)
        let shown = Monitor([(timestamp: MediaTime, released: MediaTime, decoded: MediaTime)]())
        let (call, network) = (try VideoCall(source: nil), MemoryTransport())
        let them = try network.join(call, CodedClip.stream) { them in
            let sink = FrameTap { picture in
                guard let released = picture.timestamps[.released], let decoded = picture.timestamps[.decoded] else {
                    return
                }
                shown.withLock { $0.append((picture.captureTime, released, decoded)) }
            }
            try them.show(.high, on: sink) { $0.jitterBuffer = stream }
        }
        let deadline = call.clock.now + .seconds(30)
        for (index, frame) in packets.enumerated() {
            network.deliver(frame)
            while shown.withLock({ $0.count }) <= index, call.clock.now < deadline { LiveClock.pause() }
        }
        while !them.isIdle, call.clock.now < deadline { LiveClock.pause() }
        let liveStatistics = try #require(them.statistics.shown.first).received
        call.endNow()
        let frames = shown.withLock { $0 }
        try #require(frames.count == packets.count)

        // The same packets at the same times, and each frame takes what it took.
        var times: [MediaTime] = []
        let virtual = try ReceivePipeline(
            ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(1)), sink: FrameTap { times.append($0.captureTime) },
            feedback: PacketTap { _, _ in })
        for (index, frame) in packets.enumerated() {
            let (_, now, end) = frames[index]
            for packet in frame { virtual.insert(packet.span, at: now) }
            guard case .decode(let released, of: let stream) = virtual.next(at: now) else {
                Issue.record("frame \(index) is not released at once")
                return
            }
            try virtual.finish(released, of: stream, decoded: end, at: end)
        }
        #expect(times == frames.map(\.timestamp))
        let virtualStatistics = virtual.statistics
        #expect(liveStatistics.stream.targetDelay > .zero)
        #expect(liveStatistics.stream.targetDelay == virtualStatistics.stream.targetDelay)
        #expect(liveStatistics.totalDecodeTime == virtualStatistics.totalDecodeTime)
        #expect(liveStatistics.decoder.framesDecoded == virtualStatistics.decoder.framesDecoded)
    }
}

/// One thing that happens to a sender, in the order in which it does.
private enum Step: Equatable {
    /// The source gives a frame, and it is put where the encoder finds it.
    case captured(Int)
    /// The encoder is done with a frame.
    case encoded(Int)
}

/// Writes down what a sender decides, or follows what another one did. Any thread.
private final class SenderLog: FrameSink, EncodedFrameSink, SendTraceSink, Sendable {
    let pipeline = Monitor<SendPipeline?>(nil)
    private let state = Monitor(State())
    private let script: [Step]?
    /// Behind each step of the script the frame that the encoder has then in work.
    private let inWork: [Int?]

    private struct State {
        var steps: [Step] = []
        var frames: [SendTraceEvent] = []
        var drops: [Int] = []
        var newestTaken = -1
        var captured = 0
        var hasTimedOut = false
    }

    init(following script: [Step]? = nil) {
        self.script = script
        let steps = script ?? []
        inWork = steps.indices.map { index in
            let next = steps[(index + 1)...].firstNonNil { if case .encoded(let frame) = $0 { frame } else { nil } }
            return next.flatMap { steps[...index].contains(.captured($0)) ? $0 : nil }
        }
    }

    var taps: SendTaps { SendTaps(captured: self, encoded: self, trace: self) }
    var steps: [Step] { state.withLock { $0.steps } }
    /// What was encoded with what task, then what was not.
    var events: [SendTraceEvent] { state.withLock { $0.frames + $0.drops.map(SendTraceEvent.dropped) } }
    var hasTimedOut: Bool { state.withLock { $0.hasTimedOut } }

    func consume(_ frame: VideoFrame) {
        let count = state.change { state in
            defer { state.captured += 1 }
            if script == nil { state.steps.append(.captured(state.captured)) }
            return state.captured
        }
        // What is asked of a frame that gives way is asked of its successor.
        if count % 11 == 0 { pipeline.withLock { $0 }?.requestKeyFrame(.high) }
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        let number = state.withLock { state -> Int in
            guard case .frame(_, let task)? = state.frames.last else { preconditionFailure("no frame was begun") }
            return task.frame
        }
        wait(for: .encoded(number))
        state.change { $0.steps.append(.encoded(number)) }
    }

    func begin(_ layers: [StreamLayer.RID]) {}
    func record(cascade: FaceCascade?) {}
    func record(givenFaces faces: [FaceRegion], fromFrame frame: Int) {}

    func record(_ event: SendTraceEvent, of layer: StreamLayer.RID) {
        state.change { state in
            switch event {
            case .frame(_, let task):
                state.frames.append(event)
                state.newestTaken = task.frame
            case .dropped(let frame): state.drops.append(frame)
            case .adapted: break
            }
        }
    }

    func record(beauty options: BeautyOptions, at level: BeautyLevel, fromFrame frame: Int) {}

    func finish() {}

    /// The source was asked for a frame: the one before is where the encoder finds it.
    func captureIsOver(_ frame: Int) {
        if script != nil, frame >= 0 { state.change { $0.steps.append(.captured(frame)) } }
    }

    /// Waits until all is done that comes before `step` in the script.
    func wait(for step: Step) {
        guard let place = script?.firstIndex(of: step) else { return }
        let clock = LiveClock()
        let isDone: Void? = state.wait(untilMonotonic: clock.monotonic(clock.now + .seconds(20))) { state in
            guard state.steps.count >= place else { return nil }
            guard place > 0, let frame = inWork[place - 1] else { return () }
            return state.newestTaken >= frame ? () : nil
        }
        if isDone == nil { state.change { $0.hasTimedOut = true } }
    }
}

extension Sequence {
    fileprivate func firstNonNil<Result>(_ body: (Element) -> Result?) -> Result? {
        for element in self { if let result = body(element) { return result } }
        return nil
    }
}

/// Pictures of given times, each given when a log says that it is its turn.
private final class StampedPictures: FrameSource {
    let format: SourceFormat
    private let pictures: TestPictures
    private let times: [MediaTime]
    private let log: SenderLog?
    private var count = 0

    init(_ resolution: Resolution, _ times: [MediaTime], followedBy log: SenderLog? = nil) throws {
        format = SourceFormat(resolution: resolution, frameRate: nil, isLive: log != nil)
        pictures = try TestPictures(resolution, capacity: 12)
        self.times = times
        self.log = log
    }

    func next() -> SourceOutput {
        log?.captureIsOver(count - 1)
        guard count < times.count else { return .end }
        log?.wait(for: .captured(count))
        var frame = pictures.picture(count)
        frame.captureTime = times[count]
        count += 1
        return .frame(frame)
    }
}
