import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// Two ends that chose the same source (RFC 3550 §8.2).
@Suite struct CollisionTests {
    @Test func `An announced source of ours gives ours another`() throws {
        let session = Endpoint(seed: 1).session
        let stream = Call.stream(seed: 60)
        let ours = try session.send(stream)
        _ = try session.receive(Call.receiving(stream), at: .zero)
        let changed = try #require(session.settings(of: ours))
        #expect(changed.ssrc != stream.ssrc && changed.retransmission?.ssrc != stream.retransmission?.ssrc)
    }

    @Test(arguments: [false, true]) func `Both ends continue after a collision`(isTold: Bool) throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 61, named: "h")
        // Both drew the same numbers, without announcing them.
        let (ours, theirs) = (try alice.session.send(stream), try bob.session.send(stream))
        alice.addCamera(ours)
        bob.addCamera(theirs, from: isTold ? .seconds(1) : .zero)
        let incoming = [
            try alice.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero),
            try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero),
        ]
        let call = try Call(alice, bob)
        call.run(until: .seconds(5))
        var collisions = 0
        for (end, id) in [(alice, ours), (bob, theirs)] {
            for event in end.events {
                guard case .collision(of: id, from: stream.ssrc, to: let new) = event else { continue }
                collisions += 1
                #expect(end.session.settings(of: id)?.ssrc == new)
            }
        }
        #expect((1...2).contains(collisions))
        #expect(alice.frames.count > 100 && bob.frames.count > 100)
        let sources = [incoming[0], incoming[1]].enumerated().map { index, id in
            (index == 0 ? alice : bob).session.settings(of: id)?.jitterBuffer.ssrc
        }
        #expect(
            sources[0] == bob.session.settings(of: theirs)?.ssrc && sources[1] == alice.session.settings(of: ours)?.ssrc
        )
        #expect(sources[0] != sources[1])
    }

    @Test func `Our own looped packets change an SSRC once`() throws {
        let (call, _) = try Call.oneWay()
        // Everything that reaches Bob reaches Alice too.
        call.filter = { [unowned call] datagram, isForBob in
            if isForBob { call.alice.session.insert(datagram.span, at: call.now) }
            return [datagram]
        }
        call.run(until: .seconds(8))
        #expect(call.alice.events.count { if case .collision = $0 { true } else { false } } == 1)
        #expect(call.alice.session.statistics.transport.packetsLooped > 100)
    }

    @Test func `Who reports under our source collides too`() throws {
        let alice = Endpoint(seed: 1)
        let stream = Call.stream(seed: 62)
        let ours = try alice.session.send(stream)
        let report = ReceiverReport(ssrc: stream.ssrc)
        let bytes = [UInt8](capacity: report.byteCount) { report.write(into: &$0) }
        alice.session.insert(bytes.span, at: .seconds(1))
        #expect(alice.session.settings(of: ours)?.ssrc != stream.ssrc)
    }
}
