import Rill
import RillCore
import RillForward
import RillMediaSupport
import RillPeer
import RillTestSupport
import Testing

/// Calls that publish and watch through a forwarder, by sockets and threads.
@Suite(.serialized) struct LiveForwarderTests {
    /// A forwarder on loopback, whose events are kept.
    private final class Server: Sendable {
        let forwarder: LiveForwarder
        private let events: Monitor<[ForwardEvent]>

        init() throws {
            let events = Monitor([ForwardEvent]())
            self.events = events
            forwarder = try LiveForwarder(
                boundTo: UDPAddress(.loopback, port: 0), announcing: [.loopback]
            ) { event in events.withLock { $0.append(event) } }
        }

        var ended: Int { events.withLock { $0.count { if case .ended = $0 { true } else { false } } } }

        func publish(_ end: WebRTCCallEnd, _ name: String) throws -> WebRTCPeer {
            var settings = WebRTCSettings()
            settings.receives = false
            let peer = try end.port.offer(settings)
            try peer.accept(try forwarder.publish(name, offer: peer.localDescription).answer.text)
            return peer
        }

        func watch(_ end: WebRTCCallEnd, _ name: String) throws -> (peer: WebRTCPeer, id: ICEPeerID) {
            let peer = try end.port.offer()
            let (id, answer) = try forwarder.watch(name, offer: peer.localDescription)
            try peer.accept(answer.text)
            try end.show(peer)
            return (peer, id)
        }
    }

    @Test func `Real pictures reach two viewers, one of them by the low layer`() async throws {
        let server = try Server()
        let (camera, first, second) =
            (try WebRTCCallEnd(), try WebRTCCallEnd(sends: false), try WebRTCCallEnd(sends: false))
        let publisher = try server.publish(camera, "lobby")
        #expect(try await eventually { publisher.connectionState == .connected })
        let one = try server.watch(first, "lobby")
        let two = try server.watch(second, "lobby")
        #expect(try await eventually { (first.counts.values.max() ?? 0) >= 30 })
        try server.forwarder.select("low", for: two.id)
        #expect(try await eventually { second.sizes.last == WebRTCCallEnd.low })
        try server.forwarder.select(nil, for: two.id)
        #expect(
            try await eventually {
                second.sizes.last == WebRTCCallEnd.high
            })
        #expect(first.stepsBack == 0 && second.stepsBack == 0)
        let statistics = server.forwarder.read { forwarder, now in forwarder.statistics(at: now) }
        #expect(statistics.first?.viewerCount == 2)
        one.peer.close()
        #expect(try await eventually { server.ended == 1 })
        server.forwarder.close()
        #expect(try await eventually { server.ended == 3 })
        #expect(try await eventually { publisher.connectionState == .closed })
        #expect(throws: ForwardError.closed) { _ = try server.forwarder.watch("lobby", offer: "") }
        for end in [camera, first, second] { await end.call.end() }
    }

    @Test func `An error of ours in one session leaves the thread to the others`() async throws {
        let server = try Server()
        let (camera, viewer, other) =
            (try WebRTCCallEnd(), try WebRTCCallEnd(sends: false), try WebRTCCallEnd(sends: false))
        _ = try server.publish(camera, "lobby")
        _ = try server.watch(viewer, "lobby")
        let watching = try server.watch(other, "lobby")
        #expect(
            try await eventually { (viewer.counts.values.max() ?? 0) >= 10 && (other.counts.values.max() ?? 0) >= 10 })
        server.forwarder.read { forwarder, _ in forwarder[watching.id]?.session?.stall() }
        #expect(try await eventually { server.ended == 1 })
        let count = viewer.counts.values.max() ?? 0
        #expect(try await eventually { (viewer.counts.values.max() ?? 0) >= count + 30 })
        #expect(server.forwarder.read { forwarder, _ in forwarder.pollsWithoutProgress } == PollBound.limit)
        server.forwarder.close()
        for end in [camera, viewer, other] { await end.call.end() }
    }

    @Test func `Viewers come and go while others change what they get`() async throws {
        let server = try Server()
        let camera = try WebRTCCallEnd()
        _ = try server.publish(camera, "lobby")
        let viewer = try WebRTCCallEnd(sends: false)
        let watching = try server.watch(viewer, "lobby")
        #expect(try await eventually { !viewer.counts.isEmpty })
        for round in 0..<10 {
            let peer = try viewer.port.offer()
            let (id, answer) = try server.forwarder.watch("lobby", offer: peer.localDescription)
            try peer.accept(answer.text)
            try server.forwarder.select(round % 2 == 0 ? "low" : "high", for: watching.id)
            #expect(try await eventually { peer.connectionState == .connected })
            if round % 2 == 0 { try server.forwarder.end(id) } else { peer.close() }
        }
        #expect(try await eventually { server.ended == 10 })
        server.forwarder.close()
        for end in [camera, viewer] { await end.call.end() }
    }
}
