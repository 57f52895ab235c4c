import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillSession
import RillTestSupport
import Testing

/// Viewers who do not tell how packets arrive, or nothing at all (RFC 8083).
@Suite struct ForwardBreakerTests {
    /// What leaves the forwarder towards an address, in bytes of media by time.
    private final class Meter {
        private(set) var packets: [(time: MediaTime, byteCount: Int)] = []

        func note(_ byteCount: Int, at now: MediaTime) { packets.append((now, byteCount)) }

        /// Bits per second, with UDP and IPv4, between two times.
        func rate(_ start: MediaTime, _ end: MediaTime) -> Double {
            let bytes = packets.reduce(0) { $1.time >= start && $1.time < end ? $0 + $1.byteCount + 28 : $0 }
            return 8 * Double(bytes) / (end - start).seconds
        }
    }

    private func isMedia(_ datagram: [UInt8]) -> Bool { DatagramKind(of: datagram.span) == .rtp }
    private func isFeedback(_ datagram: [UInt8]) -> Bool { DatagramKind(of: datagram.span) == .rtcp }

    /// Measures what is sent to a viewer, and loses what `isLost` says.
    private func meter(
        _ room: ForwardNetwork, _ viewer: ForwardNetwork.Client,
        _ isLost: @escaping (_ isFromViewer: Bool, _ datagram: [UInt8]) -> Bool = { _, _ in false }
    ) -> Meter {
        let meter = Meter()
        let former = room.network.isLost
        room.network.isLost = { [unowned room] source, destination, datagram in
            if destination == viewer.address, self.isMedia(datagram) { meter.note(datagram.count, at: room.now) }
            guard source == viewer.address || destination == viewer.address else {
                return former(source, destination, datagram)
            }
            return isLost(source == viewer.address, datagram)
        }
        return meter
    }

    private func events(_ room: ForwardNetwork, of viewer: ForwardNetwork.Client) -> [ForwardEvent] {
        room.server.events.map(\.event).filter {
            switch $0 {
            case .stopped(let session, _), .resumed(let session), .ended(let session, _): session.id == viewer.id
            default: false
            }
        }
    }

    @Test func `an offer without transport feedback is followed by its reports, paced, up to the best layer`() throws {
        let room = try ForwardNetwork("delay=20ms")
        // Its large layer goes on before somebody watches.
        let publisher = try room.publish("lobby", isPausable: false)
        publisher.end.frameByteCount = (key: 40_000, delta: 6000)
        room.run(.seconds(10))
        #expect(try existing(room.forwarder.statistics(at: room.now).first).layers[0].bitrate > .kilobits(1000))
        let (plain, other) = (try room.watch("lobby", hasFeedback: false), try room.watch("lobby"))
        let meter = meter(room, plain)
        let start = room.now
        room.run(.seconds(20))
        let session = try existing(room.forwarder[plain.id]?.session)
        #expect(session.settings.congestion?.feedback == nil)
        #expect(session.statistics.congestion?.rateFeedback == .receiverReports)
        let rate = try existing(session.allowance(at: room.now)).bitrate
        #expect(rate > .kilobits(1500) && rate <= .kilobits(4000), "\(rate)")
        // Whatever is to be sent: not more than is allowed in any second, nor in a tenth of one more than two packets.
        for step in 0..<190 {
            let from = start + .milliseconds(100 * step)
            #expect(meter.rate(from, from + .seconds(1)) < 2_600_000, "\(step)")
            #expect(meter.rate(from, from + .milliseconds(100)) < 2_800_000, "\(step)")
        }
        #expect(plain.frames.suffix(300).allSatisfy { $0.frame.resolution == .vga })
        #expect(other.highFrames.suffix(100).count == 100 && other.frames.count > 500, "\(other.frames.count)")
        #expect(events(room, of: plain).isEmpty && events(room, of: other).isEmpty)
    }

