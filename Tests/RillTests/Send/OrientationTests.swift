import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import Testing

@testable import Rill

/// Pictures that do not stand upright, from the camera to the screen.
@Suite struct OrientationTests {
    private static let captured = Resolution(width: 96, height: 64)
    private static let upright = Resolution(width: 64, height: 96)
    private static let extensionID: UInt8 = 4

    /// A camera that is turned by a quarter after every ten frames.
    private final class TurningCamera: FrameSource {
        let format = SourceFormat(resolution: OrientationTests.captured, frameRate: 30, frameCount: 60)
        private let pictures: TestPictures
        private var count = 0

        init() throws { pictures = try TestPictures(OrientationTests.captured) }

        static func rotation(ofFrame index: Int) -> Rotation { Rotation.allCases[index / 10 % 4] }

        func next() -> SourceOutput {
            guard count < 60 else { return .end }
            var frame = pictures.picture(count)
            frame.rotation = TurningCamera.rotation(ofFrame: count)
            count += 1
            return .frame(frame)
        }
    }

    private func settings(_ orientation: SendOrientation, id: UInt8? = extensionID) throws -> SendSettings {
        let high = LayerSettings(
            rid: .high, resolution: Self.captured, frameRate: 30, bitrate: .kilobits(300))
        var low = high
        low.rid = .low
        low.resolution = Resolution(width: 48, height: 32)
        low.aspect = .letterbox
        low.frameRate = 10
        var settings = SendSettings(layers: [high, low], seed: 4)
        settings.orientation = orientation
        if let id { try settings.headerExtensions.set(.videoOrientation, id: id) }
        return settings
    }

    /// What the sinks of a call got.
    private struct Call {
        /// The media clocks of the layers at the camera's first frame.
        var clocks: [RTPTimestamp] = []
        var shown: [[VideoFrame]] = [[], []]
        var preprocessed: [VideoFrame] = []
        var coded: [EncodedFrame] = []
    }

    /// A call over a network that loses packets, with repair by key frames, in virtual time.
    private func call(_ settings: SendSettings, network: LinkSettings = .clean) throws -> Call {
        let shown = [FrameCollection(copies: true), FrameCollection(copies: true)]
        let (preprocessed, coded) = (FrameCollection(copies: true), CodedCollection())
        let sender = try PacketSender(
            settings, taps: SendTaps(preprocessed: preprocessed, encoded: coded))
        var taps = VirtualCall.Taps()
        taps.retransmits = false
        let call = VirtualCall(
            sender, source: try TurningCamera(), encodeTime: .milliseconds(5), decodeTime: .milliseconds(1),
            over: VirtualLink(network), back: VirtualLink(.clean), taps
        ) { ReceivePipeline(on: SharedSession(RTPSessionSettings(seed: 3)), feedback: $0) }
        for (layer, sink) in zip(sender.streamSettings, shown) {
            var buffer = JitterBufferSettings(ssrc: layer.ssrc, payloadType: settings.payloadType(for: .default))
            buffer.headerExtensions = settings.headerExtensions
            let receive = ReceiveSettings(jitterBuffer: buffer, ssrc: SSRC(layer.ssrc.rawValue &+ 1))
            _ = try call.receiver.pipeline.add(receive, sink: sink, at: .zero)
        }
        try call.run(drainingFor: .seconds(1))
        #expect(sender.pipeline.picturesWithoutBuffer == 0)
        return Call(
            clocks: sender.streamSettings.map(\.timestampOffset), shown: shown.map(\.frames),
            preprocessed: preprocessed.frames, coded: coded.frames)
    }

    /// Which of the camera's frames a received picture is.
    private func index(_ frame: VideoFrame, layer: Int, of call: Call) -> Int {
        let ticks = UInt32(truncatingIfNeeded: frame.captureTime.ticks(rate: RTPTimestamp.videoClockRate))
        return Int(ticks &- call.clocks[layer].rawValue + 1500) / 3000
    }

    @Test func `When signaled, each picture is encoded as captured with its rotation`() throws {
        let call = try call(settings(.carried))
        #expect(call.shown[0].count == 60 && call.shown[1].count == 20)
        for (layer, size) in [Self.captured, Resolution(width: 48, height: 32)].enumerated() {
            for frame in call.shown[layer] {
                let index = index(frame, layer: layer, of: call)
                #expect(frame.rotation == TurningCamera.rotation(ofFrame: index), "layer \(layer), frame \(index)")
                #expect(frame.resolution == size)
            }
        }
        #expect(call.preprocessed.map(\.rotation) == (0..<60).map(TurningCamera.rotation(ofFrame:)))
        for frame in call.coded where frame.layer.rid == .high {
            let index = Int((frame.captureTime.seconds * 30).rounded())
            #expect(frame.rotation == TurningCamera.rotation(ofFrame: index), "frame \(index)")
        }
    }

