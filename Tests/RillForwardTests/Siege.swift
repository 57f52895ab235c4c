import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillTestSupport

/// A stream of about 1 Mbit/s, ten viewers who have done nothing wrong, and an attacker.
final class Siege {
    let room: ForwardNetwork
    let attacker: Attacker
    let publisher: ForwardNetwork.Client
    private(set) var viewers: [ForwardNetwork.Client] = []

    /// From one frame of the camera to the next.
    static let frameInterval = MediaDuration.milliseconds(33)

    init(viewers count: Int = 10, hasAudio: Bool = false, seed: UInt64 = 1) throws {
        room = try ForwardNetwork("delay=20ms", seed: seed)
        attacker = Attacker(on: room.network)
        publisher = try room.publish("lobby", [SendingEncoding()], hasAudio: hasAudio)
        // 4,100 bytes 30.3 times a second.
        publisher.end.frameByteCount = (key: 12_000, delta: 4100)
        for _ in 0..<count { viewers.append(try room.watch("lobby", hasAudio: hasAudio)) }
        room.run(.seconds(8))
    }

    /// What came of a time under attack.
    struct Outcome {
        /// Of the frames of the camera in that time, how many reached each viewer; in percent.
        var shares: [Double]
        /// Of the attacker's addresses.
        var traffic: [UDPAddress: Attacker.Traffic]
        var forgedCount: Int
        /// What the port counted meanwhile.
        var counts: [String: Int]
        /// How often the publisher was asked for a key frame.
        var keyFrameRequests: Int

        var least: Double { shares.min() ?? 0 }
        /// The most bytes to an address for each byte from it, at any time.
        var amplification: Double { traffic.values.map(\.worst).max() ?? 0 }
        var dataTowards: Int { traffic.values.reduce(0) { $0 + $1.dataTowards } }

        var text: String {
            let list = shares.map { ($0 * 10).rounded() / 10 }
            let counted = counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return """
                \(list) % of the frames; \(forgedCount) datagrams from \(traffic.count) addresses, at most \
                \((amplification * 100).rounded() / 100) times the bytes, \(dataTowards) bytes of data; \
                \(counted.joined(separator: ", ")); \(keyFrameRequests) key frames
                """
        }
    }

    /// Lets time pass, and measures.
    func outcome(after duration: MediaDuration) -> Outcome {
        // Datagrams on their way belong to the time before.
        let before = viewers.map(\.frames.count)
        let counted = Siege.counts(room.forwarder)
        let requests = publisher.keyFrameRequests
        let start = room.now
        room.run(duration)
        let made = (room.now - start).seconds / Siege.frameInterval.seconds
        let shares = zip(viewers, before).map { viewer, count in Double(viewer.frames.count - count) / made * 100 }
        let counts = Siege.counts(room.forwarder).merging(counted) { $0 - $1 }
        let outcome = Outcome(
            shares: shares, traffic: attacker.traffic.filter { $0.value.recentCount > 0 },
            forgedCount: attacker.forgedCount, counts: counts,
            keyFrameRequests: publisher.keyFrameRequests - requests)
        attacker.rest()
        return outcome
    }

    /// All counters of the port.
    static func counts(_ forwarder: StreamForwarder) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: forwarder.portStatistics).children.compactMap { child in
                guard let label = child.label, let value = child.value as? Int else { return nil }
                return (label, value)
            })
    }

    /// The server's address.
    var server: UDPAddress { ForwardNetwork.serverAddress }

    /// A check of a client, as old as there is.
    func oldCheck(of client: ForwardNetwork.Client) throws -> [UInt8] {
        try existing(attacker.checks[client.address]?.first).bytes
    }

    /// The newest check of a client that nominates.
    func nomination(of client: ForwardNetwork.Client) throws -> [UInt8] {
        try existing(attacker.checks[client.address]?.last { $0.nominates }).bytes
    }
}
