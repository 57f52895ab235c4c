import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillReceive
import RillTestSupport
import Testing

@testable import Rill

/// A codec that Rill knows nothing of, through the whole pipeline in virtual time.
struct OwnCodecTests {
    static let resolution = Resolution(width: 64, height: 48)

    /// What became of a call.
    private struct Call {
        var sent: [MediaTime: UInt64] = [:]
        var shown: [(time: MediaTime, sum: UInt64)] = []
        var sender: SendStatistics
        var received: ReceiveStatistics
    }

    private func call(
        _ network: String, frames: Int = 90, usesRTX: Bool = true, nack: NACKSettings? = NACKSettings(),
        protection: FECSettings? = nil, playoutDelay: MediaDuration = .milliseconds(300),
        during: (PacketSender, Int) throws -> Void = { _, _ in }
    ) throws -> Call {
        let link = try LinkSettings(notation: network)
        var settings = SendSettings(layers: [Self.layer()], seed: link.seed)
        settings.adaptation = nil
        settings.maximumPacketSize = 400
        settings.fec = protection
        if !usesRTX { settings.retransmissionPayloadType = nil }
        settings.makeEncoder = { layer in
            layer.codec == .runLength ? RunLengthEncoder(layer.rid, layer.resolution) : nil
        }
        let log = Log()
        let taps = SendTaps(preprocessed: FrameTap { log.sent[$0.captureTime] = checksum($0) })
        let sender = try PacketSender(settings, taps: taps)
        var receive = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(0x1000))
        receive.jitterBuffer.playoutDelay = .fixed(playoutDelay)
        receive.jitterBuffer.nack = nack
        receive.makeDecoder = { _ in RunLengthDecoder() }
        let screen = FrameTap { log.shown.append(($0.captureTime, checksum($0))) }
        let call = try VirtualCall(
            sender, source: try LoopedPictures(Self.resolution, frameCount: frames), over: VirtualLink(link),
            back: VirtualLink(link.seeded(link.seed &+ 1000))
        ) { try ReceivePipeline(receive, sink: screen, feedback: $0) }
        try call.run(drainingFor: .seconds(2))
        return Call(
            sent: log.sent, shown: log.shown, sender: sender.statistics[0],
            received: call.receiver.pipeline.statistics)
    }

    // The tests' drivers run everything on one thread.
    private final class Log: @unchecked Sendable {
        var sent: [MediaTime: UInt64] = [:]
        var shown: [(time: MediaTime, sum: UInt64)] = []
    }

    static func layer(_ codec: VideoCodec = .runLength) -> LayerSettings {
        LayerSettings(
            rid: .high, resolution: resolution, frameRate: 30, bitrate: .kilobits(500),
            encoder: EncoderSettings(codec))
    }

    /// The codec is without loss: each picture shown is one that was sent.
    private func expectTruePictures(_ call: Call, _ comment: Comment? = nil) {
        let sums = Set(call.sent.values)
        #expect(call.shown.allSatisfy { sums.contains($0.sum) }, comment)
        #expect(call.received.decoder.framesCorrupted == 0, comment)
    }

    @Test func `A clean call shows every picture`() throws {
        let call = try call("delay=20ms")
        expectTruePictures(call)
        #expect(call.shown.count == 90 && call.received.decoder.framesDecoded == 90)
        #expect(call.sender.encoder.framesEncoded == 90 && call.sender.encoder.keyFramesEncoded == 1)
        #expect(call.sender.encoder.bytesEncoded > 0 && call.received.decoder.keyFramesDecoded == 1)
    }

    @Test(arguments: [true, false], 1...3 as ClosedRange<UInt64>)
    func `Lost packets are retransmitted`(usesRTX: Bool, seed: UInt64) throws {
        let call = try call("delay=20ms,loss=3%,seed=\(seed)", usesRTX: usesRTX)
        expectTruePictures(call, "seed \(seed)")
        #expect(call.sender.stream.nackCount > 0 && call.sender.stream.retransmittedPacketsSent > 0)
        #expect(call.shown.count >= 85, "\(call.shown.count) shown, seed \(seed)")
    }

    @Test func `FEC packets restore lost packets`() throws {
        let protection = FECSettings(
            percentage: .percent(50), payloadType: PayloadType(101), redPayloadType: PayloadType(100))
        let call = try call("delay=20ms,loss=3%,seed=5", protection: protection)
        expectTruePictures(call)
        #expect(call.shown.count >= 85)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Without repair a key frame is requested and arrives`(seed: UInt64) throws {
        let call = try call("delay=20ms,loss=2%,seed=\(seed)", frames: 200, nack: nil, playoutDelay: .milliseconds(60))
        expectTruePictures(call, "seed \(seed)")
        #expect(call.sender.encoder.keyFramesEncoded > 1 && call.received.decoder.keyFramesDecoded > 1)
        #expect(call.sender.stream.pliCount > 0, "seed \(seed)")
        #expect(!call.shown.isEmpty)
    }

    @Test func `Run-time changes are passed to the encoder`() throws {
        let log = RunLengthEncoder.Log()
        var settings = SendSettings(layers: [Self.layer()], seed: 1)
        settings.makeEncoder = { RunLengthEncoder($0.rid, $0.resolution, log: log) }
        let keys = KeyLog()
        let sender = try PacketSender(
            settings, taps: SendTaps(encoded: EncodedFrameTap { frame, _ in keys.frames.append(frame) }))
        let pipeline = sender.pipeline
        let pictures = try TestPictures(Self.resolution)
        for index in 0..<6 {
            let frame = pictures.picture(index)
            if index == 1 { try pipeline.setBitrate(.kilobits(100), of: .high) }
            if index == 2 { pipeline.requestKeyFrame(.high) }
            if index == 3 { pipeline.restartEncoder(.high) }
            if index == 4 { try pipeline.change(.high) { $0.resolution = Resolution(width: 32, height: 24) } }
            if index == 5 { try pipeline.change(.high) { $0.encoder.content = .screen } }
            try pipeline.encode(frame, at: frame.captureTime)
        }
        #expect(log.bitrates.first == .kilobits(100) && log.restarts == 1)
        #expect(log.settings.map(\.content).suffix(2) == [.camera, .screen])
        #expect(log.resolutions.last == Resolution(width: 32, height: 24))
        #expect(keys.frames.map(\.isKey) == [true, false, true, true, true, false])
        #expect(keys.frames.map(\.number) == [0, 1, 2, 3, 4, 5])
        #expect(throws: CodecError.self) { try pipeline.setBitrate(Bitrate(bitsPerSecond: 0), of: .high) }
        let description = sender.description(of: .high, to: UDPAddress(.loopback, port: 5004))
        #expect(description.text.contains("a=rtpmap:102 x-run-length/90000"))
    }

    private final class KeyLog: @unchecked Sendable { var frames: [EncodedFrame] = [] }

    @Test func `An unknown codec is an error`() throws {
        #expect(throws: PipelineError.codec(.unsupportedCodec(.runLength))) {
            try SendPipeline(SendSettings(layers: [Self.layer()], seed: 1))
        }
        let buffer = JitterBufferSettings(payloadType: PayloadType(102), codec: .runLength)
        #expect(throws: PipelineError.codec(.unsupportedCodec(.runLength))) {
            try ReceivePipeline(
                ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(1)), sink: FrameTap { _ in },
                feedback: PacketTap { _, _ in })
        }
    }

    @Test func `The factory's error is reported`() throws {
        struct Busy: Error, CustomStringConvertible { var description: String { "the hardware is busy" } }
        var settings = SendSettings(layers: [Self.layer()], seed: 1)
        settings.makeEncoder = { _ in throw Busy() }
        #expect(throws: PipelineError.codec(.own(.runLength, detail: "the hardware is busy"))) {
            try SendPipeline(settings)
        }
    }

    /// A factory may take over a layer of VP8, too, and leave the other to libvpx.
    @Test func `A layer that the factory declines is libvpx's`() throws {
        let calls = Monitor<[StreamLayer.RID]>([])
        var settings = SendSettings(layers: [Self.layer(.vp8), .low], seed: 1)
        settings.makeEncoder = { layer in
            calls.withLock { $0.append(layer.rid) }
            return nil
        }
        let pipeline = try SendPipeline(settings)
        let frame = try TestPictures(.vga).picture(0)
        try pipeline.encode(frame, at: .zero)
        #expect(calls.withLock { $0 } == [.high, .low])
        #expect(pipeline.statistics.map(\.encoder.framesEncoded) == [1, 1])
    }
}
