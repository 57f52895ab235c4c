import RillCore
import RillForward
import RillPeerSupport
import RillRTP
import RillSession
import RillTestSupport
import Testing

@testable import RillPeer

/// Key frames that nobody can use, layers that stop, and viewers who ask and ask.
@Suite struct StoppedLayerTests {
    private func requests(_ publisher: ForwardNetwork.Client, _ layer: Int) -> Int {
        publisher.end.keyFrameRequests[publisher.end.peer.sendingStreams[layer].id] ?? 0
    }

    @Test func `frames that do not parse make a request in 4 s, and the first that does is shown`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        publisher.end.isGarbled = true
        let viewers = try (0..<4).map { _ in try room.watch("lobby") }
        for viewer in viewers.suffix(2) { try room.forwarder.select("low", for: viewer.id, at: room.now) }
        room.run(.seconds(2))
        let start = (requests(publisher, 0), requests(publisher, 1))
        room.run(.seconds(14))
        let (high, low) = (requests(publisher, 0) - start.0, requests(publisher, 1) - start.1)
        note("\(high) requests for the high layer, \(low) for the low one in 14 s")
        #expect((2...6).contains(high) && (2...6).contains(low), "\(high), \(low)")
        room.run(.seconds(40))
        #expect(requests(publisher, 0) - start.0 - high <= 11 && requests(publisher, 1) - start.1 - low <= 11)
        publisher.end.isGarbled = false
        room.run(.seconds(6))
        for (index, viewer) in viewers.enumerated() {
            #expect(viewer.frames.count > 8, "viewer \(index): \(viewer.frames.count)")
        }
        // A lost request is repeated at once.
        let before = requests(publisher, 0)
        room.network.isBlocked = { source, _ in source == publisher.address }
        room.run(.milliseconds(700))
        room.network.isBlocked = { _, _ in false }
        room.run(.seconds(1))
        #expect(requests(publisher, 0) - before >= 1)
    }

    @Test(arguments: [0, 1])
    func `whoever chose a layer that stops gets another one until it is back`(stopped: Int) throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        publisher.end.answersOnAll = true
        let name = stopped == 0 ? "high" : "low"
        let viewer = try room.watch("lobby")
        let other = try room.watch("lobby")
        room.run(.seconds(2))
        for client in [viewer, other] {
            try room.forwarder.select(client.id == viewer.id ? name : nil, for: client.id, at: room.now)
        }
        room.run(.seconds(4))
        func isChosen(_ frame: ReceivedFrame) -> Bool { (frame.frame.resolution.width == 160) == (stopped == 1) }
        #expect(viewer.frames.suffix(8).allSatisfy(isChosen))
        let before = (viewer.frames.count, requests(publisher, stopped), publisher.end.keyFramesSent)
        publisher.end.setRunning(false, camera: stopped, at: room.now)
        room.run(.seconds(3))
        #expect(viewer.frames.count > before.0)
        let start = viewer.frames.count
        room.run(.seconds(30))
        // The other layer has 30 frames a second, or 5.
        #expect(viewer.frames.count - start > (stopped == 1 ? 880 : 145), "\(viewer.frames.count - start)")
        #expect(viewer.frames.suffix(100).allSatisfy { !isChosen($0) })
        #expect(requests(publisher, stopped) - before.1 <= 1)
        let running = publisher.end.peer.sendingStreams[1 - stopped].id
        let keyFrames = (publisher.end.keyFramesSent[running] ?? 0) - (before.2[running] ?? 0)
        #expect(keyFrames <= 2, "\(keyFrames) key frames on the running layer")
        // Who chooses it now, or comes now, gets the other one, and no request is made.
        let late = try room.watch("lobby")
        room.run(.milliseconds(300))
        try room.forwarder.select(name, for: late.id, at: room.now)
        room.run(.seconds(10))
        #expect(late.frames.count > 40 && requests(publisher, stopped) - before.1 <= 1)
        // It is back.
        publisher.end.setRunning(true, camera: stopped, at: room.now)
        room.run(.seconds(4))
        for client in [viewer, late] {
            #expect(client.frames.suffix(8).allSatisfy(isChosen), "\(client.id)")
            let first = try existing(client.frames.last { !isChosen($0) })
            let index = try existing(client.frames.firstIndex { $0.frame.number == first.frame.number })
            #expect(client.frames[index + 1].frame.isKey)
        }
        #expect(requests(publisher, stopped) - before.1 <= 2)
    }

    @Test func `a publisher whose layers all stop is asked once each`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(4))
        for index in 0..<2 { publisher.end.setRunning(false, camera: index, at: room.now) }
        room.run(.seconds(3))
        let before = publisher.keyFrameRequests
        // Some come and choose while nothing is there.
        let late = try room.watch("lobby")
        room.run(.seconds(1))
        try room.forwarder.select("low", for: late.id, at: room.now)
        try room.forwarder.select("high", for: viewer.id, at: room.now)
        room.run(.seconds(60))
        #expect(publisher.keyFrameRequests - before <= 2, "\(publisher.keyFrameRequests - before)")
        for index in 0..<2 { publisher.end.setRunning(true, camera: index, at: room.now) }
        room.run(.seconds(3))
        #expect(late.lowFrames.count > 8 && viewer.frames.suffix(60).allSatisfy { $0.frame.resolution == .vga })
    }

    @Test func `a viewer who asks a hundred times a second gets a key frame in 4 s`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let (flooder, other) = (try room.watch("lobby"), try room.watch("lobby"))
        room.run(.seconds(4))
        let stream = try existing(room.forwarder[flooder.id]?.sendingStreams.first?.id)
        let media = try existing(room.forwarder[flooder.id]?.session?.settings(of: stream)?.ssrc)
        let request = PictureLossIndication(sender: SSRC(77), media: media)
        var plain: [UInt8] = []
        plain.append(addingCapacity: request.byteCount) { request.write(into: &$0) }
        let before = (requests(publisher, 0), other.frames.count, other.frames.count { $0.frame.isKey })
        func flood(for seconds: Int) {
            for _ in 0..<100 * seconds {
                var bytes: [UInt8] = []
                bytes.append(addingCapacity: plain.count + 32) { output in
                    _ = flooder.end.peer.media?.protect(plain.span, into: &output)
                }
                var span = bytes.mutableSpan
                room.forwarder.insert(&span, on: ICEPath(flooder.address), at: room.now)
                room.run(.milliseconds(10))
            }
        }
        flood(for: 5)
        let middle = requests(publisher, 0)
        flood(for: 32)
        note("\(middle - before.0) requests in 5 s, then \(requests(publisher, 0) - middle) in 32 s")
        #expect(requests(publisher, 0) - middle <= 9)
        #expect(middle - before.0 <= 5)
        #expect(other.frames.count - before.1 > 1095 && other.frames.count { $0.frame.isKey } - before.2 <= 14)
        // It has everything, too: what it asks for in vain takes nothing from it.
        #expect(flooder.frames.count > 1000, "\(flooder.frames.count)")
    }
}
