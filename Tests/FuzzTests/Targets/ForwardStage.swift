import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillRTP
import RillSession
import RillTestSupport

@testable import RillForward

/// A forwarder with one stream for directed attacks: its publisher, and who else asks for a session.
final class ForwardStage {
    let network: VirtualNetwork
    let server: AttackedForwarder
    let room: ForwardRoom
    /// It has the keys, and the stream "one", whose camera runs.
    let publisher: AttackerEnd
    let publisherID: ICEPeerID
    static let client = ForwardClient(subject: "somebody", bearer: "token", address: .v4(0x0A00_0001))

    /// - Parameters:
    ///   - soundCount: how many sections of sound the publisher offers.
    ///   - codecs: the codecs that the publisher offers; it sends the first.
    ///   - isMember: whether it joins, in a room, or publishes only.
    ///   - report: where outcomes go.
    ///   - change: changes the forwarder's settings.
    init(
        soundCount: Int = 1, codecs: [VideoCodec] = [.vp8], isMember: Bool = false, _ report: AttackReport,
        _ change: (inout ForwardSettings) -> Void = { _ in }
    ) throws {
        var settings = ForwardSettings()
        settings.seed = 640
        change(&settings)
        let network = VirtualNetwork(try LinkSettings(notation: "delay=2ms").seeded(1))
        self.network = network
        let server = AttackedForwarder(
            StreamForwarder(settings, certificate: PeerAttack.certificates.victim), report)
        self.server = server
        server.forwarder.addLocalCandidate(ForwardAttack.address)
        network.add(server, at: [ForwardAttack.address])
        let room = ForwardRoom(network, server.forwarder, settings.negotiation, seed: 10)
        self.room = room
        let publisher = AttackerEnd(PeerEnd(try room.makePeer(1, codecs)))
        self.publisher = publisher
        publisherID = try room.connect(
            publisher, publisher.peer, at: 1, sending: [SendingEncoding(rid: "high")], soundCount: soundCount
        ) { offer, now in
            if isMember {
                return try server.forwarder.join("one", offer: offer, from: ForwardStage.client, in: "room", at: now)
            }
            return try server.forwarder.publish("one", offer: offer, from: ForwardStage.client, at: now)
        }
        try arm(publisher)
        publisher.inner.film(from: network.now)
        run(.seconds(1))
    }

    func run(_ duration: MediaDuration) { network.run(until: network.now + duration) }

    /// Sends packets of the publisher, and lets them arrive.
    func publish(_ packets: [[UInt8]]) { send(packets, from: publisher) }

    func send(_ packets: [[UInt8]], from end: AttackerEnd) {
        var random = AttackRandom(seed: 1)
        for packet in packets { _ = end.send(.packet(packet), using: &random, at: network.now) }
        run(.milliseconds(10))
    }

    /// A viewer that is connected, has the keys, and gets frames. It gives no feedback of its path.
    func watch(
        _ number: UInt32, codecs: [VideoCodec] = [.vp8, .vp9], sendsEarly: Bool = false
    ) throws -> (end: AttackerEnd, id: ICEPeerID) {
        var negotiation = server.forwarder.settings.negotiation
        negotiation.feedback.remove(.transportWideCongestionControl)
        let room = ForwardRoom(network, server.forwarder, negotiation, seed: 10)
        let viewer = AttackerEnd(PeerEnd(try room.makePeer(UInt64(number), codecs)))
        let forwarder = server.forwarder
        let id = try room.connect(viewer, viewer.peer, at: number, sending: nil) { offer, now in
            try forwarder.watch("one", offer: offer, from: ForwardStage.client, at: now)
        }
        try arm(viewer, sendsEarly: sendsEarly)
        run(.seconds(1))
        return (viewer, id)
    }

    /// Offers that nobody goes on with.
    func publish(
        _ name: String, _ number: UInt64, _ condition: PublishCondition = .always, videoCount: Int = 1
    ) throws {
        let peer = try room.makePeer(number, [.vp8])
        let offer = try room.offer(of: peer, sending: [SendingEncoding(rid: "high")], videoCount: videoCount)
        _ = try server.forwarder.publish(name, offer: offer, from: ForwardStage.client, condition, at: network.now)
    }

    func watch(halfOpen number: UInt64) throws {
        let offer = try room.offer(of: try room.makePeer(number), sending: nil)
        _ = try server.forwarder.watch("one", offer: offer, from: ForwardStage.client, at: network.now)
    }

    private func arm(_ end: AttackerEnd, sendsEarly: Bool = false) throws {
        end.inner.isLogging = false
        if sendsEarly {
            // Media before there are keys.
            end.sendsDTLS = false
            network.run(until: network.now + .seconds(5)) { end.peer.agent.selectedPath != nil }
            end.send(raw: [0x80, 96] + [UInt8](repeating: 1, count: 30), socket: 0)
            run(.milliseconds(100))
            end.sendsDTLS = true
        }
        network.run(until: network.now + .seconds(5)) { end.peer.state == .connected }
        try end.arm()
    }
}
