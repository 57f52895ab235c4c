import RillCodec
import RillCore
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct ReturnNetworkTests {
    private let size = Resolution(width: 320, height: 240)

    private func report(_ network: String, back: String?) throws -> LoopbackReport {
        var settings = LoopbackSettings(
            layers: [.high(size, bitrate: .kilobits(300))], network: try LinkSettings(notation: network))
        settings.returnNetwork = try back.map { try LinkSettings(notation: $0) }
        settings.measuresQuality = false
        return try Loopback(settings) { try LoopedPictures(size, frameCount: 120) }.runInVirtualTime()
    }

    @Test func `By default it equals the forward path, with its own random numbers`() throws {
        let network = try LinkSettings(notation: "loss=5%,blackout=1s@2s,rate=1M/500k@1s,wifi=1ms/9ms,seed=8")
        var settings = LoopbackSettings(layers: [.low], network: network)
        #expect(settings.returnPath.seed != network.seed && settings.returnPath.seeded(8) == network)
        let byDefault = settings.returnPath
        settings.returnNetwork = network
        #expect(settings.returnPath == byDefault, "the same settings, said in full, are the same")
        settings.returnNetwork = .clean
        #expect(settings.returnPath == LinkSettings.clean.seeded(settings.returnPath.seed))
    }

    @Test func `It is named in the report where it differs, and a simulated call takes it alike`() throws {
        let network = try LinkSettings(notation: "loss=5%,seed=8")
        let named = try [nil, "loss=5%,seed=8", "delay=20ms"].map { back in
            try report(network.description, back: back).returnNetwork
        }
        #expect(named == [nil, nil, try LinkSettings(notation: "delay=20ms").description])
        var call = CallSettings(layers: [.low], network: network)
        var loopback = LoopbackSettings(layers: [.low], network: network)
        #expect(call.returnPath == loopback.returnPath)
        (call.returnNetwork, loopback.returnNetwork) = (.clean, .clean)
        #expect(call.returnPath == loopback.returnPath && call.returnPath != .clean)
    }

    @Test func `NACKs travel through it`() throws {
        let network = "loss=10%,delay=20ms,seed=3"
        let asIs = try report(network, back: nil).layers[0]
        let clear = try report(network, back: "delay=20ms").layers[0]
        let deaf = try report(network, back: "loss=100%").layers[0]
        // Without feedback the sender does not retransmit, and sends no key frame: the stream stays broken.
        #expect(deaf.sent.pliCount == 0 && deaf.received.pliCount > 0)
        #expect(deaf.received.framesShown < asIs.received.framesShown / 2, "\(deaf.received) \(asIs.received)")
        #expect(deaf.received.framesShown < clear.received.framesShown / 2, "\(deaf.received) \(clear.received)")
    }
}
