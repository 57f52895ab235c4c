import RillCore
import RillRTP
import RillReceive
import RillSession
import RillTestSupport
import Testing

@testable import struct RillSession.PauseAnswerer
@testable import struct RillSession.PauseRequester

/// Who asks for a pause, and who answers, as RFC 7728 numbers it.
@Suite struct PauseRequestTests {
    @Test func `Pauses are numbered, and the matching resume has the same number`() throws {
        let test = try LayeredCall(seed: 1, over: "delay=20ms")
        let low = test.sent[1]
        var said: [PauseResume.Entry] = []
        test.call.filter = { bytes, _ in
            said += (try? Self.entries(bytes)) ?? []
            return [bytes]
        }
        test.want(0)
        test.call.run(for: .milliseconds(500))
        test.want(1)
        test.call.run(for: .milliseconds(500))
        test.want(nil)
        test.call.run(for: .milliseconds(500))
        let source = try #require(test.call.alice.session.settings(of: low)?.ssrc)
        let kinds = said.filter { $0.target == source }.map { (kind: $0.kind.name, pauseID: $0.pauseID) }
        // What is said more than once says the same.
        var order: [String] = []
        for entry in kinds where order.last != "\(entry.kind) \(entry.pauseID)" {
            order.append("\(entry.kind) \(entry.pauseID)")
        }
        #expect(order == ["pause 0", "paused 0", "resume 0", "pause 1", "paused 1"])
    }

    @Test func `A request has the byte layout of RFC 7728`() throws {
        let test = try LayeredCall(seed: 1, over: "delay=20ms")
        var requests: [[UInt8]] = []
        test.call.filter = { bytes, isForBob in
            if !isForBob, (try? Self.entries(bytes))?.isEmpty == false { requests.append(bytes) }
            return [bytes]
        }
        test.want(0)
        test.call.run(for: .milliseconds(300))
        let packet = try #require(requests.first)
        let source = try #require(test.call.alice.session.settings(of: test.sent[1])?.ssrc.rawValue)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: source >> (24 - 8 * UInt32($0))) }
        // Behind a report: V=2, FMT=9, PT=205, 4 words more; who asks; 0; whom; PAUSE, no parameter, PauseID 0.
        #expect(Array(packet.suffix(20).prefix(4)) == [0x89, 0xCD, 0, 4])
        #expect(Array(packet.suffix(12)) == [0, 0, 0, 0] + bytes + [0, 0, 0, 0])
    }

    @Test func `Reordered requests leave the last one in effect`() {
        var sender = PauseAnswerer()
        #expect(sender.pause(0) == .changed && sender.isPaused)
        #expect(sender.pause(0) == .repeated)
        #expect(sender.resume(0) == .changed && !sender.isPaused)
        // It comes once more, late.
        #expect(sender.pause(0) == .stale && !sender.isPaused)
        // What takes back the next one comes before it.
        #expect(sender.resume(1) == .repeated && sender.pause(1) == .stale && !sender.isPaused)
        #expect(sender.pause(2) == .changed && sender.pause(3) == .repeated && sender.isPaused)
        #expect(sender.resume(2) == .stale && sender.isPaused)
        #expect(sender.resume(3) == .changed && !sender.isPaused)
    }

    @Test(arguments: [0, 1, 127, 32767, 32768, 65534, 65535] as [UInt16])
    func `Numbers wrap`(start: UInt16) {
        var sender = PauseAnswerer()
        // Half the numbers are newer than any.
        for number in stride(from: 0, through: Int(start), by: 16384) { _ = sender.pause(UInt16(number)) }
        _ = sender.pause(start)
        #expect(sender.pauseID == start && sender.isPaused)
        #expect(sender.resume(start) == .changed && sender.pause(start) == .stale)
        #expect(sender.pause(start &+ 1) == .changed)
    }

    @Test func `A sender's own pause is distinguished from a requested one`() throws {
        let test = try LayeredCall(seed: 2, over: "delay=20ms")
        test.want(0)
        test.call.run(for: .seconds(1))
        let (alice, bob) = (test.call.alice, test.call.bob)
        #expect(!bob.session.isMuted(test.received[1]), "we have asked for it")
        alice.setMuted(true, of: test.sent[0], at: test.call.now)
        alice.setMuted(true, of: test.sent[1], at: test.call.now)
        test.call.run(for: .seconds(1))
        #expect(bob.session.isMuted(test.received[0]))
        // Wanted while they are muted, it comes when they no longer are.
        test.want(1)
        test.call.run(for: .seconds(1))
        #expect(bob.session.isMuted(test.received[1]) && test.shown.last?.layer == 0)
        let packets = test.packetsSent(1)
        alice.setMuted(false, of: test.sent[0], at: test.call.now)
        alice.setMuted(false, of: test.sent[1], at: test.call.now)
        test.call.run(for: .seconds(1))
        #expect(!bob.session.isMuted(test.received[1]) && test.shown.last?.layer == 1 && test.packetsSent(1) > packets)
        // A stream that was unwanted at that time stays silent.
        test.want(nil)
        test.call.run(for: .seconds(1))
        alice.setMuted(true, of: test.sent[0], at: test.call.now)
        test.call.run(for: .seconds(1))
        let silent = test.packetsSent(0)
        alice.setMuted(false, of: test.sent[0], at: test.call.now)
        test.call.run(for: .seconds(1))
        #expect(test.packetsSent(0) == silent)
    }

