import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

/// The jitter buffer against the reference model, over a network that loses, delays, reorders and duplicates.
@Suite struct DecodabilityModelTests {
    struct Network: CustomTestStringConvertible {
        var loss = 0.0
        /// Each packet takes 20 ms and up to this more, each by itself, so packets overtake each other.
        var jitter = MediaDuration.zero
        /// Each frame takes up to this more, all its packets alike.
        var frameJitter = MediaDuration.zero
        var duplication = 0.0
        /// Share of the packets that come up to half a second late.
        var stragglers = 0.0
        var ticks: Int64 = 3000
        var playoutDelay = MediaDuration.milliseconds(100)
        var keyEvery = 40

        var testDescription: String {
            "loss \(loss), jitter \(jitter), frame jitter \(frameJitter), duplication \(duplication), stragglers "
                + "\(stragglers), \(ticks) ticks a frame, delay \(playoutDelay), key frame every ~\(keyEvery)"
        }
    }

    static let networks = [
        Network(),
        Network(jitter: .milliseconds(10), duplication: 0.05),
        Network(loss: 0.01, jitter: .milliseconds(10), frameJitter: .milliseconds(20)),
        Network(loss: 0.05, jitter: .milliseconds(30), duplication: 0.05, stragglers: 0.02),
        Network(loss: 0.20, jitter: .milliseconds(60), frameJitter: .milliseconds(100), keyEvery: 12),
        Network(jitter: .milliseconds(5), frameJitter: .milliseconds(250), playoutDelay: .milliseconds(20)),
        Network(loss: 0.02, stragglers: 0.10, playoutDelay: .zero, keyEvery: 25),
        Network(loss: 0.01, stragglers: 0.15, playoutDelay: .milliseconds(250), keyEvery: 6),
        Network(loss: 0.05, jitter: .milliseconds(40), frameJitter: .milliseconds(80), ticks: 18_000, keyEvery: 10),
    ]

    @Test(arguments: networks)
    func `The buffer behaves like the model`(_ network: Network) {
        for seed in 1...25 as ClosedRange<UInt64> { compare(network, seed: seed) }
    }

    private func compare(_ network: Network, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var stream = SyntheticStream()
        // Every counter wraps on the way.
        stream.sequence = SequenceNumber(UInt16(65536 - 150))
        stream.timestamp = RTPTimestamp(UInt32.max - 40 * UInt32(network.ticks))
        stream.descriptor.pictureID =
            switch seed % 3 {
            case 0: nil
            case 1: .short(100)
            default: .long(32700)
            }
        let timestamps = Int64(stream.timestamp.rawValue)

        var sent: [SyntheticStream.Frame] = []
        var frames: [DecodabilityModel.Frame] = []
        var arrivals: [(time: MediaTime, packet: [UInt8])] = []
        for index in 0..<120 {
            let isKey = index == 0 || generator.unitInterval() < 1 / Double(network.keyEvery)
            let count = isKey ? 6 : 1 + Int(generator.next() % 4)
            let frame = stream.frame(isKey: isKey, packets: count, ticks: network.ticks)
            let capture = MediaTime(ticks: Int64(index) * network.ticks, rate: 90_000)
            let base = capture + .milliseconds(20) + generator.duration(below: network.frameJitter)
            var first: [MediaTime?] = []
            for packet in frame.packets {
                var time = base + generator.duration(below: network.jitter)
                if generator.unitInterval() < network.stragglers {
                    time += generator.duration(below: .milliseconds(500))
                }
                guard generator.unitInterval() >= network.loss else {
                    first.append(nil)
                    continue
                }
                arrivals.append((time, packet))
                if generator.unitInterval() < network.duplication {
                    arrivals.append((time + generator.duration(below: .milliseconds(200)), packet))
                }
                first.append(time)
            }
            sent.append(frame)
            frames.append(
                DecodabilityModel.Frame(
                    timestamp: timestamps + Int64(index) * network.ticks, isKey: isKey, arrivals: first))
        }

        let roundTripTime = MediaDuration.milliseconds(seed % 2 == 0 ? 50 : 400)
        let end = MediaTime(ticks: 120 * network.ticks, rate: 90_000) + .seconds(3)
        let model = DecodabilityModel(
            frames, playoutDelay: network.playoutDelay, roundTripTime: roundTripTime, until: end)
        let receiver = VirtualReceiver(
            JitterBufferSettings(
                payloadType: stream.payloadType, playoutDelay: .fixed(network.playoutDelay),
                nack: nil, roundTripTime: roundTripTime))
        receiver.play(arrivals, until: end)

        let releases = receiver.frames.map { output in
            DecodabilityModel.Release(
                frame: Int((output.received.extendedTimestamp - timestamps) / network.ticks), time: output.time,
                isShown: output.received.isShown)
        }
        let difference = zip(releases, model.releases).first { $0 != $1 }
        #expect(
            releases == model.releases, "seed \(seed), \(network): first difference \(String(describing: difference))")
        #expect(receiver.requests == model.requests, "seed \(seed), \(network)")
        for (release, output) in zip(releases, receiver.frames) {
            #expect(output.bytes == sent[release.frame].bytes, "seed \(seed), frame \(release.frame), \(network)")
        }
        #expect(receiver.statistics.drops.overflow == 0 && receiver.statistics.resynchronizations == 0)
    }

    /// Thirty frames at 30 a second, a packet each, that take 20 ms.
    private func model(lost: Int?, keys: Set<Int>) -> DecodabilityModel {
        let frames = (0..<30).map { index in
            let arrival: MediaTime? = index == lost ? nil : .frame(index) + .milliseconds(20)
            return DecodabilityModel.Frame(
                timestamp: Int64(index) * 3000, isKey: keys.contains(index), arrivals: [arrival])
        }
        return DecodabilityModel(frames, playoutDelay: .milliseconds(100), roundTripTime: .zero, until: .seconds(2))
    }

    @Test func `The model shows every frame of a clean stream`() {
        let model = model(lost: nil, keys: [0])
        for (index, release) in model.releases.enumerated() {
            let time: MediaTime = .frame(index) + .milliseconds(120)
            #expect(release == DecodabilityModel.Release(frame: index, time: time, isShown: true))
        }
        #expect(model.releases.count == 30)
        #expect(model.requests == [])
    }

    @Test func `The model stops at a loss and asks`() {
        let model = model(lost: 10, keys: [0, 20])
        let decoded = model.releases.map { $0.frame }
        #expect(decoded == Array(0..<10) + Array(20..<30))
        // Frame 10 is not there at all, so the loss shows when frame 11 is due; frame 20 comes before the next request.
        let asked: MediaTime = .frame(11) + .milliseconds(120)
        #expect(model.requests == [asked])
    }
}
