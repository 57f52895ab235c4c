import RillCore
import RillPeer
import RillTestSupport
import RillThreads
import Testing

@testable import Rill

/// The thread that tells of a peer's events holds no lock.
@Suite struct WebRTCTransportTests {
    private func connection(_ role: ICERole) throws -> PeerConnection {
        var settings = PeerConnectionSettings()
        settings.passesMedia = true
        return PeerConnection(role, certificate: try DTLSCertificate(wallClock: 1_800_000_000), settings: settings)
    }

    @Test func `a handler may change the peer whose event it handles`() throws {
        let offering = try connection(.controlling)
        try offering.addTransceiver(TransceiverSettings(.video, .sendOnly))
        let offer = try offering.offer(at: .zero).text
        let transport = try WebRTCTransport(
            boundTo: UDPAddress(.v4(0x7F00_0001), port: 0), announcing: nil, clock: LiveClock())
        let states = Monitor<[PeerConnectionState]>([])
        let known = Monitor<ICEPeerID?>(nil)
        // Handed over, and no longer used here.
        nonisolated(unsafe) let answering = try connection(.controlled)
        let id = try transport.add({ unsafe answering }) { event, _ in
            guard case .stateChanged(_, to: let state) = event else { return }
            states.withLock { $0.append(state) }
            guard state == .connecting, let id = known.withLock({ $0 }) else { return }
            _ = transport.change(id) { peer, now in peer.close(at: now) }
            // The end is told after this.
            #expect(states.withLock { $0 } == [.connecting])
        }
        known.withLock { $0 = id }
        _ = try transport.change(id) { (peer, now) throws(PeerError) in
            _ = try peer.answer(offer, at: now)
        }
        #expect(states.withLock { $0 } == [.connecting, .closed])
        transport.close()
    }
}
