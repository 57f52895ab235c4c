import RillCore
import RillForward
import RillLink
import RillPeer
import RillPeerSupport
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import Testing

@Suite struct StreamForwarderTests {
    /// Every frame follows the one before it, and time rises.
    private func expectWhole(_ client: ForwardNetwork.Client, _ name: String = "") {
        let frames = client.frames.map(\.frame)
        for (former, next) in zip(frames, frames.dropFirst()) {
            #expect(next.number == former.number + 1, "\(name): \(former.number), then \(next.number)")
            #expect(next.captureTime > former.captureTime, "\(name): frame \(next.number)")
        }
        #expect(frames.first?.isKey == true, "\(name)")
    }

    @Test func `viewers get a publisher's frames, the best layer each`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        room.run(.seconds(1))
        let viewers = try (0..<3).map { _ in try room.watch("lobby") }
        room.run(.seconds(10))
        #expect(publisher.end.failure == nil)
        for (index, viewer) in viewers.enumerated() {
            #expect(viewer.end.peer.state == .connected)
            #expect(viewer.highFrames.count > 290, "viewer \(index): \(viewer.frames.count) frames")
            #expect(viewer.ownRequests == 0)
            expectWhole(viewer, "viewer \(index)")
            // From the publisher's camera to here: two links of 20 ms, and the pace.
            let last = try existing(viewer.frames.last)
            #expect(ForwardNetwork.Client.arrival(last) - room.now < .zero)
        }
        let statistics = try existing(room.forwarder.statistics(at: room.now).first)
        #expect(statistics.name == "lobby" && statistics.viewerCount == 3 && statistics.isPublished)
        #expect(statistics.layers.map(\.name) == ["high", "low"])
        #expect((29...31).contains(statistics.layers[0].framesPerSecond))
        #expect((4...6).contains(statistics.layers[1].framesPerSecond))
        #expect(statistics.layers[0].viewerCount == 3)
    }

    @Test func `for fifty who join within a second, each layer is asked for one key frame`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby")
        room.run(.seconds(3))
        let before = publisher.keyFrameRequests
        var viewers: [ForwardNetwork.Client] = []
        for index in 0..<50 {
            let viewer = try room.watch("lobby")
            viewers.append(viewer)
            if index % 2 == 1 {
                room.run(.milliseconds(20))
                try room.forwarder.select("low", for: viewer.id, at: room.now)
            } else {
                room.run(.milliseconds(20))
            }
        }
        room.run(.seconds(5))
        let asked = publisher.end.keyFrameRequests
        note("\(publisher.keyFrameRequests - before) key frames asked for: \(asked)")
        #expect(room.forwarder.keyFrameRequestCount >= publisher.keyFrameRequests - before)
        #expect(publisher.keyFrameRequests - before <= 2)
        for (index, viewer) in viewers.enumerated() {
            let frames = index % 2 == 1 ? viewer.lowFrames.count : viewer.highFrames.count
            #expect(frames > (index % 2 == 1 ? 20 : 140), "viewer \(index): \(frames)")
            expectWhole(viewer, "viewer \(index)")
        }
    }

    @Test func `who joins within a second of a key frame sees a picture at once, and does not lag`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby")
        room.run(.milliseconds(600))
        let before = publisher.keyFrameRequests
        let viewer = try room.watch("lobby")
        let start = room.now
        room.run(.milliseconds(250))
        #expect(publisher.keyFrameRequests == before)
        let first = try existing(viewer.frames.first)
        #expect(first.frame.isKey)
        note("first picture after \(ForwardNetwork.Client.arrival(first) - start)")
        #expect(ForwardNetwork.Client.arrival(first) - start < .milliseconds(150))
        room.run(.seconds(2))
        // The frames that were kept came within a moment, and so did their times.
        let frames = viewer.frames
        let ahead = frames.map { ForwardNetwork.Client.arrival($0).nanoseconds - $0.frame.captureTime.nanoseconds }
        let spread = (ahead.max() ?? 0) - (ahead.min() ?? 0)
        note("transit varies by \(spread / 1_000_000) ms")
        #expect(spread < 120_000_000)
        expectWhole(viewer)
    }

    @Test func `a viewer chooses its layer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        let before = publisher.keyFrameRequests
        try room.forwarder.select("low", for: viewer.id, at: room.now)
        room.run(.seconds(3))
        let low = viewer.lowFrames.count
        #expect((10...17).contains(low), "\(low)")
        #expect(viewer.frames.suffix(10).allSatisfy { $0.frame.resolution.width == 160 })
        try room.forwarder.select("high", for: viewer.id, at: room.now)
        room.run(.seconds(3))
        #expect(viewer.frames.suffix(60).allSatisfy { $0.frame.resolution == .vga })
        // One for each change.
        #expect(publisher.keyFrameRequests - before == 2)
        expectWhole(viewer)
        #expect(throws: ForwardError.unknownLayer("x", of: ["high", "low"])) {
            try room.forwarder.select("x", for: viewer.id, at: room.now)
        }
        #expect(throws: ForwardError.unknownSession) {
            try room.forwarder.select("low", for: publisher.id, at: room.now)
        }
    }

    @Test func `a narrow network gets the low layer, and the high one once it has room`() throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let wide = try room.watch("lobby")
        // The high layer has about 480 kbit/s.
        let narrow = try room.watch("lobby", over: "delay=20ms,rate=200k/2M@15s,queue=300ms")
        room.run(.seconds(7))
        let begun = narrow.lowFrames.count
        room.run(.seconds(8))
        let early = narrow.frames.count
        note("\(narrow.highFrames.count) high and \(narrow.lowFrames.count) low frames over 200 kbit/s")
        #expect(narrow.frames.suffix(30).allSatisfy { $0.frame.resolution.width == 160 })
        #expect(narrow.lowFrames.count - begun >= 38)
        room.run(.seconds(15))
        let late = Array(narrow.frames.dropFirst(early))
        note("\(late.count { $0.frame.resolution == .vga }) high frames behind that")
        #expect(late.suffix(60).allSatisfy { $0.frame.resolution == .vga })
        #expect(wide.highFrames.count > 880)
        expectWhole(wide)
    }

    @Test func `a publisher's losses are repaired once, and cost viewers nothing`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", over: "delay=20ms,loss=5%")
        let viewers = try (0..<4).map { _ in try room.watch("lobby") }
        room.run(.seconds(20))
        note("\(publisher.keyFrameRequests) key frames asked for")
        for viewer in viewers {
            #expect(viewer.ownRequests == 0)
            #expect(viewer.frames.count > 560, "\(viewer.frames.count)")
            expectWhole(viewer)
        }
    }

    @Test func `a viewer's losses are repaired from here`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby", over: "delay=20ms,loss=5%")
        let other = try room.watch("lobby")
        room.run(.seconds(3))
        let before = publisher.keyFrameRequests
        room.run(.seconds(20))
        #expect(viewer.frames.count > 640, "\(viewer.frames.count)")
        #expect(publisher.keyFrameRequests - before <= 1)
        expectWhole(other)
    }

    @Test func `another publisher takes over, and viewers go on`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let first = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        let before = viewer.frames.count
        let second = try room.publish("lobby", [SendingEncoding()])
        room.run(.seconds(3))
        #expect(first.end.peer.state == .closed)
        #expect(second.end.peer.state == .connected)
        #expect(viewer.frames.count > before + 70, "\(before), then \(viewer.frames.count)")
        expectWhole(viewer)
        #expect(
            room.server.events.contains {
                $0.event
                    == .ended(
                        ForwardSession(id: first.id, stream: "lobby", isPublisher: true), .replaced)
            })
        // One with another codec cannot be decoded by those who do not have it.
        let other = try room.watch("lobby", codecs: [.vp8])
        let third = try room.publish("lobby", codecs: [.vp9], films: false)
        room.run(.seconds(1))
        #expect(viewer.end.peer.state == .connected && other.end.peer.state == .connected)
        second.end.peer.close(at: room.now)
        room.run(.seconds(1))
        #expect(viewer.end.peer.state == .connected && other.end.peer.state == .closed)
        #expect(room.forwarder.sessionCount == (1, 1))
        let count = viewer.frames.count
        third.end.film(from: room.now)
        third.end.change(to: .vp9)
        room.run(.seconds(2))
        #expect(viewer.frames.count > count + 50 && viewer.frames.last?.frame.codec == .vp9)
    }

    @Test func `a stream outlives its publisher for a while`() throws {
        let room = try ForwardNetwork("delay=20ms")
        #expect(throws: ForwardError.unknownStream("lobby")) { _ = try room.watch("lobby") }
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(2))
        publisher.end.peer.close(at: room.now)
        room.run(.seconds(2))
        #expect(room.forwarder.sessionCount == (0, 1))
        #expect(throws: ForwardError.unknownStream("lobby")) { _ = try room.watch("lobby") }
        let again = try room.publish("lobby")
        let before = viewer.frames.count
        room.run(.seconds(2))
        #expect(viewer.frames.count > before + 40)
        again.end.peer.close(at: room.now)
        room.run(.seconds(35))
        #expect(room.forwarder.sessionCount == (0, 0))
        #expect(viewer.end.peer.state == .closed)
        #expect(room.forwarder.statistics(at: room.now).isEmpty)
    }

    @Test func `viewers who leave or vanish are forgotten`() throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let viewers = try (0..<3).map { _ in try room.watch("lobby") }
        room.run(.seconds(2))
        viewers[0].end.peer.close(at: room.now)
        try room.forwarder.end(viewers[1].id, at: room.now)
        let gone = viewers[2].address
        room.network.isBlocked = { source, destination in source == gone || destination == gone }
        room.run(.seconds(1))
        #expect(viewers[1].end.peer.state == .closed)
        #expect(room.forwarder.sessionCount == (1, 1))
        room.run(.seconds(40))
        #expect(room.forwarder.sessionCount == (1, 0))
        #expect(throws: ForwardError.unknownSession) { try room.forwarder.end(viewers[1].id, at: room.now) }
        #expect(room.forwarder.counts.frames > 100)
    }

    @Test func `limits hold`() throws {
        var settings = ForwardSettings()
        (settings.sessionLimit, settings.streamLimit) = (3, 1)
        let room = try ForwardNetwork("delay=1ms", settings)
        _ = try room.publish("lobby")
        room.run(.milliseconds(10))
        #expect(throws: ForwardError.tooManyStreams(limit: 1)) { _ = try room.publish("other") }
        _ = try room.watch("lobby")
        _ = try room.watch("lobby")
        room.run(.seconds(1))
        #expect(throws: ForwardError.tooManySessions(limit: 3)) { _ = try room.watch("lobby") }
        #expect(throws: ForwardError.self) { _ = try room.forwarder.publish("lobby", offer: "v=0", at: room.now) }
        #expect(room.forwarder.sessionCount == (1, 2))
        room.forwarder.close(at: room.now)
        room.run(.seconds(1))
        #expect(room.forwarder.sessionCount == (0, 0))
        #expect(throws: ForwardError.closed) { _ = try room.watch("lobby") }
    }

    @Test func `a publisher's second video is rejected, and the event says why`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", videoCount: 2)
        let answer = try existing(publisher.end.peer.negotiator.remoteDescription)
        #expect(answer.media.map { $0.port == 0 } == [false, true])
        let viewer = try room.watch("lobby")
        room.run(.seconds(3))
        #expect(viewer.frames.count > 60)
        let rejection = SectionRejection(index: 1, mid: "1", reason: .tooManySections(.video, limit: 1))
        let session = ForwardSession(id: publisher.id, stream: "lobby", isPublisher: true)
        #expect(room.server.events.first?.event == .sectionsRejected(session, [rejection]))
        #expect("\(rejection)" == "section 1, mid \"1\": this side takes video of 1 earlier section only")
    }

    @Test(arguments: [
        (
            "VP8/90000", "H264/90000",
            SectionRejection.Reason.noCommonCodec(offered: ["H264"], supported: ["VP8", "VP9"])
        ),
        ("a=rtcp-mux\r\n", "", .notMultiplexed),
    ])
    func `a publisher that cannot be forwarded is told why`(
        old: String, new: String, reason: SectionRejection.Reason
    ) throws {
        let room = try ForwardNetwork("delay=20ms")
        let error = ForwardError.nothingUsable([SectionRejection(index: 0, mid: "0", reason: reason)])
        #expect(throws: error) {
            _ = try room.publish("lobby", ForwardNetwork.single, hasAudio: true) { $0.replacing(old, with: new) }
        }
        #expect("\(error)".hasPrefix("section 0, mid \"0\": ") && room.forwarder.sessionCount == (0, 0))
        // Sound alone is no stream.
        #expect(throws: ForwardError.nothingUsable([])) {
            _ = try room.publish("lobby", videoCount: 0, hasAudio: true)
        }
    }

    @Test func `of a single layer none is the low one`() throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby", ForwardNetwork.single)
        let viewer = try room.watch("lobby")
        room.run(.seconds(1))
        let error = ForwardError.unknownLayer("low", of: ["high"])
        #expect(throws: error) { try room.forwarder.select("low", for: viewer.id, at: room.now) }
        #expect("\(error)" == "the stream has no layer \"low\": it has high")
        try room.forwarder.select("high", for: viewer.id, at: room.now)
    }

    @Test func `a viewer without the publisher's codec is refused`() throws {
        let room = try ForwardNetwork()
        _ = try room.publish("lobby", codecs: [.vp9])
        let lack = SectionRejection.Reason.noCommonCodec(offered: ["VP8"], supported: ["VP9"])
        #expect(throws: ForwardError.nothingUsable([SectionRejection(index: 0, mid: "0", reason: lack)])) {
            _ = try room.watch("lobby", codecs: [.vp8])
        }
        #expect(room.forwarder.sessionCount == (1, 0))
    }

    @Test func `a session finds another path`() throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(2))
        let offer = try viewer.end.peer.offer(restartsICE: true, at: room.now)
        let attributes = offer.media[0].otherAttributes + offer.otherAttributes
        let fragment = try existing(attributes.first { $0.name == "ice-ufrag" }?.value)
        let password = try existing(attributes.first { $0.name == "ice-pwd" }?.value)
        let answer = try room.forwarder.restart(
            viewer.id, usernameFragment: fragment, password: password, at: room.now)
        try viewer.end.peer.setRemote(.answer, answer.text, at: room.now)
        let before = viewer.frames.count
        room.run(.seconds(3))
        #expect(viewer.end.peer.state == .connected)
        #expect(viewer.frames.count > before + 80)
        expectWhole(viewer)
    }
}
