import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillSession
import RillTestSupport
import Testing

/// Peers with keys who take what they can.
@Suite(.serialized) struct FloodTests {
    /// What a viewer does about feedback.
    enum Feedback: CaseIterable {
        /// It offers feedback of the path, and sends no RTCP.
        case offeredAndSilent
        /// It offers none, and sends no RTCP.
        case noneAndSilent
        /// It offers none, and sends reports.
        case none
    }

    @Test(arguments: Feedback.allCases)
    func `what nobody acknowledges is not sent for ever`(feedback: Feedback) throws {
        let siege = try Siege(viewers: 2)
        let attacker = siege.attacker
        // The publisher sends 6 Mbit/s.
        siege.publisher.end.frameByteCount = (key: 30_000, delta: 25_000)
        let viewer = try siege.room.watch("lobby") { offer in
            guard feedback != .offeredAndSilent else { return offer }
            return offer.withoutPathFeedback
        }
        if feedback != .none {
            attacker.drops = { seen in
                seen.source == viewer.address && DatagramKind(of: seen.bytes.span) == .rtcp
            }
        }
        var rates: [Int] = []
        for _ in 0..<(isLongRun ? 24 : 12) {
            let before = attacker.bytesTowards[viewer.address, default: 0]
            siege.room.run(.seconds(5))
            rates.append((attacker.bytesTowards[viewer.address, default: 0] - before) * 8 / 5000)
        }
        let isThere = siege.room.forwarder[viewer.id] != nil
        note("\(feedback): \(rates) kbit/s every 5 s; the session is \(isThere ? "there" : "gone")")
        switch feedback {
        // Checks of consent remain, if the session does.
        case .offeredAndSilent, .noneAndSilent:
            #expect(rates.allSatisfy { $0 <= 1000 }, "\(rates)")
            #expect(rates.suffix(4).allSatisfy { $0 <= 20 }, "\(rates)")
        // It reports that all arrives, and gets a layer as others do, not more.
        case .none: #expect(rates.allSatisfy { $0 <= 3000 }, "\(rates)")
        }
        // Those who report are not affected.
        let outcome = siege.outcome(after: .seconds(10))
        #expect(outcome.least >= 99, "\(outcome.text)")
    }

    /// RFC 8083 §4.4: reports of losses without end. 60 % of the packets get lost, and nothing else: consent stays.
    @Test func `a viewer without feedback that loses most packets is ended by its circuit breaker`() throws {
        let siege = try Siege(viewers: 2)
        var viewer: ForwardNetwork.Client?
        var random = SeededGenerator(seed: 3)
        var bytes = 0
        siege.attacker.drops = { seen in
            guard seen.destination == viewer?.address, DatagramKind(of: seen.bytes.span) == .rtp else { return false }
            bytes += seen.bytes.count
            return Double.random(in: 0..<1, using: &random) < 0.6
        }
        let watching = try siege.room.watch("lobby") { $0.withoutPathFeedback }
        viewer = watching
        let start = siege.room.now
        siege.room.run(.seconds(25))
        // The rest of the time it gets what is allowed before the first report.
        #expect(siege.room.forwarder[watching.id] != nil && bytes > 100_000)
        #expect(bytes * 8 / 25_000 <= 550, "\(bytes * 8 / 25_000) kbit/s")
        siege.room.run(.seconds(35))
        let ends = siege.room.server.events.compactMap { time, event -> (time: MediaTime, reason: ForwardEnd)? in
            guard case .ended(let session, let reason) = event, session.id == watching.id else { return nil }
            return (time, reason)
        }
        note("\(bytes) bytes into a network that loses 60 %; it ended: \(ends.map { ($0.time - start, $0.reason) })")
        let end = try existing(ends.first)
        guard case .circuitBroken(.unusable(let time)) = end.reason else {
            Issue.record("it ended with \(end.reason)")
            return
        }
        #expect(ends.count == 1 && time >= .seconds(30) && end.time - start < .seconds(50))
        let sent = bytes
        let outcome = siege.outcome(after: .seconds(10))
        #expect(bytes == sent && outcome.least >= 99, "\(outcome.text)")
    }

