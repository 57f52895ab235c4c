import RillCore
import RillForward
import RillLink
import RillPeer
import RillPeerSupport
import RillReceive
import RillTestSupport
import Testing

/// Members: one connection that publishes and is sent many streams.
@Suite struct MemberTests {
    /// Every frame of each slot can be decoded, and time rises, whichever streams the slot has shown. Without loss none
    /// is missing.
    private func expectWhole(
        _ client: ForwardNetwork.Client, hasLoss: Bool = false, location: SourceLocation = #_sourceLocation
    ) {
        #expect(!client.end.decoded.isEmpty, sourceLocation: location)
        for (slot, frames) in client.end.decoded {
            var known: Set<Int64> = []
            for (former, received) in zip([nil] + frames.map(\.frame), frames) {
                let frame = received.frame
                let references = (0..<frame.references.count).map { frame.references[$0] }
                let isDecodable = frame.isKey || references.allSatisfy(known.contains)
                let isNext = hasLoss || former.map { frame.number == $0.number + 1 } ?? true
                let isLater = former.map { frame.captureTime > $0.captureTime } ?? true
                if !isDecodable || !isNext || !isLater {
                    Issue.record(
                        "slot \(slot): \(frame.number) after \(former?.number ?? -1)", sourceLocation: location)
                }
                known.insert(frame.number)
            }
            #expect(frames.first?.frame.isKey == true, sourceLocation: location)
        }
    }

    /// The widths of the pictures that each slot showed in the last second, largest first.
    private func widths(_ client: ForwardNetwork.Client, at now: MediaTime) -> [Int] {
        client.end.decoded.values.compactMap { frames in
            frames.last { now - ForwardNetwork.Client.arrival($0) < .seconds(1) }?.frame.resolution.width
        }.sorted(by: >)
    }

