import RillCodec
import RillCore
import RillLink
import RillMediaSupport
import RillRTP
import RillReceive
import RillSend
import Testing

@testable import RillLab

/// A call without codecs.
struct CallSimulationTests {
    static let networks = [
        "", "delay=40ms", "delay=60ms,jitter=20ms,seed=3", "delay=30ms,loss=1%,seed=5", "delay=20ms,rate=300k,seed=7",
    ]

    @Test(arguments: networks)
    func `It has the same result as a call with codecs, as long as no key frame is requested`(_ network: String) throws
    {
        let settings = CallSettings(layers: SmallCall.layers, network: try LinkSettings(notation: network))
        let plain = CallRecorder()
        try CallSimulation(settings, observer: plain).run(sending: SmallCall.code(settings.layers))
        let full = CallRecorder()
        try CallSimulation(settings, observer: full).run(encoding: SmallCall.source()) { _, _, _ in }

        try #require(plain.keyFrameRequests == 0, "\(network)")
        #expect(plain.sent == full.sent, "\(network)")
        // Behind the end of the streams, where packets that never come are NACKed, one of them runs longer.
        let last = try #require(plain.datagrams.last { $0.direction == .toReceiver })
        func untilEnd(_ recorder: CallRecorder) -> [CallRecorder.Datagram] {
            recorder.datagrams.filter { $0.time <= last.time }
        }
        #expect(untilEnd(plain) == untilEnd(full), "\(network)")
        #expect(plain.shown == full.shown, "\(network)")
        #expect(plain.shown.count > plain.sent.count * 9 / 10, "\(network)")
    }

    @Test func `In open loop nothing is requested`() throws {
        var settings = CallSettings(
            layers: SmallCall.layers, network: try LinkSettings(notation: "delay=20ms,loss=10%,seed=2"))
        settings.isOpenLoop = true
        let recorder = CallRecorder()
        let statistics = try CallSimulation(settings, observer: recorder).run(
            sending: SmallCall.code(settings.layers))
        #expect(recorder.keyFrameRequests == 0)
        #expect(statistics.allSatisfy { $0.nackCount == 0 })
        #expect(recorder.shown.count < recorder.sent.count)
    }

    @Test func `It continues with a key frame that replaces the requested one`() throws {
        // Too long a gap to be filled by retransmissions.
        let network = try LinkSettings(notation: "delay=20ms,blackout=3s@1s")
        let settings = CallSettings(layers: SmallCall.layers, network: network)
        let recorder = CallRecorder()
        try CallSimulation(settings, observer: recorder).run(sending: SmallCall.code(settings.layers, seconds: 8))
        #expect(recorder.keyFrameRequests > 0)
        for layer in settings.layers.indices {
            let last = recorder.shown.last { $0.layer == layer }
            #expect((last?.time ?? .zero) > .zero + .seconds(7), "layer \(layer)")
        }
    }
}

struct CodedLayerTests {
    @Test func `A repeated clip continues times, numbers and references, and has the same bytes`() throws {
        let layer = try SmallCall.code(SmallCall.layers)[0]
        let twice = layer.repeated(2)
        #expect(twice.count == 2 * layer.count)
        for index in [0, 1, layer.count - 1] {
            let (first, second) = (twice.description(of: index), twice.description(of: layer.count + index))
            #expect(second.captureTime - first.captureTime == .seconds(SmallCall.seconds), "frame \(index)")
            #expect(second.number - first.number == Int64(layer.count), "frame \(index)")
            #expect(second.isKey == first.isKey, "frame \(index)")
            #expect(second.references.count == first.references.count, "frame \(index)")
            if first.references.count > 0 {
                #expect(second.references[0] == first.references[0] + Int64(layer.count), "frame \(index)")
            }
            #expect(bytes(of: twice, layer.count + index) == bytes(of: layer, index), "frame \(index)")
        }
    }

    private func bytes(of layer: CodedLayer, _ index: Int) -> [UInt8] {
        layer.withPayload(of: index) { payload in payload.indices.map { payload[$0] } }
    }
}

/// A call so small that its codecs take no time.
private enum SmallCall {
    static let seconds = 4
    static let resolution = Resolution(width: 96, height: 80)

    static var layers: [LayerSettings] {
        var low = LayerSettings.low
        low.resolution = Resolution(width: 48, height: 40)
        return [.high(resolution, bitrate: .kilobits(120)), low]
    }

    static func source(seconds: Int = seconds) throws -> any FrameSource {
        try LoopedPictures(resolution, frameCount: 30 * seconds)
    }

    static func code(_ layers: [LayerSettings], seconds: Int = seconds) throws -> [CodedLayer] {
        var coded = layers.map { CodedLayer(of: $0) }
        let encoder = try SimulcastEncoder(layers: layers)
        let source = try source(seconds: seconds)
        while case .frame(let frame) = try source.next() {
            try encoder.encode(frame) { frame, payload in
                coded[frame.layer.rid == layers[0].rid ? 0 : 1].append(frame, payload)
            }
        }
        return coded
    }
}

/// Writes down what it is told.
private final class CallRecorder: CallObserver {
    struct Frame: Equatable {
        var layer: Int
        var timestamp: RTPTimestamp
        var time: MediaTime
    }

    struct Datagram: Equatable {
        var byteCount: Int
        var direction: LinkDirection
        var time: MediaTime
        var outcome: SendOutcome
    }

    private(set) var sent: [Frame] = []
    private(set) var shown: [Frame] = []
    private(set) var datagrams: [Datagram] = []
    private(set) var keyFrameRequests = 0

    func callBegan(streams: [RTPStreamSettings]) {}

    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime) {
        sent.append(Frame(layer: layer, timestamp: timestamp, time: now))
    }

    func datagramWasSent(
        _ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome
    ) {
        datagrams.append(Datagram(byteCount: datagram.count, direction: direction, time: now, outcome: outcome))
    }

    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime) {}

    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime) {
        shown.append(Frame(layer: layer, timestamp: timestamp, time: now))
    }

    func keyFrameWasRequested(layer: Int, at now: MediaTime) { keyFrameRequests += 1 }
}
