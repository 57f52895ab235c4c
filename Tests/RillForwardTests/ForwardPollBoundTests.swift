import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

/// An error of ours in one session ends that session by name; the forwarder goes on.
@Suite struct ForwardPollBoundTests {
    @Test(arguments: [true, false])
    func `A session whose polls make no progress ends by name, and others go on`(isPublisher: Bool) throws {
        let room = try ForwardNetwork("delay=5ms")
        let (publisher, other) = (try room.publish("lobby"), try room.publish("hall"))
        let (viewer, watcher) = (try room.watch("lobby"), try room.watch("hall"))
        room.run(.seconds(2))
        let (before, viewed) = (watcher.frames.count, viewer.frames.count)
        #expect(viewed > 20 && other.end.peer.state == .connected)
        let id = isPublisher ? publisher.id : viewer.id
        try #require(room.forwarder[id]?.session).stall()
        room.run(.seconds(2))
        let error = PeerError.session(.internalError(pollsWithoutProgress: PollBound.limit))
        let session = ForwardSession(id: id, stream: "lobby", isPublisher: isPublisher)
        #expect(room.server.events.contains { $0.event == .ended(session, .failed(error)) })
        #expect(room.forwarder.pollsWithoutProgress == PollBound.limit)
        #expect(watcher.frames.count - before >= 58, "\(watcher.frames.count - before) frames")
        #expect(room.forwarder.sessionCount == (isPublisher ? (1, 2) : (2, 1)))
    }
}