    @Test(arguments: [true, false])
    func `a viewer who never reports gets 15 s, and one who reports again goes on`(hasFeedback: Bool) throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby")
        let (silent, other) = (try room.watch("lobby", hasFeedback: hasFeedback), try room.watch("lobby"))
        var isSilent = true
        let meter = meter(room, silent) { isFromViewer, datagram in
            isSilent && isFromViewer && self.isFeedback(datagram)
        }
        room.run(.seconds(2))
        let start = room.now
        room.run(.seconds(60))
        let last = try existing(meter.packets.last?.time)
        // With feedback that stops, congestion control sends little long before.
        #expect(((hasFeedback ? 8 : 12)...15).contains((last - start).seconds), "\(last - start)")
        // It is connected all the same, and nothing is asked of the publisher on its behalf.
        #expect(silent.end.peer.state == .connected)
        guard case .stopped(_, .reportTimeout) = events(room, of: silent).first else {
            Issue.record("\(events(room, of: silent))")
            return
        }
        let requests = publisher.keyFrameRequests
        room.run(.seconds(20))
        #expect(publisher.keyFrameRequests == requests)
        isSilent = false
        let before = silent.frames.count
        room.run(.seconds(5))
        #expect(events(room, of: silent).count == 2)
        // With feedback the bitrate begins at its lowest, which is the low layer's.
        #expect(silent.frames.count - before > (hasFeedback ? 12 : 100), "\(silent.frames.count - before)")
        #expect(Double(other.frames.count) > 0.99 * 30 * 86, "\(other.frames.count)")
        #expect(events(room, of: other).isEmpty)
    }

    @Test func `sound of one who reports nothing stops as well`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        for index in 0..<2 { publisher.end.setRunning(false, camera: index, at: room.now) }
        let (silent, other) = (try room.watch("lobby", hasAudio: true), try room.watch("lobby", hasAudio: true))
        room.network.isLost = { source, _, datagram in source == silent.address && self.isFeedback(datagram) }
        room.run(.seconds(1))
        try publisher.speak(for: 40, in: room)
        #expect((700...800).contains(silent.end.payloads.count), "\(silent.end.payloads.count)")
        #expect(other.end.payloads.count > 1990)
        room.network.isLost = { _, _, _ in false }
        let before = silent.end.payloads.count
        room.run(.seconds(2))
        try publisher.speak(for: 2, in: room, from: 2000)
        #expect(silent.end.payloads.count > before + 90)
    }

    @Test(arguments: [true, false])
    func `a path to a viewer that carries nothing ends its session by name`(hasFeedback: Bool) throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let (broken, other) = (try room.watch("lobby", hasFeedback: hasFeedback), try room.watch("lobby"))
        room.run(.seconds(5))
        let meter = meter(room, broken) { isFromViewer, datagram in !isFromViewer && self.isMedia(datagram) }
        room.run(.seconds(28))
        guard case .ended(_, .circuitBroken(.mediaTimeout)) = events(room, of: broken).last else {
            Issue.record("\(events(room, of: broken))")
            return
        }
        let end = try existing(room.server.events.last { if case .ended = $0.event { true } else { false } }).time
        note("ended after \(end - .seconds(5)); \(meter.packets.count) packets were sent")
        // Five reports of nothing, the first of them of what arrived before (RFC 8083 §4.2).
        let last = try existing(meter.packets.last?.time)
        #expect((end - .seconds(5)).seconds < 10 && last <= end)
        #expect(room.forwarder.sessionCount == (1, 1))
        #expect(other.frames.count > 970)
    }

    @Test(arguments: ["delay=200ms,jitter=50ms,loss=10%", "delay=20ms,rate=150k,queue=500ms", "delay=20ms,loss=25%"])
    func `bad networks open nothing`(link: String) throws {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let viewers = [try room.watch("lobby"), try room.watch("lobby", hasFeedback: false)]
        try room.forwarder.select("low", for: viewers[1].id, at: room.now)
        // A handshake may take longer there than a viewer may be silent: it is over when the network gets bad.
        room.run(.seconds(2))
        for viewer in viewers {
            #expect(viewer.end.peer.state == .connected)
            try room.setLink(link, of: viewer.address)
        }
        room.run(.seconds(90))
        for viewer in viewers {
            #expect(events(room, of: viewer).isEmpty, "\(link): \(events(room, of: viewer))")
            #expect(viewer.frames.count > 150, "\(viewer.frames.count)")
        }
    }
}
