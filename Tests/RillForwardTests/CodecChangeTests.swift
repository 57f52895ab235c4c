import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import Testing

/// A publisher that goes over to another codec without an offer, as Chromium does by `encodings[i].codec`.
@Suite struct CodecChangeTests {
    private func longestGap(_ client: ForwardNetwork.Client, from start: MediaTime) -> MediaDuration {
        let times = client.frames.map { ForwardNetwork.Client.arrival($0) }.filter { $0 >= start }
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .seconds(3600)
    }

    /// The codecs of frames, each once where it begins: with a key frame.
    private func codecs(_ frames: [ReceivedFrame]) -> [VideoCodec] {
        var found: [VideoCodec] = []
        for frame in frames.map(\.frame) where frame.codec != found.last {
            #expect(frame.isKey, "frame \(frame.number) of \(frame.codec)")
            found.append(frame.codec)
        }
        return found
    }

    private func unavailable(_ room: ForwardNetwork, _ viewer: ForwardNetwork.Client) -> [VideoCodec] {
        room.server.events.compactMap {
            if case .codecUnavailable(let session, let codec) = $0.event, session.id == viewer.id { codec } else { nil }
        }
    }

    @Test func `viewers go on with the new codec's key frame, and one without that codec is told and comes back`()
        throws
    {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", ForwardNetwork.single, codecs: [.vp8, .vp9])
        let (viewer, simple) = (try room.watch("lobby"), try room.watch("lobby", codecs: [.vp8]))
        room.run(.seconds(2))
        let start = room.now
        publisher.end.change(to: .vp9)
        room.run(.seconds(2))
        #expect(unavailable(room, simple) == [.vp9] && unavailable(room, viewer) == [])
        #expect(simple.end.peer.state == .connected)
        let before = simple.frames.count
        // Who joins now, too; and one without the present codec is refused.
        let late = try room.watch("lobby")
        #expect(throws: ForwardError.self) { _ = try room.watch("lobby", codecs: [.vp8]) }
        room.run(.seconds(1))
        #expect(simple.frames.count == before)
        let back = room.now
        publisher.end.change(to: .vp8)
        room.run(.seconds(2))
        #expect(codecs(viewer.frames) == [.vp8, .vp9, .vp8])
        #expect(codecs(late.frames) == [.vp9, .vp8])
        #expect(codecs(simple.frames) == [.vp8])
        for (name, client, time) in [("viewer", viewer, start), ("late", late, back), ("simple", simple, back)] {
            note("\(name): the longest time without a frame is \(longestGap(client, from: time))")
            #expect(longestGap(client, from: time) < .milliseconds(200), "\(name)")
            let steps = zip(client.frames, client.frames.dropFirst()).filter { $0.frame.codec == $1.frame.codec }
            #expect(steps.allSatisfy { $1.frame.number == $0.frame.number + 1 }, "\(name)")
        }
        #expect(simple.frames.count > before + 55)
        // Nobody had to ask: for the one who joined a key frame was there, or one was asked for.
        #expect(publisher.keyFrameRequests <= 4, "\(publisher.keyFrameRequests)")
        #expect(room.forwarder.statistics(at: room.now).first?.codec == .vp8)
    }

    /// What is negotiated, in the codec that comes first, and how a publisher changes.
    static let orders: [(offer: [VideoCodec], changes: [VideoCodec])] = [
        ([.vp8, .vp9], [.vp9, .vp8, .vp9, .vp8]), ([.vp9, .vp8], [.vp8, .vp9]), ([.vp9, .vp8], [.vp9, .vp8, .vp9]),
    ]

    @Test(arguments: orders, ["delay=20ms", "delay=20ms,loss=5%", "delay=20ms,reorder=10%"])
    func `codecs change in any order, with sizes, on any network`(
        order: (offer: [VideoCodec], changes: [VideoCodec]), link: String
    ) throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", ForwardNetwork.single, codecs: order.offer, over: link)
        let viewer = try room.watch("lobby", over: link)
        room.run(.seconds(2))
        let start = room.now
        for (index, codec) in order.changes.enumerated() {
            publisher.end.change(to: codec, index % 2 == 0 ? Resolution(width: 320, height: 180) : .vga)
            room.run(.seconds(2))
            let last = try existing(viewer.frames.last?.frame)
            #expect(last.codec == codec && last.resolution.width == (index % 2 == 0 ? 320 : 640), "\(last.resolution)")
        }
        note("\(order.changes) over \(link): \(longestGap(viewer, from: start)) without a frame at most")
        #expect(longestGap(viewer, from: start) < .seconds(1))
        #expect(
            codecs(viewer.frames) == ([.vp8] + order.changes).reduce(into: []) { if $0.last != $1 { $0.append($1) } })
        #expect(viewer.frames.count > 60 * order.changes.count + 40)
    }

    @Test func `one layer of a simulcast changes, and a viewer without its codec gets the other layer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", codecs: [.vp8, .vp9])
        let (viewer, simple) = (try room.watch("lobby"), try room.watch("lobby", codecs: [.vp8]))
        room.run(.seconds(2))
        publisher.end.change(to: .vp9, camera: 0)
        room.run(.seconds(3))
        #expect(codecs(viewer.highFrames) == [.vp8, .vp9], "\(codecs(viewer.highFrames))")
        // The low layer is there first.
        #expect(viewer.lowFrames.count <= 2)
        #expect(unavailable(room, simple) == [] && simple.lowFrames.count > 10)
        #expect(codecs(simple.frames) == [.vp8])
        publisher.end.change(to: .vp9, camera: 1)
        room.run(.seconds(2))
        #expect(unavailable(room, simple) == [.vp9])
        publisher.end.change(to: .vp8, camera: 0)
        let before = simple.highFrames.count
        room.run(.seconds(2))
        #expect(simple.highFrames.count > before + 50)
    }

    @Test func `answers keep all codecs that both have, each with its retransmissions`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", ForwardNetwork.single, codecs: [.vp8, .vp9])
        let viewer = try room.watch("lobby", codecs: [.vp9, .vp8])
        room.run(.seconds(1))
        func names(_ client: ForwardNetwork.Client) throws -> [String] {
            let answer = try existing(client.end.peer.negotiator.remoteDescription)
            return answer.media[0].formats.compactMap { $0.encoding?.name }.filter {
                ["VP8", "VP9", "rtx"].contains($0)
            }
        }
        #expect(try names(publisher).filter { $0 != "rtx" } == ["VP8", "VP9"])
        #expect(try names(viewer).filter { $0 != "rtx" } == ["VP9", "VP8"])
        #expect(try names(viewer).count { $0 == "rtx" } >= 2)
        let sent = try existing(room.forwarder[viewer.id]?.sendingStreams.first?.description)
        #expect(sent.alternatives.map(\.encoding.name) == ["VP8"])
    }

    @Test func `a publisher of one codec gets an answer of that one`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", ForwardNetwork.single, codecs: [.vp9], films: false)
        let answer = try existing(publisher.end.peer.negotiator.remoteDescription)
        #expect(!answer.media[0].formats.contains { $0.isNamed("VP8") })
        #expect(room.forwarder[publisher.id]?.receivingStreams.first?.description.alternatives == [])
    }
}
