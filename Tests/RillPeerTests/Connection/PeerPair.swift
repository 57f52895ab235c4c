import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport

/// Two connections on a network: one offers, the other answers. Signaling takes no time.
final class PeerPair {
    let offerer: PeerEnd
    let answerer: PeerEnd
    let network: VirtualNetwork
    private(set) var offers: [String] = []
    private(set) var answers: [String] = []

    static let addresses = (offerer: AgentPair.address("10.0.0.2:4000"), answerer: AgentPair.address("192.0.2.1:5004"))
    static let certificates = (offerer: DTLSPair.certificate(), answerer: DTLSPair.certificate())

    /// - Parameters:
    ///   - offering: the transceivers of the side that offers.
    ///   - answering: those of the other side.
    init(
        _ offering: [TransceiverSettings], _ answering: [TransceiverSettings] = [],
        link: LinkSettings = .clean, seed: UInt64 = 1, _ change: (inout PeerConnectionSettings) -> Void = { _ in }
    ) throws {
        func end(_ role: ICERole, _ certificate: DTLSCertificate, _ seed: UInt64, _ address: UDPAddress) throws
            -> PeerEnd
        {
            var settings = PeerConnectionSettings(seed: seed)
            change(&settings)
            let peer = PeerConnection(
                role, certificate: certificate, settings: settings, using: SeededGenerator(seed: seed &* 77))
            try peer.addLocalCandidate(address)
            return PeerEnd(peer)
        }
        let (mine, theirs) = (PeerPair.certificates.offerer, PeerPair.certificates.answerer)
        offerer = try end(.controlling, mine, 2 * seed, PeerPair.addresses.offerer)
        answerer = try end(.controlled, theirs, 2 * seed + 1, PeerPair.addresses.answerer)
        network = VirtualNetwork(link.seeded(seed))
        network.add(offerer, at: [PeerPair.addresses.offerer])
        network.add(answerer, at: [PeerPair.addresses.answerer])
        for one in offering { try offerer.peer.change { _ = try $0.addTransceiver(one) } }
        for one in answering { try answerer.peer.change { _ = try $0.addTransceiver(one) } }
    }

    /// Offers, and answers.
    func negotiate(restartsICE: Bool = false) throws {
        let offer = try offerer.peer.offer(restartsICE: restartsICE, at: network.now).text
        let answer = try answerer.peer.answer(offer, at: network.now).text
        try offerer.peer.setRemote(.answer, answer, at: network.now)
        offers.append(offer)
        answers.append(answer)
    }

    /// The other side offers, and this one answers.
    func negotiateBack() throws {
        let offer = try answerer.peer.offer(at: network.now).text
        let answer = try offerer.peer.answer(offer, at: network.now).text
        try answerer.peer.setRemote(.answer, answer, at: network.now)
    }

    var isConnected: Bool { offerer.peer.state == .connected && answerer.peer.state == .connected }

    /// Runs until both are connected, at most that long.
    @discardableResult
    func connect(within duration: MediaDuration = .seconds(60)) -> Bool {
        network.run(until: network.now + duration) { isConnected }
        return isConnected
    }

    func run(_ duration: MediaDuration) { network.run(until: network.now + duration) }
}