    @Test func `When signaled over a lossy network, no picture is shown with a wrong rotation`() throws {
        let network = try LinkSettings(notation: "loss=8%,delay=20ms,jitter=10ms,seed=5")
        let call = try call(settings(.carried), network: network)
        #expect(call.shown[0].count < 60 && call.shown[0].count > 10)
        for frame in call.shown[0] {
            let index = index(frame, layer: 0, of: call)
            #expect(frame.rotation == TurningCamera.rotation(ofFrame: index), "frame \(index)")
        }
    }

    @Test func `Without a negotiated extension nothing is signaled`() throws {
        let call = try call(settings(.carried, id: nil))
        #expect(call.shown[0].count == 60 && call.shown[0].allSatisfy { $0.rotation == .none })
    }

    @Test func `Applied, every picture is upright before the taps and the encoders see it`() throws {
        let camera = try TurningCamera()
        let call = try call(settings(.applied))
        #expect(call.shown[0].count == 60 && call.preprocessed.count == 60)
        for (index, frame) in call.preprocessed.enumerated() {
            guard case .frame(let source) = camera.next() else { break }
            let size = source.rotation.applied(to: source.resolution)
            #expect(frame.resolution == size && frame.rotation == .none, "frame \(index)")
            let pool = try FramePool(resolution: size, capacity: 1)
            let expected = try #require(source.rotated(by: source.rotation, into: pool))
            #expect(frame.hasSamePixels(as: expected), "frame \(index)")
        }
        #expect(call.shown.allSatisfy { $0.allSatisfy { $0.rotation == .none } })
        // The letterboxed layer shows what stands on end between bars: 21x32, of 48x32.
        let frame = try #require(call.shown[1].first { index($0, layer: 1, of: call) == 12 })
        let row = frame.y.row(16)
        #expect((0..<10).allSatisfy { row[$0] < 24 } && (38..<48).allSatisfy { row[$0] < 24 })
        #expect((16..<32).allSatisfy { row[$0] > 32 })
    }

    @Test func `Upright pictures are not copied`() throws {
        let tap = FrameCollection()
        let pipeline = try SendPipeline(settings(.applied), taps: SendTaps(preprocessed: tap))
        let picture = try TestPictures(Self.captured).picture(0)
        try pipeline.encode(picture, at: .zero)
        let isSameBuffer = try unsafe #require(tap.frames.first).pointer(plane: 0) == picture.pointer(plane: 0)
        #expect(isSameBuffer)
    }

    @Test func `A tap that keeps every picture blocks the sender only while it keeps them`() throws {
        let tap = FrameCollection()
        let pipeline = try SendPipeline(settings(.applied), taps: SendTaps(preprocessed: tap))
        let pictures = try TestPictures(Self.captured)
        func send(_ indices: Range<Int>) throws {
            for index in indices {
                var picture = pictures.picture(index)
                picture.rotation = .clockwise90
                try pipeline.encode(picture, at: picture.captureTime)
            }
        }
        // Three for each of the two layers, and four more.
        try send(0..<20)
        #expect(tap.frames.count == 10 && pipeline.picturesWithoutBuffer == 10)
        #expect(pipeline.statistics[0].encoder.framesEncoded == 10)
        pipeline.requestKeyFrame(.high)
        try send(20..<21)
        tap.removeAll()
        try send(21..<24)
        #expect(pipeline.picturesWithoutBuffer == 11)
        // The key frame that was asked for meanwhile is not forgotten.
        #expect(pipeline.statistics[0].encoder.framesEncoded == 13)
        #expect(pipeline.statistics[0].encoder.keyFramesEncoded == 2)
    }

    @Test func `Pictures that no encoder takes are refused, not trapped on`() throws {
        let pipeline = try SendPipeline(settings(.applied))
        var picture = try existing(FramePool(.nv12, resolution: Self.captured, capacity: 1).makeFrame())
            .finish(captureTime: .zero)
        picture.rotation = .clockwise90
        #expect(throws: CodecError.unsupportedFormat(.nv12)) {
            try pipeline.encode(picture, at: .zero)
        }
    }

    @Test func `The description names the extension`() throws {
        let address = UDPAddress(.loopback, port: 5004)
        let session = try PacketSender(settings(.carried)).description(of: .low, to: address)
        #expect(session.text.contains("a=extmap:4 urn:3gpp:video-orientation\r\n"))
        #expect(try SessionDescription(session.text) == session)
        let plain = try PacketSender(settings(.carried, id: nil)).description(of: .low, to: address)
        #expect(!plain.text.contains("a=extmap"))
    }
}

private final class CodedCollection: EncodedFrameSink, Sendable {
    private let state = Monitor<[EncodedFrame]>([])

    var frames: [EncodedFrame] { state.withLock { $0 } }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) { state.withLock { $0.append(frame) } }
    func finish() {}
}
