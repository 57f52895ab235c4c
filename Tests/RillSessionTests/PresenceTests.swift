import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSession
import Testing

/// Whether the other side is there, and what it says of itself.
@Suite struct PresenceTests {
    @Test func `Silence is reported once and in order`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(5))
        call.isCut = true
        // Less than what stops Alice (RFC 8083 §4.1).
        call.run(until: .seconds(19))
        call.isCut = false
        call.run(until: .seconds(25))
        let events = call.bob.callEvents.filter { if case .firstPicture = $0 { false } else { true } }
        guard events.count == 4, case .connected = events[0], case .interrupted(let interrupted) = events[1],
            case .lost(let lost) = events[2], case .reconnected(let silence) = events[3]
        else {
            Issue.record("\(events)")
            return
        }
        #expect((MediaTime.seconds(8.98) ... .seconds(9.03)).contains(interrupted))
        #expect((MediaTime.seconds(14.98) ... .seconds(15.03)).contains(lost))
        #expect((MediaDuration.seconds(13.9) ... .seconds(14.1)).contains(silence))
        // Alice hears Bob's reports alone, and misses them as well.
        #expect(call.alice.callEvents.count == 4)
    }

    @Test func `Who is muted is not gone`() throws {
        let (call, stream) = try Call.oneWay()
        call.run(until: .seconds(5))
        call.alice.setRunning(false, at: call.now)
        call.bob.session.setMuted(true, of: stream)
        let requests = call.bob.session.statistics
        call.run(until: .seconds(65))
        call.alice.setRunning(true, at: call.now)
        call.bob.session.setMuted(false, of: stream)
        call.run(until: .seconds(70))
        let kinds = call.bob.callEvents.map { "\($0)".prefix { $0 != "(" } }
        #expect(kinds == ["connected", "firstPicture", "muted", "unmuted"])
        // A muted camera costs a report a second and nothing else.
        #expect(requests.receiving.count == 1 && call.alice.keyFrameRequests == 0)
        let inAMinute = call.alice.feedback.count { $0.time >= .seconds(5) && $0.time < .seconds(65) }
        #expect((60...80).contains(inAMinute))
        #expect(call.bob.frames.count > 290)
    }

    @Test func `Nothing is requested from a muted stream`() throws {
        let (call, stream) = try Call.oneWay(over: "delay=20ms,loss=30%")
        call.run(until: .seconds(3))
        call.bob.session.setMuted(true, of: stream)
        let before = call.alice.session.statistics.sending[0].stream
        call.run(until: .seconds(8))
        let after = call.alice.session.statistics.sending[0].stream
        // What was on its way when it was muted.
        #expect(after.nackCount - before.nackCount <= 3 && after.pliCount - before.pliCount <= 1)
        call.bob.session.setMuted(false, of: stream)
        call.run(until: .seconds(12))
        #expect(call.alice.session.statistics.sending[0].stream.nackCount - after.nackCount > 10)
    }

    @Test func `A participant that leaves sends BYE`() throws {
        let (call, stream) = try Call.oneWay()
        call.run(until: .seconds(3))
        call.alice.session.leave(reason: "the train has come", at: call.now)
        call.run(until: .seconds(30))
        #expect(call.bob.callEvents.suffix(2) == [.ended(stream), .left(reason: "the train has come")])
        // Nothing comes behind it, from either end of the call's own accord.
        let last = try #require(call.alice.feedback.last)
        #expect((MediaTime.seconds(3) ... .seconds(3.04)).contains(last.time))
        #expect(call.alice.session.insert([0x80, 0xC9, 0, 1, 0, 0, 0, 1].span, at: call.now) == .other(.rtcp))
    }

    @Test func `A long reason is cut between characters`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(1))
        call.alice.session.leave(reason: String(repeating: "é", count: 200), at: call.now)
        call.run(until: .seconds(2))
        #expect(call.bob.callEvents.last == .left(reason: String(repeating: "é", count: 127)))
    }

    @Test func `A peer that returns has restarted`() throws {
        let (call, stream) = try Call.oneWay()
        call.run(until: .seconds(2))
        let goodbye = try #require(call.bob.session.settings(of: stream)?.jitterBuffer.ssrc)
        let bye = Goodbye(sources: WireList([goodbye].span))
        let bytes = [UInt8](capacity: 64) { output in
            ReceiverReport(ssrc: goodbye).write(into: &output)
            bye.write(into: &output)
        }
        call.bob.session.insert(bytes.span, at: call.now)
        call.run(until: .seconds(4))
        let kinds = call.bob.callEvents.map { "\($0)".prefix { $0 != "(" } }
        #expect(kinds == ["connected", "firstPicture", "ended", "left", "restarted"])
    }

    @Test func `A BYE of unknown sources is ignored`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(2))
        let bytes = [UInt8](capacity: 64) { Goodbye(sources: WireList([SSRC(1), SSRC(2)].span)).write(into: &$0) }
        call.bob.session.insert(bytes.span, at: call.now)
        call.run(until: .seconds(3))
        #expect(call.bob.callEvents.count == 2)
    }

    @Test func `Our own looped report is not a participant`() throws {
        let alice = Endpoint(seed: 1)
        alice.addCamera(try alice.session.send(Call.stream(seed: 72)))
        alice.wake(at: .zero) { _ in }
        // Of a stream's report, and then of one of the source that took its place.
        for second in 1...2 {
            let report = try #require(alice.feedback.last).bytes
            alice.session.insert(report.span, at: .seconds(Double(second)))
            alice.wake(at: .seconds(Double(second))) { _ in }
        }
        let kinds = alice.callEvents.map { "\($0)".prefix { $0 != "(" } }
        #expect(kinds == ["collision"])
        #expect(alice.session.statistics.transport.packetsLooped > 0)
    }

    @Test func `What cannot be read is named and counted`() throws {
        let (call, _) = try Call.oneWay()
        let short: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        #expect(call.bob.session.insert(short.span, at: .zero) == .malformed(.truncated(needed: 12, available: 11)))
        // It claims fifteen contributing sources, and has none.
        let claiming: [UInt8] = [0x8F, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]
        guard case .malformed(.truncated) = call.bob.session.insert(claiming.span, at: .zero) else {
            Issue.record("it was read")
            return
        }
        #expect(call.bob.session.insert([9].span, at: .zero) == .other(.unknown))
        #expect(call.bob.session.statistics.transport.malformedPackets == 2)
        #expect(call.bob.callEvents.isEmpty)
    }

    @Test func `Unread events are bounded`() throws {
        let session = Endpoint(seed: 1).session
        let stream = Call.stream(seed: 70)
        _ = try session.send(stream)
        let request = PictureLossIndication(sender: SSRC(9), media: stream.ssrc)
        let bytes = [UInt8](capacity: 64) { request.write(into: &$0) }
        for index in 0..<100_000 { session.insert(bytes.span, at: .zero + .milliseconds(index)) }
        #expect(session.statistics.transport.eventsDropped > 98_000)
        #expect(session.statistics.sending[0].stream.pliCount == 100_000)
    }

    @Test func `Unread datagrams are bounded`() throws {
        let session = Endpoint(seed: 1).session
        let camera = try session.send(Call.stream(seed: 71))
        for number in 0..<100 {
            let now = MediaTime.zero + .milliseconds(33 * number)
            let frame = SyntheticFrame.make(Int64(number), isKey: number == 0, .vga, at: now, byteCount: 50_000)
            session.send(frame.description, payload: frame.bytes.span, of: camera, at: now)
        }
        let waiting = session.statistics.transport
        #expect(waiting.packetsDropped > 2000)
        let sink = ByteCounter()
        session.transmit(to: sink)
        // Packets of 1,178 bytes, in 1,598 blocks of 1,312: 2 MiB.
        #expect((1_850_000...2_097_152).contains(sink.byteCount), "\(sink.byteCount)")
        // What was dropped stays counted, once.
        #expect(session.statistics.transport.packetsDropped == waiting.packetsDropped)
        #expect(session.statistics.transport.bytesSent == sink.byteCount)
    }
}

private final class ByteCounter: PacketSink {
    private(set) var byteCount = 0
    func send(_ packet: Span<UInt8>, at time: MediaTime) { byteCount += packet.count }
}
