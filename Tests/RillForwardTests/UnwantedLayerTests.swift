import RillCore
import RillForward
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

/// Layers that nobody wants: they are stopped at their publisher, and return with one key frame.
@Suite struct UnwantedLayerTests {
    private func requests(_ publisher: ForwardNetwork.Client, _ layer: Int) -> Int {
        publisher.end.keyFrameRequests[publisher.end.peer.sendingStreams[layer].id] ?? 0
    }

    /// How many times a publisher was asked to pause and to resume its streams.
    private func pauses(_ publisher: ForwardNetwork.Client) -> (paused: Int, resumed: Int) {
        var counts = (paused: 0, resumed: 0)
        for case (_, .session(let event)) in publisher.end.events {
            if case .pauseRequested = event { counts.paused += 1 }
            if case .resumeRequested = event { counts.resumed += 1 }
        }
        return counts
    }

    /// Frames of a layer that reached the forwarder.
    private func received(_ room: ForwardNetwork, _ layer: Int) throws -> Int {
        try existing(room.forwarder.statistics(at: room.now).first).layers[layer].frames
    }

    @Test func `A layer that nobody wants rests after 5 s, and returns with one key frame within 150 ms`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        try room.forwarder.select("low", for: viewer.id, at: room.now)
        let start = try received(room, 0)
        room.run(.milliseconds(4900))
        #expect(try received(room, 0) - start >= 147 && pauses(publisher) == (0, 0))
        room.run(.milliseconds(300))
        #expect(pauses(publisher) == (1, 0))
        let (before, low) = try (received(room, 0), received(room, 1))
        room.run(.seconds(60))
        #expect(try received(room, 0) == before && received(room, 1) - low == 300)
        #expect(viewer.lowFrames.count > 300)
        // It is wanted again.
        let (asked, highFrames, time) = (requests(publisher, 0), viewer.highFrames.count, room.now)
        try room.forwarder.select("high", for: viewer.id, at: room.now)
        room.run(.seconds(3))
        #expect(pauses(publisher) == (1, 1) && requests(publisher, 0) - asked == 1)
        let returned = viewer.highFrames[highFrames...]
        let first = try existing(returned.first)
        #expect(first.frame.isKey && returned.count { $0.frame.isKey } == 1 && returned.count > 80)
        #expect(ForwardNetwork.Client.arrival(first) - time < .milliseconds(150))
        #expect(viewer.ownRequests == 0)
    }

    @Test func `Somebody who is back within 5 s, or another one who wants it, keeps a layer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewers = try (0..<2).map { _ in try room.watch("lobby") }
        room.run(.seconds(3))
        for turn in 0..<10 {
            for viewer in viewers { try room.forwarder.select("low", for: viewer.id, at: room.now) }
            room.run(.milliseconds(4500))
            try room.forwarder.select(turn % 2 == 0 ? nil : "high", for: viewers[turn % 2].id, at: room.now)
            room.run(.milliseconds(500))
        }
        room.run(.seconds(10))
        #expect(pauses(publisher) == (0, 0))
        // The last one leaves.
        for viewer in viewers { try room.forwarder.end(viewer.id, at: room.now) }
        let low = try received(room, 1)
        room.run(.seconds(20))
        #expect(pauses(publisher) == (1, 0))
        #expect(try received(room, 1) - low == 100)
        // Who comes then gets the good layer, and nothing is asked for twice.
        let asked = requests(publisher, 0)
        let late = try room.watch("lobby")
        room.run(.seconds(3))
        #expect(pauses(publisher) == (1, 1) && requests(publisher, 0) - asked == 1)
        #expect(late.highFrames.count > 60)
    }

    @Test func `A publisher that takes no such requests is an event`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", isPausable: false)
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        try room.forwarder.select("low", for: viewer.id, at: room.now)
        room.run(.seconds(6))
        func told() -> [String] {
            room.server.events.compactMap { event in
                switch event.event {
                case .layerUnwanted(let session, let layer) where session.id == publisher.id: "-\(layer)"
                case .layerWanted(let session, let layer) where session.id == publisher.id: "+\(layer)"
                default: nil
                }
            }
        }
        #expect(told() == ["-high"] && pauses(publisher) == (0, 0))
        // It does not follow: a key frame is asked for as always.
        var asked = requests(publisher, 0)
        try room.forwarder.select("high", for: viewer.id, at: room.now)
        room.run(.seconds(2))
        #expect(told() == ["-high", "+high"] && requests(publisher, 0) - asked == 1)
        #expect(viewer.frames.suffix(10).allSatisfy { $0.frame.resolution == .vga })
        // It follows: the key frame comes by itself.
        try room.forwarder.select("low", for: viewer.id, at: room.now)
        room.run(.seconds(6))
        publisher.end.setRunning(false, camera: 0, at: room.now)
        room.run(.seconds(30))
        asked = requests(publisher, 0)
        let keyFrames = publisher.end.keyFramesSent[publisher.end.peer.sendingStreams[0].id] ?? 0
        try room.forwarder.select(nil, for: viewer.id, at: room.now)
        room.run(.milliseconds(100))
        #expect(told() == ["-high", "+high", "-high", "+high"])
        publisher.end.setRunning(true, camera: 0, at: room.now)
        room.run(.seconds(3))
        #expect(requests(publisher, 0) - asked <= 1)
        #expect((publisher.end.keyFramesSent[publisher.end.peer.sendingStreams[0].id] ?? 0) - keyFrames == 1)
        #expect(viewer.frames.suffix(10).allSatisfy { $0.frame.resolution == .vga })
    }

    @Test func `In a room in which all are shown small the large layers rest, and the stage returns at once`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let names = ["a", "b", "c", "d"]
        let members = try names.map { try room.join($0, slots: 3) }
        room.run(.seconds(2))
        func want(_ picture: (String) -> StreamWish.Picture) throws {
            for (name, member) in zip(names, members) {
                for other in names where other != name {
                    try room.forwarder.want(other, StreamWish(picture(other)), for: member.id, at: room.now)
                }
            }
        }
        try want { _ in .high }
        room.run(.seconds(5))
        try want { _ in .shown(at: Resolution(width: 160, height: 120)) }
        room.run(.seconds(20))
        for member in members { #expect(pauses(member) == (1, 0)) }
        let asked = members.map { requests($0, 0) }
        let time = room.now
        try want { $0 == "a" ? .high : .low }
        room.run(.seconds(2))
        for (index, member) in members.enumerated() {
            #expect(pauses(member) == (1, index == 0 ? 1 : 0), "\(names[index])")
            #expect(requests(member, 0) - asked[index] == (index == 0 ? 1 : 0), "\(names[index])")
            guard index > 0 else { continue }
            let first = try existing(member.highFrames.first { ForwardNetwork.Client.arrival($0) > time })
            #expect(ForwardNetwork.Client.arrival(first) - time < .milliseconds(200))
        }
    }

    @Test func `Who wants the small layer gets the large one while the small one is gone`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        try room.forwarder.select("low", for: viewer.id, at: room.now)
        room.run(.seconds(10))
        #expect(pauses(publisher) == (1, 0))
        publisher.end.setRunning(false, camera: 1, at: room.now)
        let before = viewer.highFrames.count
        room.run(.seconds(8))
        #expect(pauses(publisher) == (1, 1) && viewer.highFrames.count - before > 100)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `With losses a layer rests and returns each time`(seed: UInt64) throws {
        let room = try ForwardNetwork("delay=40ms,jitter=10ms,loss=10%", seed: seed)
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        for turn in 0..<4 {
            try room.forwarder.select("low", for: viewer.id, at: room.now)
            room.run(.seconds(7))
            let resting = try received(room, 0)
            room.run(.seconds(3))
            #expect(try received(room, 0) == resting, "turn \(turn)")
            let before = viewer.highFrames.count
            try room.forwarder.select("high", for: viewer.id, at: room.now)
            room.run(.milliseconds(600))
            #expect(try received(room, 0) > resting, "turn \(turn)")
            room.run(.milliseconds(2400))
            // How many depends on what the estimates make of the losses.
            #expect(viewer.highFrames.count > before, "turn \(turn)")
        }
        #expect(pauses(publisher) == (4, 4))
    }
}
