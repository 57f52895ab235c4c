import RillCore
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

@testable import RillPeer

/// An error of ours ends one connection by name; no poll goes on for ever.
@Suite struct PeerPollBoundTests {
    private func connected() throws -> PeerPair {
        var transceiver = TransceiverSettings(.video, .sendOnly)
        transceiver.sending = [SendingEncoding(rid: "high")]
        let pair = try PeerPair([transceiver])
        try pair.negotiate()
        #expect(pair.connect())
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(1))
        return pair
    }

    @Test func `A session that makes no progress fails its connection`() throws {
        let pair = try connected()
        let session = try #require(pair.answerer.peer.session)
        session.stall()
        pair.run(.seconds(1))
        let error = PeerError.session(.internalError(pollsWithoutProgress: PollBound.limit))
        #expect(pair.answerer.failure == error && pair.answerer.peer.state == .failed)
        #expect(error.pollsWithoutProgress == PollBound.limit)
        // The other side is told by RTCP.
        let reason = "internal error: \(PollBound.limit) polls without progress"
        #expect(pair.offerer.events.contains { $0.event == .session(.left(reason: reason)) })
    }

    @Test func `An agent that does nothing about what is due fails its connection after a second`() throws {
        let pair = try connected()
        let start = pair.network.now
        pair.answerer.peer.agent.isStalled = true
        pair.run(.seconds(3))
        #expect(pair.answerer.failure == .internalError(pollsWithoutProgress: PollBound.limit))
        #expect(pair.answerer.peer.state == .failed && pair.answerer.peer.agent.state == .failed)
        let time = try #require(pair.answerer.time(of: .failed))
        #expect(time - start >= .milliseconds(990) && time - start < .milliseconds(1300), "\(time - start)")
    }

    @Test func `DTLS that stays due fails its connection after a second`() throws {
        let pair = try connected()
        pair.answerer.peer.link.isStalled = true
        pair.run(.seconds(3))
        #expect(pair.answerer.failure == .internalError(pollsWithoutProgress: PollBound.limit))
        #expect(pair.answerer.peer.state == .failed)
    }

    @Test func `Something that is due and must wait for a moment is no error`() {
        var bound = WakeBound()
        var now = MediaTime.zero
        for step in 0..<100_000 {
            // As with a flood of datagrams, each of which is followed by a poll.
            now += .microseconds(20)
            let isPaced = step % 2000 < 1900
            let time = bound.wait(until: isPaced ? now - .milliseconds(1) : now + .milliseconds(1), after: now)
            guard let time, time > now else {
                Issue.record("\(String(describing: time)) at \(now)")
                return
            }
        }
    }

    @Test func `One peer of many that is served for ever is found, however many there are`() {
        var bound = PeerPollBound()
        for round in 0..<3 {
            for peer in 0..<5000 {
                let mayGoOn = bound.take(ICEPeerID(rawValue: peer))
                #expect(mayGoOn, "\(round)")
            }
        }
        var count = 0
        while bound.take(ICEPeerID(rawValue: 1)) { count += 1 }
        #expect(count == PeerPollBound.limit - 1)
    }
}
