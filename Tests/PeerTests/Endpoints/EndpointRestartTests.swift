import Foundation
import Rill
import RillPeer
import RillTestSupport
import RillWHIP
import Testing

/// A restart of ICE by fragments, between two live peers of ours: the answer that a client puts together is one that
/// works.
@Suite(.serialized)
struct EndpointRestartTests {
    @Test func `Fragments restart ICE, and pictures go on`() async throws {
        let (ours, server) = (try WebRTCEnd(), try WebRTCEnd(sends: false))
        var (sent, received) = (WebRTCSettings(), WebRTCSettings())
        sent.receives = false
        (sent.ice.consentInterval, sent.ice.disconnectedTimeout) = (.milliseconds(300), .seconds(1))
        let clock = ours.call.clock
        var client = try WHIPClient(.publish, at: "https://example.org/whip/a", from: clock.now)

        // The session.
        let peer = try ours.port.offer(sent)
        _ = try next(&client, at: clock.now)
        client.setOffer(peer.localDescription, at: clock.now)
        guard case .send(let post, let first, _) = client.poll(at: clock.now) else { throw TestFailure("no POST") }
        let remote = try server.port.answer(post.body, received)
        let headers = WHIPHeaders([.init("Content-Type", "application/sdp"), .init("Location", "/s/1")])
        client.insert(WHIPResponse(201, headers: headers, body: remote.localDescription), to: first, at: clock.now)
        guard case .answered(let answer) = try next(&client, at: clock.now) else { throw TestFailure("no answer") }
        try peer.accept(answer.text)
        try server.show(remote)
        #expect(try wait(10) { (server.pictures.values.map(\.count).max() ?? 0) > 20 })

        // The restart. The server's side takes the whole offer, as it would put it together from the fragment.
        let offer = try peer.offer(restartsICE: true)
        client.restartICE(offer, at: clock.now)
        guard case .send(let patch, let second, _) = client.poll(at: clock.now) else { throw TestFailure("no PATCH") }
        for line in offer.split(separator: "\r\n") where line.hasPrefix("a=ice-") && !line.hasPrefix("a=ice-options") {
            #expect(patch.body.contains(line + "\r\n"))
        }
        let whole = try remote.answer(offer)
        let fragment = whole.split(separator: "\r\n").filter { line in
            ["a=ice-ufrag:", "a=ice-pwd:", "a=candidate:", "a=mid:", "m="].contains { line.hasPrefix($0) }
        }
        client.insert(
            WHIPResponse(200, body: fragment.joined(separator: "\r\n") + "\r\n"), to: second, at: clock.now)
        guard case .restarted(let restarted) = try next(&client, at: clock.now) else { throw TestFailure("no restart") }
        #expect(restarted != answer.text)
        try peer.accept(restarted)
        let before = server.pictures.values.map(\.count).max() ?? 0
        #expect(try wait(10) { (server.pictures.values.map(\.count).max() ?? 0) > before + 40 })
        #expect(peer.connectionState == .connected && remote.connectionState == .connected)
        // With the wrong credentials the path would have been silent for too long by now.
        try await Task.sleep(for: .seconds(2))
        let transport = try existing(peer.statistics?.transport)
        #expect(
            transport.iceState == "completed" && offer.contains("a=ice-ufrag:\(transport.iceLocalUsernameFragment)"))
        peer.close()
        await ours.call.end()
        await server.call.end()
    }

    private func next(_ client: inout WHIPClient, at now: MediaTime) throws -> WHIPClientEvent {
        guard case .event(let event) = client.poll(at: now) else { throw TestFailure("no event") }
        return event
    }
}