    @Test func `Members of a room see each other over one connection each, after one offer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = ["alice", "bob", "carol", "dave"]
        let members = try names.map { try room.join($0, slots: 3) }
        room.run(.seconds(1))
        for (name, member) in zip(names, members) {
            for other in names where other != name {
                try room.forwarder.want(other, StreamWish(), for: member.id, at: room.now)
            }
        }
        room.run(.seconds(10))
        for (name, member) in zip(names, members) {
            #expect(member.end.failure == nil && member.end.peer.state == .connected, "\(name)")
            #expect(widths(member, at: room.now) == [640, 640, 640], "\(name)")
            expectWhole(member)
            let shown: [(String, String?)] = room.server.events.compactMap { event in
                guard case .slotChanged(let session, let mid, _, let stream) = event.event, session.id == member.id
                else {
                    return nil
                }
                return (mid, stream)
            }
            #expect(Set(shown.map(\.0)).count == 3 && shown.compactMap(\.1) == names.filter { $0 != name }, "\(shown)")
        }
        #expect(room.forwarder.sessionCount == (4, 0))
        #expect(room.forwarder.statistics(at: room.now).map(\.viewerCount) == [3, 3, 3, 3])
    }

    @Test func `A slot shows one stream after the other, and its numbers and its clock go on`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = ["alice", "bob", "carol"]
        let publishers = try names.map { try room.join($0, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 1)
        room.run(.seconds(2))
        var former: String?
        for turn in 0..<30 {
            if let former { try room.forwarder.want(former, nil, for: viewer.id, at: room.now) }
            let name = names[turn % 3]
            try room.forwarder.want(name, StreamWish(turn % 2 == 0 ? .high : .low), for: viewer.id, at: room.now)
            let before = viewer.frames.count
            room.run(.milliseconds(2500))
            #expect(viewer.frames.count >= before + (turn % 2 == 0 ? 30 : 6), "turn \(turn)")
            #expect(viewer.frames.last?.frame.resolution.width == (turn % 2 == 0 ? 640 : 160), "turn \(turn)")
            former = name
        }
        expectWhole(viewer)
        #expect(viewer.ownRequests == 0)
        // A key frame for each change, at most one a second.
        for publisher in publishers { #expect(publisher.keyFrameRequests <= 12, "\(publisher.end.keyFrameRequests)") }
    }

    @Test func `Without a free slot the least important stream gives way, or who asks is told`() throws {
        let room = try ForwardNetwork("delay=20ms")
        for name in ["a", "b", "c"] { _ = try room.join(name, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 2)
        room.run(.seconds(1))
        try room.forwarder.want("a", StreamWish(.high, priority: 1), for: viewer.id, at: room.now)
        try room.forwarder.want("b", StreamWish(.high), for: viewer.id, at: room.now)
        #expect(throws: ForwardError.noFreeSlot(limit: 2)) {
            try room.forwarder.want("c", StreamWish(.high), for: viewer.id, at: room.now)
        }
        try room.forwarder.want("c", StreamWish(.high, priority: 2), for: viewer.id, at: room.now)
        room.run(.seconds(2))
        #expect(room.forwarder.statistics(at: room.now).map(\.viewerCount) == [1, 0, 1])
        #expect(throws: ForwardError.unknownStream("x")) {
            try room.forwarder.want("x", StreamWish(), for: viewer.id, at: room.now)
        }
        try room.forwarder.want("x", nil, for: viewer.id, at: room.now)
    }

    @Test func `What is shown small is sent small`() throws {
        let room = try ForwardNetwork("delay=20ms")
        for name in ["a", "b"] { _ = try room.join(name, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 2)
        room.run(.seconds(2))
        let small = StreamWish(.shown(at: Resolution(width: 160, height: 160)))
        try room.forwarder.want("a", small, for: viewer.id, at: room.now)
        try room.forwarder.want(
            "b", StreamWish(.shown(at: Resolution(width: 320, height: 180))), for: viewer.id, at: room.now)
        room.run(.seconds(3))
        #expect(widths(viewer, at: room.now) == [640, 160])
        try room.forwarder.want("b", small, for: viewer.id, at: room.now)
        room.run(.seconds(3))
        #expect(widths(viewer, at: room.now) == [160, 160])
        expectWhole(viewer)
    }

    @Test func `On a narrow network all get the small layer before one gets a better one`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = (0..<6).map { "member\($0)" }
        for name in names { _ = try room.join(name, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 6, over: "rate=600k,delay=20ms,queue=300ms")
        room.run(.seconds(2))
        for (index, name) in names.enumerated() {
            try room.forwarder.want(name, StreamWish(.high, priority: index == 2 ? 1 : 0), for: viewer.id, at: room.now)
        }
        room.run(.seconds(20))
        #expect(widths(viewer, at: room.now) == [160, 160, 160, 160, 160, 160])
        expectWhole(viewer, hasLoss: true)
    }

    @Test func `What does not fit even as low is paused, the least important first, and returns`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = (0..<8).map { "member\($0)" }
        for name in names { _ = try room.join(name, slots: 0) }
        let narrow = "rate=300k,delay=20ms,queue=300ms"
        let viewer = try room.join("eve", publishes: false, slots: 8, over: narrow)
        room.run(.seconds(2))
        for (index, name) in names.enumerated() {
            try room.forwarder.want(name, StreamWish(.low, priority: -index), for: viewer.id, at: room.now)
        }
        room.run(.seconds(15))
        let shown = widths(viewer, at: room.now).count
        #expect((1...5).contains(shown), "\(shown)")
        let paused = room.server.events.compactMap { event in
            if case .paused(let session) = event.event { session.stream } else { nil }
        }
        #expect(paused.contains("member7") && !paused.contains("member0"), "\(paused)")
        try room.setLink("rate=5M,delay=20ms,queue=300ms", of: viewer.address)
        let start = room.now
        while widths(viewer, at: room.now).count < 8, room.now - start < .seconds(60) { room.run(.milliseconds(100)) }
        #expect(room.now - start <= .seconds(20), "\((room.now - start).seconds) s")
        expectWhole(viewer, hasLoss: true)
    }

    @Test func `After a time in which nothing fits, everything returns`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = (0..<8).map { "member\($0)" }
        for name in names { _ = try room.join(name, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 8, over: "rate=1M,delay=20ms,queue=300ms")
        room.run(.seconds(2))
        for name in names { try room.forwarder.want(name, StreamWish(.low), for: viewer.id, at: room.now) }
        room.run(.seconds(10))
        #expect(widths(viewer, at: room.now).count == 8)
        try room.setLink("rate=20k,delay=20ms,queue=300ms", of: viewer.address)
        room.run(.seconds(20))
        #expect(widths(viewer, at: room.now).count <= 1)
        try room.setLink("rate=1M,delay=20ms,queue=300ms", of: viewer.address)
        let start = room.now
        while widths(viewer, at: room.now).count < 8, room.now - start < .seconds(60) { room.run(.milliseconds(100)) }
        #expect(room.now - start <= .seconds(40), "\((room.now - start).seconds) s")
    }

    /// The estimate of a narrow link needs up to 7 s in a tenth of these calls, and OpenSSL's random numbers make other
    /// calls each time: three of ten may exceed the 8 s that are aimed at.
    @Test func `After a link of 600 kbit/s opens, all high layers are back within 8 s, and stay`() throws {
        let times = try (1...10).map { try timeToReturn(seed: $0) }
        #expect(times.count { $0 <= .seconds(8) } >= 7 && times.allSatisfy { $0 <= .seconds(15) }, "\(times)")
    }

    /// The time from the opening of a link until the four high layers that were wanted are back. They must stay.
    private func timeToReturn(seed: UInt64) throws -> MediaDuration {
        let room = try ForwardNetwork("delay=20ms", seed: seed)
        let names = (0..<16).map { "member\($0)" }
        for name in names { _ = try room.join(name, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 16, over: "rate=600k,delay=20ms,queue=300ms")
        room.run(.seconds(2))
        for (index, name) in names.enumerated() {
            let wish = index < 4 ? StreamWish(.high, priority: 1) : StreamWish(.low)
            try room.forwarder.want(name, wish, for: viewer.id, at: room.now)
        }
        room.run(.milliseconds(20_000 + 370 * Int(seed)))
        try room.setLink("rate=5M,delay=20ms,queue=300ms", of: viewer.address)
        let start = room.now
        while widths(viewer, at: room.now).prefix(4) != [640, 640, 640, 640], room.now - start < .seconds(30) {
            room.run(.milliseconds(100))
        }
        let time = room.now - start
        // The small ones that were paused may come after them.
        let changes = room.forwarder.counts.layerChanges
        room.run(.seconds(60))
        #expect(room.forwarder.counts.layerChanges <= changes + 12, "seed \(seed)")
        #expect(widths(viewer, at: room.now) == Array(repeating: 640, count: 4) + Array(repeating: 160, count: 12))
        expectWhole(viewer, hasLoss: true)
        return time
    }

    @Test func `A member's sound is heard by who wants it, without a picture too`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let speaker = try room.join("alice", slots: 0)
        let listeners = try (0..<2).map { try room.join("listener\($0)", slots: 1, soundSlots: 1) }
        room.run(.seconds(1))
        try room.forwarder.want("alice", StreamWish(), for: listeners[0].id, at: room.now)
        try room.forwarder.want("alice", StreamWish(.none), for: listeners[1].id, at: room.now)
        room.run(.seconds(1))
        try speaker.speak(for: 2, in: room)
        room.run(.seconds(1))
        #expect(listeners.map(\.end.payloads.count) == [100, 100])
        #expect(listeners.map(\.frames.isEmpty) == [false, true])
        try room.forwarder.want("alice", StreamWish(hasSound: false), for: listeners[0].id, at: room.now)
        try speaker.speak(for: 1, in: room, from: 100)
        room.run(.seconds(1))
        #expect(listeners.map(\.end.payloads.count) == [100, 150])
    }

    @Test func `A member's second camera is a stream of its own, as long as there may be more streams`() throws {
        var settings = ForwardSettings()
        settings.streamLimit = 3
        let room = try ForwardNetwork("delay=20ms", settings)
        for name in ["alice", "bob"] { _ = try room.join(name, cameras: 2, slots: 0) }
        let viewer = try room.join("eve", publishes: false, slots: 3)
        room.run(.seconds(2))
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["alice", "alice/2", "bob"])
        for name in ["alice", "alice/2", "bob"] {
            try room.forwarder.want(name, StreamWish(), for: viewer.id, at: room.now)
        }
        room.run(.seconds(5))
        #expect(widths(viewer, at: room.now).count == 3)
        expectWhole(viewer)
    }

    @Test func `A member leaves: its streams end for the others, once, and its slots are free`() throws {
        var settings = ForwardSettings()
        settings.publisherTimeout = .seconds(5)
        let room = try ForwardNetwork("delay=20ms", settings)
        let alice = try room.join("alice", slots: 1)
        let bob = try room.join("bob", slots: 1)
        room.run(.seconds(1))
        try room.forwarder.want("alice", StreamWish(), for: bob.id, at: room.now)
        try room.forwarder.want("bob", StreamWish(), for: alice.id, at: room.now)
        room.run(.seconds(3))
        try room.forwarder.end(alice.id, at: room.now)
        #expect(throws: ForwardError.unknownSession) { try room.forwarder.end(alice.id, at: room.now) }
        room.run(.seconds(6))
        #expect(room.forwarder.sessionCount == (1, 0))
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["bob"])
        let events = room.server.events.map(\.event)
        let ends = events.filter { if case .ended = $0 { true } else { false } }
        #expect(ends == [.ended(ForwardSession(id: alice.id, stream: "alice", isPublisher: true), .left)])
        let last = events.last { if case .slotChanged = $0 { true } else { false } }
        guard case .slotChanged(let session, _, _, shows: nil) = last else {
            throw TestFailure("\(String(describing: last))")
        }
        #expect(session.id == bob.id)
        // The slot takes another one.
        let carol = try room.join("carol", slots: 0)
        room.run(.seconds(1))
        try room.forwarder.want("carol", StreamWish(), for: bob.id, at: room.now)
        room.run(.seconds(3))
        #expect(widths(bob, at: room.now) == [640] && carol.end.failure == nil)
        expectWhole(bob)
    }
}
