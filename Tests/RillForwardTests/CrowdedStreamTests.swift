import RillCore
import RillForward
import RillPeerSupport
import RillReceive
import RillTestSupport
import Testing

/// A publication that changes under fifty subscribers.
@Suite struct CrowdedStreamTests {
    private static let count = 50

    private struct Stage {
        let room: ForwardNetwork
        let publisher: ForwardNetwork.Client
        let viewers: [ForwardNetwork.Client]

        init(_ link: String) throws {
            room = try ForwardNetwork(link)
            publisher = try room.publish("lobby", codecs: [.vp8, .vp9])
            publisher.end.keepsDatagrams = false
            viewers = try (0..<CrowdedStreamTests.count).map { [room] _ in
                let viewer = try room.watch("lobby")
                viewer.end.keepsDatagrams = false
                return viewer
            }
            room.run(.seconds(5))
        }

        /// The key frame requests that reached the publisher, of all layers.
        var requests: Int { publisher.keyFrameRequests }

        /// When each viewer had its first frame that satisfies a condition, after a time; fails for one that has none.
        func latest(after start: MediaTime, where condition: (EncodedFrame) -> Bool) throws -> MediaDuration {
            try viewers.map { viewer in
                let frame = viewer.frames.first { ForwardNetwork.Client.arrival($0) > start && condition($0.frame) }
                return ForwardNetwork.Client.arrival(try existing(frame)) - start
            }.max() ?? .zero
        }

        /// Every frame of each viewer can be decoded.
        func expectWhole(location: SourceLocation = #_sourceLocation) {
            for (index, viewer) in viewers.enumerated() {
                var known: Set<Int64> = []
                for frame in viewer.frames.map(\.frame) {
                    let isWhole =
                        frame.isKey || (0..<frame.references.count).allSatisfy { known.contains(frame.references[$0]) }
                    if !isWhole { Issue.record("viewer \(index): \(frame.number)", sourceLocation: location) }
                    known.insert(frame.number)
                }
            }
        }
    }

    @Test func `Another size, with or without another codec, reaches all fifty with one key frame`() throws {
        let stage = try Stage("delay=20ms")
        let before = stage.requests
        var counts = stage.viewers.map(\.frames.count)
        for (size, codec) in [(Resolution.hd720, VideoCodec.vp8), (.vga, .vp9), (.hd720, .vp9), (.vga, .vp8)] {
            let start = stage.room.now
            stage.publisher.end.change(to: codec, size)
            stage.room.run(.seconds(2))
            // A frame's interval, both ways, and the pacing of a key frame.
            #expect(try stage.latest(after: start) { $0.resolution == size && $0.isKey } <= .milliseconds(150))
            for (index, viewer) in stage.viewers.enumerated() {
                // 60 frames; those that are on their way when it changes count for the former size.
                #expect((59...62).contains(viewer.frames.count - counts[index]), "viewer \(index)")
                #expect(viewer.frames.suffix(50).allSatisfy { $0.frame.resolution == size && $0.frame.codec == codec })
            }
            counts = stage.viewers.map(\.frames.count)
        }
        #expect(stage.requests == before && stage.viewers.allSatisfy { $0.ownRequests == 0 })
        stage.expectWhole()
    }

    @Test(arguments: ["delay=20ms", "delay=20ms,loss=2%"])
    func `A publication that stops and returns is back for all fifty, for a request a layer`(link: String) throws {
        let stage = try Stage(link)
        for _ in 0..<3 {
            let before = stage.requests
            for camera in 0..<2 { stage.publisher.end.setRunning(false, camera: camera, at: stage.room.now) }
            stage.room.run(.seconds(12))
            #expect(stage.requests - before <= 2, "\(stage.requests - before)")
            let start = stage.room.now
            for camera in 0..<2 { stage.publisher.end.setRunning(true, camera: camera, at: start) }
            stage.room.run(.seconds(4))
            let latest = try stage.latest(after: start, where: \.isKey)
            let large = try stage.latest(after: start) { $0.resolution == .vga }
            note("\(link): all have a picture after \(latest), the large one after \(large)")
            #expect(latest <= .milliseconds(link.contains("loss") ? 680 : 300))
            #expect(large <= .milliseconds(link.contains("loss") ? 2500 : 600))
            // What is lost may take one more.
            #expect(stage.requests - before <= 2 + (link.contains("loss") ? 6 : 2), "\(stage.requests - before)")
        }
        stage.expectWhole()
    }

    @Test func `Fifty who all want another layer at once ask for one key frame`() throws {
        let stage = try Stage("delay=20ms")
        for turn in 0..<4 {
            // The large layer is stopped meanwhile, or not.
            let rest = MediaDuration.seconds(turn % 2 == 0 ? 3 : 8)
            for viewer in stage.viewers { try stage.room.forwarder.select("low", for: viewer.id, at: stage.room.now) }
            stage.room.run(rest)
            let (start, before) = (stage.room.now, stage.requests)
            for viewer in stage.viewers { try stage.room.forwarder.select("high", for: viewer.id, at: start) }
            stage.room.run(.seconds(3))
            #expect(stage.requests - before == 1, "turn \(turn): \(stage.requests - before)")
            #expect(try stage.latest(after: start) { $0.resolution == .vga } <= .milliseconds(200))
        }
        stage.expectWhole()
    }
}
