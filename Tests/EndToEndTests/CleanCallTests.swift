import Foundation
import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

struct CleanCallTests {
    @Test func `Every frame sent is decoded bit exactly`() throws {
        let source = try LoopedPictures(.vga, frameCount: 90)
        let call = try LoggedCall(source, layers: [.high(.vga, bitrate: .kilobits(800)), .low], network: .clean)
        for layer in call.layers {
            #expect(layer.shown.count == layer.frames.count)
            let decoder = try VPXDecoder()
            for (sent, shown) in zip(layer.frames, layer.shown) {
                #expect(sent.timestamp == shown.timestamp)
                guard case .picture(let picture) = try decoder.decode(sent.payload.span, captureTime: .zero) else {
                    Issue.record("the coded frame at \(sent.captureTime) gives no picture")
                    continue
                }
                #expect(checksum(picture) == shown.checksum, "at \(sent.captureTime)")
            }
        }
        #expect(call.layers[0].frames.count == 90 && call.layers[1].frames.count == 15)
    }

    @Test func `Statistics of both sides go through JSON, and are read by people`() throws {
        let source = try LoopedPictures(.vga, frameCount: 60)
        let network = try LinkSettings(notation: "delay=20ms,loss=5%,seed=3")
        let call = try LoggedCall(source, layers: [.high(.vga, bitrate: .kilobits(800)), .low], network: network)
        for layer in call.layers {
            let sent = try #require(layer.sent)
            #expect(try JSONDecoder().decode(SendStatistics.self, from: JSONEncoder().encode(sent)) == sent)
            #expect("\(sent)".contains("\n  encoder  framesEncoded \(layer.frames.count), keyFramesEncoded "))
            #expect("\(sent)".hasPrefix("\(sent.rid) 0x") && "\(sent)".contains("\n  stream   packetsSent "))
            let received = try #require(layer.received)
            #expect(try JSONDecoder().decode(ReceiveStatistics.self, from: JSONEncoder().encode(received)) == received)
            #expect("\(received)".hasPrefix("\(layer.shown.count) frames shown, decoded in "))
            #expect("\(received)".contains("\n  stream      packetsReceived "))
        }
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(call.layers[0].received))
        let stream = (json as? [String: Any])?["stream"] as? [String: Any]
        // W3C's names and units: seconds.
        let delay = try #require(stream?["jitterBufferDelay"] as? Double)
        #expect(delay > 0.1 && delay < 60)
    }

    @Test func `The same seed gives the same report, and another does not`() throws {
        func report(seed: UInt64) throws -> Data {
            let settings = LoopbackSettings(
                layers: [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300)), .low],
                network: try LinkSettings(
                    notation: "loss=5%,delay=30ms,jitter=10ms,reorder=2%,duplicate=2%,seed=\(seed)"))
            let pictures = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 120)
            let report = try Loopback(settings) { LoopedPictures(pictures) }.runInVirtualTime()
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(report)
        }
        let first = try report(seed: 3)
        #expect(try report(seed: 3) == first)
        #expect(try report(seed: 4) != first)
    }

    @Test func `A report adds up`() throws {
        let settings = LoopbackSettings(
            layers: [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300)), .low],
            network: try LinkSettings(notation: "delay=40ms"))
        let pictures = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 150)
        let report = try Loopback(settings) { LoopedPictures(pictures) }.runInVirtualTime()
        #expect(report.framesCaptured == 150 && report.duration == 5)
        for (layer, frames) in zip(report.layers, [150, 25]) {
            #expect(layer.sent.framesEncoded == frames && layer.received.framesShown == frames)
            #expect(layer.received.packetsReceived == layer.sent.packetsSent)
            #expect(layer.quality?.frames == frames)
            #expect((layer.quality?.psnrY ?? 0) > 30, "\(layer.rid)")
            // 40 ms there, 100 ms held back, 5 ms to decode: the steps add up to the whole.
            let steps = layer.latencies.dropLast().map(\.median).reduce(0, +)
            #expect(abs((layer.latencies.last?.median ?? 0) - 47) < 0.2, "\(layer.latencies)")
            #expect(abs(steps - 47) < 0.3, "\(layer.latencies)")
        }
    }

    @Test func `An encoder that is too slow keeps the newest frames`() throws {
        var settings = LoopbackSettings(layers: [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300))])
        settings.encodeTime = .milliseconds(50)
        settings.adaptation = nil
        let pictures = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 150)
        let report = try Loopback(settings) { LoopedPictures(pictures) }.runInVirtualTime()
        let layer = try #require(report.layers.first)
        // 20 a second of 30 come through, evenly.
        #expect((99...102).contains(layer.sent.framesEncoded))
        #expect(layer.sent.framesEncoded + layer.sent.framesDropped == 150)
        #expect(layer.received.framesShown == layer.sent.framesEncoded)
        #expect(layer.received.freezeCount == 0)
    }

    @Test func `What encoding takes in virtual time lies between the scaled picture and the coded frame`() throws {
        var settings = LoopbackSettings(layers: [.high(.qqvga, bitrate: .kilobits(100)), .low])
        settings.encodeTime = .milliseconds(7)
        let pictures = try LoopedPictures(.qqvga, frameCount: 30)
        let report = try Loopback(settings) { LoopedPictures(pictures) }.runInVirtualTime()
        for layer in report.layers {
            let times = Dictionary(uniqueKeysWithValues: layer.latencies.map { ("\($0.from) → \($0.to)", $0) })
            #expect(times["preprocessed → scaled"]?.maximum == 0, "\(layer.rid)")
            #expect(times["scaled → encoded"]?.median == 7, "\(layer.rid)")
            #expect(times["scaled → encoded"]?.count == layer.received.framesShown, "\(layer.rid)")
        }
    }

    @Test func `A source that fails half way is sent that far`() throws {
        struct Unplugged: Error {}
        final class FailingSource: FrameSource {
            private let source: LoopedPictures
            private var count = 0
            init(_ source: LoopedPictures) { self.source = source }
            var format: SourceFormat { source.format }
            func next() throws -> SourceOutput {
                count += 1
                guard count <= 40 else { throw Unplugged() }
                return source.next()
            }
        }
        let settings = LoopbackSettings(layers: [.high(.qqvga, bitrate: .kilobits(100))])
        let pictures = try LoopedPictures(.qqvga, frameCount: 150)
        let report = try Loopback(settings) { FailingSource(LoopedPictures(pictures)) }.runInVirtualTime()
        #expect(report.framesCaptured == 40)
        #expect(report.interruption?.contains("Unplugged") == true)
        #expect(report.layers[0].received.framesShown == 40)
    }
}
