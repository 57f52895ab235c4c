import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

/// Which publisher has a stream.
@Suite struct PublisherChangeTests {
    @Test func `A new publisher takes over with its first key frame, not with its offer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        let second = try room.publish("lobby", films: false)
        #expect(second.end.peer.state == .connected)
        let before = viewer.highFrames.count
        room.run(.seconds(10))
        // It is connected, and sends nothing: viewers go on.
        #expect(viewer.highFrames.count >= before + 299 && first.end.peer.state == .connected)
        second.end.film(from: room.now)
        room.run(.seconds(3))
        #expect(first.end.peer.state == .closed && second.end.peer.state == .connected)
        #expect(viewer.highFrames.count >= before + 380, "\(viewer.highFrames.count - before)")
        let gaps = zip(viewer.frames, viewer.frames.dropFirst())
            .map { ForwardNetwork.Client.arrival($1) - ForwardNetwork.Client.arrival($0) }
        note("the longest time without a frame is \(gaps.max() ?? .zero)")
        #expect(gaps.allSatisfy { $0 < .milliseconds(300) })
    }

    @Test func `A publisher that never connects changes nothing`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(1))
        room.network.isBlocked = { source, _ in
            source != first.address && source != viewer.address && source.port == 4000
        }
        for _ in 0..<10 { _ = try? room.publish("lobby") }
        let before = viewer.highFrames.count
        room.run(.seconds(20))
        #expect(first.end.peer.state == .connected && viewer.highFrames.count >= before + 598)
        #expect(room.forwarder.sessionCount == (1, 1))
    }

    @Test func `Publishers that wait are few, and the one that sends has the stream`() throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        let waiting = try (0..<6).map { _ in
            let publisher = try room.publish("lobby", films: false)
            room.run(.milliseconds(50))
            return publisher
        }
        #expect(room.forwarder.sessionCount == (4, 1))
        let before = viewer.frames.count
        waiting[4].end.film(from: room.now)
        room.run(.seconds(2))
        // The one behind it may still take over.
        #expect(waiting.map { $0.end.peer.state == .connected } == [false, false, false, false, true, true])
        #expect(viewer.frames.count > before + 50)
    }

    @Test func `When the publisher leaves, the one that waits has the stream`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        let second = try room.publish("lobby", films: false)
        first.end.peer.close(at: room.now)
        room.run(.seconds(60))
        #expect(viewer.end.peer.state == .connected)
        let before = viewer.frames.count
        second.end.film(from: room.now)
        room.run(.seconds(2))
        #expect(viewer.frames.count > before + 50)
    }

    @Test func `Only an own publisher is replaced where that is asked for`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let anna = ForwardClient(subject: "anna", bearer: "anna")
        let first = try room.publish("lobby", from: anna)
        room.run(.seconds(1))
        func come(_ client: ForwardClient, _ sessions: [ICEPeerID]?) throws -> ForwardNetwork.Client {
            let publisher = try room.publish(
                "lobby", from: client, replacing: sessions.map { .following($0) } ?? .sameSubject)
            room.run(.seconds(1))
            return publisher
        }
        // Somebody else, with or without a subject, or with the session of another.
        for client in [ForwardClient(), ForwardClient(subject: "bob", bearer: "bob")] {
            #expect(throws: ForwardError.publishedByOther) { _ = try come(client, nil) }
        }
        let other = try room.publish("other")
        #expect(throws: ForwardError.publishedByOther) { _ = try come(ForwardClient(), [other.id]) }
        #expect(room.forwarder.admissions.refusedPublishers == 3)
        // The same subject; then who knows that session; and who knows the session from which that one followed.
        let second = try come(anna, nil)
        #expect(first.end.peer.state == .closed)
        let third = try come(ForwardClient(), [second.id])
        #expect(second.end.peer.state == .closed && third.end.peer.state == .connected)
        // A device that was replaced does not come back, though its subject is the same.
        let device = try room.publish("lobby", from: anna)
        room.run(.seconds(1))
        #expect(throws: ForwardError.publishedByOther) { _ = try come(anna, [third.id]) }
        #expect(device.end.peer.state == .connected)
    }

    @Test func `A publisher that sends nothing keeps nobody out`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let silent = try room.publish("lobby", films: false)
        let viewer = try room.watch("lobby")
        let other = try room.publish("lobby", replacing: .sameSubject)
        room.run(.seconds(2))
        #expect(silent.end.peer.state == .closed && other.end.peer.state == .connected)
        #expect(viewer.highFrames.count > 50)
    }

    @Test func `A request that came twice does not end the session that is used`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(1))
        // Its network was away. Of two requests of the same publisher the second one is late, and nobody awaits its
        // answer.
        room.network.isBlocked = { source, destination in source == first.address || destination == first.address }
        room.run(.seconds(1))
        let second = try room.publish("lobby", replacing: .following([first.id]), films: false)
        let offer = try existing(second.end.peer.negotiator.currentLocalDescription).text
        _ = try room.forwarder.publish("lobby", offer: offer, .following([first.id]), at: room.now)
        let before = viewer.frames.count
        second.end.film(from: room.now)
        room.run(.seconds(40))
        #expect(second.end.peer.state == .connected && viewer.highFrames.count > before + 1100)
        #expect(room.forwarder.sessionCount == (1, 1))
    }

    @Test(arguments: [1, 2, 4, 8, 16, 24, 40])
    func `After an outage viewers see the publisher that comes back, whatever became of its old session`(
        seconds: Int
    ) throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        room.network.isBlocked = { source, destination in source == first.address || destination == first.address }
        room.run(.seconds(seconds))
        let start = room.now
        // Its old address stays unreachable, as after a change of the network. A stream without publisher ends after 30
        // s.
        #expect((room.forwarder[first.id] == nil) == (seconds > 30))
        let second = try room.publish("lobby", replacing: .following([first.id]))
        room.run(.seconds(3))
        let again = try existing(viewer.highFrames.first { ForwardNetwork.Client.arrival($0) > start })
        note("\(seconds) s: pictures again after \(ForwardNetwork.Client.arrival(again) - start)")
        #expect(ForwardNetwork.Client.arrival(again) - start < .seconds(1))
        #expect(viewer.highFrames.count { ForwardNetwork.Client.arrival($0) > start } > 60)
        #expect(second.end.peer.state == .connected && room.forwarder.sessionCount == (1, 1))
    }
}