    /// The same of everything: the handshake gets lost as well.
    @Test func `a viewer whose network loses most datagrams does not connect, and is ended`() throws {
        let siege = try Siege(viewers: 2)
        let viewer = try siege.room.watch("lobby", over: "delay=20ms,loss=60%") { $0.withoutPathFeedback }
        siege.room.run(.seconds(90))
        let reasons = siege.room.server.events.compactMap { _, event -> ForwardEnd? in
            guard case .ended(let session, let reason) = event, session.id == viewer.id else { return nil }
            return reason
        }
        note("a network that loses 60 % of everything: it ended: \(reasons)")
        // The handshake does not come to an end: its own time is up, or that of the connection.
        guard reasons.count == 1, case .failed = reasons[0] else { Issue.record("\(reasons)"); return }
        let text = "\(reasons[0])"
        #expect(text.contains("DTLS did not connect") || text.contains("DTLS is connecting"), "\(reasons)")
        let before = siege.attacker.bytesTowards[viewer.address, default: 0]
        siege.room.run(.seconds(10))
        let rate = (siege.attacker.bytesTowards[viewer.address, default: 0] - before) * 8 / 10_000
        #expect(rate <= 20, "\(rate) kbit/s; it is \(viewer.end.peer.state)")
        let outcome = siege.outcome(after: .seconds(10))
        #expect(outcome.least >= 99, "\(outcome.text)")
    }

    /// 48 Mbit/s of sound, or 2,000 small packets a second, of a publisher with a key.
    @Test(arguments: [(5, 1200, 1), (2, 20, 1), (1, 1200, 50)])
    func `a flood of sound does not reach the viewers`(count: Int, byteCount: Int, interval: Int) throws {
        let siege = try Siege(viewers: 4, hasAudio: true)
        let sections = siege.publisher.end.peer.negotiator.sections
        let type = try existing(sections.first { $0.kind == .audio }?.sending.first?.payloadType)
        let seconds = isLongRun ? 30 : 6
        var number: UInt16 = 0
        let heard = siege.viewers.map(\.end.payloads.count)
        siege.attacker.send(every: .milliseconds(interval), until: siege.room.now + .seconds(seconds)) { _ in
            for _ in 0..<count {
                number &+= 1
                let header = RTPHeader(
                    marker: false, payloadType: type, sequenceNumber: SequenceNumber(number),
                    timestamp: RTPTimestamp(UInt32(number) * 960), ssrc: SSRC(77))
                let payload = [UInt8](repeating: 7, count: byteCount)
                let packet = RTPPacket(header: header, payload: payload.span)
                var bytes: [UInt8] = []
                bytes.append(addingCapacity: packet.byteCount) { packet.write(into: &$0) }
                _ = siege.publisher.end.peer.send(packet: bytes.span)
            }
            return []
        }
        let outcome = siege.outcome(after: .seconds(seconds))
        let packets = zip(siege.viewers, heard).map { $0.end.payloads.suffix(from: $1) }
        let most = packets.map(\.count).max() ?? 0
        let bits = packets.map { $0.reduce(0) { $0 + $1.bytes.count } * 8 / seconds }.max() ?? 0
        let sent = count * byteCount * 8 / interval
        note("sound of \(sent) kbit/s: \(most / seconds) packets and \(bits) bit/s each; \(outcome.text)")
        #expect(outcome.least >= 99, "\(outcome.text)")
        // A second's worth may come at once.
        #expect(most <= 200 * (seconds + 1), "\(most) packets")
        // With headers, that is a twentieth more.
        #expect(bits <= 512_000 * 21 / 20 * (seconds + 1) / seconds, "\(bits) bit/s")
        #expect(most > 0)
    }
}

extension String {
    /// An offer without feedback of the path.
    var withoutPathFeedback: String {
        let lines = split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = ["transport-cc", "ccfb", "transport-wide-cc", "goog-remb"]
        return lines.filter { line in !words.contains { line.contains($0) } }.map { $0 + "\r\n" }.joined()
    }
}