    @Test func `A sender without pause support refuses requests, and is not asked forever`() throws {
        let test = try LayeredCall(seed: 3, over: "delay=20ms") { $0.acceptsPauseRequests = false }
        var asked = 0
        test.call.filter = { bytes, isForBob in
            if !isForBob { asked += (try? Self.entries(bytes))?.count ?? 0 }
            return [bytes]
        }
        test.want(0)
        test.call.run(for: .seconds(10))
        #expect((1...8).contains(asked) && test.packetsSent(1) > 40, "\(asked)")
        test.want(1)
        test.call.run(for: .seconds(1))
        #expect(test.shown.last?.layer == 1)
    }

    @Test func `A receiver that restarts learns the current number`() throws {
        let test = try LayeredCall(seed: 4, over: "delay=20ms")
        test.call.run(for: .milliseconds(500))
        for _ in 0..<20 {
            test.want(0)
            test.call.run(for: .milliseconds(300))
            test.want(1)
            test.call.run(for: .milliseconds(300))
        }
        // The stream is received again, by a receiver that has never asked for anything: a request with number 0 is
        // long past.
        try test.receiveAgain(1)
        test.call.run(for: .milliseconds(500))
        test.want(0)
        test.call.run(for: .seconds(1))
        let packets = test.packetsSent(1)
        test.call.run(for: .seconds(1))
        #expect(test.packetsSent(1) == packets && packets > 0)
    }

    @Test func `A sender that restarts with another SSRC is asked again`() throws {
        let test = try LayeredCall(seed: 8, over: "delay=20ms")
        test.want(0)
        test.call.run(for: .seconds(1))
        // The low layer's sender was started again, and knows of no request.
        let alice = test.call.alice
        alice.session.remove(test.sent[1], at: test.call.now)
        alice.removeCamera(test.sent[1])
        test.call.run(for: .seconds(2))
        let stream = try alice.session.send(Call.stream(seed: 4711, named: "l"))
        alice.addCamera(
            stream, every: Endpoint.captureInterval * 6, byteCount: 700, Resolution(width: 160, height: 120),
            from: test.call.now)
        test.call.run(for: .seconds(1))
        let packets = alice.session.statistics(of: stream)?.packetsSent ?? 0
        #expect(alice.session.isPaused(stream) && (1...4).contains(packets), "\(packets)")
        test.want(1)
        test.call.run(for: .milliseconds(500))
        #expect(test.shown.last?.layer == 1)
    }

    @Test func `Signaling can carry the request; RTCP then does not`() throws {
        let test = try LayeredCall(seed: 5, over: "delay=20ms", isPausable: false)
        test.want(0)
        test.call.run(for: .seconds(1))
        test.call.alice.change(at: test.call.now) { $0.setPaused(true, of: test.sent[1], at: test.call.now) }
        test.call.run(for: .milliseconds(100))
        let packets = test.packetsSent(1)
        test.call.run(for: .seconds(2))
        #expect(test.packetsSent(1) == packets && test.call.alice.session.isPaused(test.sent[1]))
        #expect(!test.call.bob.session.isMuted(test.received[1]))
        test.call.alice.change(at: test.call.now) { $0.setPaused(false, of: test.sent[1], at: test.call.now) }
        test.want(1)
        test.call.run(for: .milliseconds(500))
        #expect(test.shown.last?.layer == 1)
    }

    @Test func `Pause messages of unknown sources cause no harm`() throws {
        let test = try LayeredCall(seed: 6, over: "delay=20ms,loss=2%")
        var random = SeededGenerator(seed: 6)
        let sources = try (test.sent.map { try #require(test.call.alice.session.settings(of: $0)?.ssrc) })
        test.want(0)
        for _ in 0..<3000 {
            let kinds: [PauseResume.Kind] = [
                .pause, .resume, .paused(last: .random(in: 0 ... .max, using: &random)), .refused(parameter: 7),
                .refused(),
            ]
            let entries = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                PauseResume.Entry(
                    target: Bool.random(using: &random) ? sources[0] : sources[1],
                    kind: kinds.randomElement(using: &random) ?? .pause,
                    pauseID: .random(in: 0 ... .max, using: &random))
            }
            let message = PauseResume(sender: SSRC(7), entries: entries.span)
            let bytes = [UInt8](capacity: message.byteCount) { message.write(into: &$0) }
            let isForBob = Bool.random(using: &random)
            (isForBob ? test.call.bob : test.call.alice).change(at: test.call.now) {
                $0.insert(bytes.span, at: test.call.now)
            }
            test.call.run(for: .milliseconds(7))
        }
        // When he is silent it heals.
        test.want(nil)
        test.call.run(for: .seconds(1))
        test.want(1)
        test.call.run(for: .seconds(3))
        #expect(test.shown.last?.layer == 1)
        #expect(test.shown.last.map { test.call.now - $0.shownAt < .seconds(1) } ?? false)
    }

    private static func entries(_ datagram: [UInt8]) throws -> [PauseResume.Entry] {
        var found: [PauseResume.Entry] = []
        guard RTCPPacket.isRTCP(datagram) else { return [] }
        var packets = RTCPCompound(datagram.span)
        while let packet = try packets.next() {
            guard case .pauseResume(let message) = try RTCPMessage(parsing: packet) else { continue }
            var entries = message.entries
            while let entry = entries.next() { found.append(entry) }
        }
        return found
    }
}

extension RTCPPacket {
    fileprivate static func isRTCP(_ bytes: [UInt8]) -> Bool { bytes.count > 1 && (192...223).contains(bytes[1]) }
}

extension PauseResume.Kind {
    fileprivate var name: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .paused: "paused"
        case .refused: "refused"
        }
    }
}
