import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// Connections whose media a driver holds.
@Suite struct PassedMediaTests {
    private func add(_ role: ICERole, to end: PortOfPeers, seed: UInt64) throws -> (ICEPeerID, PeerConnection) {
        var settings = PeerConnectionSettings(seed: seed)
        settings.passesMedia = true
        let isOffering = role == .controlling
        let (certificates, addresses) = (PeerPair.certificates, PeerPair.addresses)
        let peer = PeerConnection(
            role, certificate: isOffering ? certificates.offerer : certificates.answerer, settings: settings,
            using: SeededGenerator(seed: seed))
        try peer.addLocalCandidate(isOffering ? addresses.offerer : addresses.answerer)
        if isOffering { try peer.addTransceiver(PeerConnectionTests.simulcast) }
        return (try end.port.add(peer), peer)
    }

    @Test func `A port agrees on sections and keys, and passes packets of known addresses on as they are`() throws {
        let (here, there) = (PortOfPeers(passesMedia: true), PortOfPeers(passesMedia: true))
        let network = VirtualNetwork(try LinkSettings(notation: "delay=10ms"))
        network.add(here, at: [PeerPair.addresses.offerer])
        network.add(there, at: [PeerPair.addresses.answerer])
        let (_, one) = try add(.controlling, to: here, seed: 1)
        let (id, other) = try add(.controlled, to: there, seed: 2)
        let answer = try other.answer(try one.offer(at: network.now).text, at: network.now).text
        try one.setRemote(.answer, answer, at: network.now)
        // Each exchange is taken once, and nothing is made of it here.
        #expect(other.takeSections()?.map(\.kind) == [.video] && other.takeSections() == nil)
        #expect(other.session == nil && other.receivingStreams.isEmpty)
        network.run(until: network.now + .seconds(2))
        #expect(one.state == .connected && other.state == .connected)
        #expect(there.events.count { $0 == .keysAgreed } == 1)
        #expect(one.keys?.sending == other.keys?.receiving && one.keys != nil)

        let packet = [0x80, 96] + [UInt8](repeating: 7, count: 98)
        let known = ICEPath(PeerPair.addresses.offerer)
        #expect(insert(packet, on: known, there, at: network.now) == .peer(id, .passed))
        let record = [20, 254, 253] + [UInt8](repeating: 0, count: 97)
        #expect(insert(record, on: known, there, at: network.now) == .peer(id, .dtls(.taken)))
        let unknown = ICEPath(AgentPair.address("198.51.100.9:1"))
        #expect(insert(packet, on: unknown, there, at: network.now) == .dropped(.unvalidatedAddress))
        other.close(at: network.now)
        network.run(until: network.now + .seconds(1))
        #expect(one.state == .closed)
    }

    /// Inserts a datagram, which must stay as it is.
    private func insert(
        _ datagram: [UInt8], on path: ICEPath, _ end: PortOfPeers, at now: MediaTime
    ) -> PeerPortResult {
        var bytes = datagram
        var span = bytes.mutableSpan
        let result = end.port.insert(&span, on: path, at: now)
        #expect(bytes == datagram)
        return result
    }
}
