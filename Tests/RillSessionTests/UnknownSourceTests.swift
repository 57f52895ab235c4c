import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// Streams with unannounced SSRCs, and SSRCs that belong to no stream.
@Suite struct UnknownSourceTests {
    /// Alice sends "h" and "l" in one section; Bob knows the names alone.
    private func namedCall() throws -> (call: Call, streams: [ReceivingStreamID], settings: [RTPStreamSettings]) {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let settings = ["h", "l"].enumerated().map { Call.stream(seed: UInt64(40 + $0), named: $1) }
        var streams: [ReceivingStreamID] = []
        for stream in settings {
            alice.addCamera(try alice.session.send(stream))
            streams.append(try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero))
        }
        return (try Call(alice, bob, over: "delay=20ms,loss=3%"), streams, settings)
    }

    @Test func `Names tell the streams apart`() throws {
        let (call, streams, settings) = try namedCall()
        call.run(until: .seconds(10))
        for (stream, sent) in zip(streams, settings) {
            #expect(call.bob.session.settings(of: stream)?.jitterBuffer.ssrc == sent.ssrc)
            #expect(call.bob.session.settings(of: stream)?.repair.retransmission?.ssrc == sent.retransmission?.ssrc)
            #expect(call.bob.streams.count { $0 == stream } > 280)
        }
        // Retransmissions found their streams by the names that they bear.
        let received = call.bob.session.statistics.receiving
        #expect(received.count == 2 && received.allSatisfy { $0.repair.retransmittedPacketsReceived > 5 })
        #expect(received.map(\.rid) == ["h", "l"])
    }

    @Test func `Sources that are announced later are found by their names`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 44, named: "h")
        alice.addCamera(try alice.session.send(stream))
        let call = try Call(alice, bob)
        // Packets that arrive before the stream is known belong to no stream, and are forgotten.
        call.run(until: .seconds(1))
        #expect(bob.session.statistics.transport.packetsOfUnknownSources > 80 && bob.frames.isEmpty)
        let id = try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: call.now)
        call.run(until: .seconds(3))
        #expect(bob.frames.count > 50 && bob.streams.allSatisfy { $0 == id })
        #expect(alice.keyFrameRequests == 1)
    }

    @Test func `A sender report that arrived before its source was known is not lost`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 46, named: "h")
        let id = try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero)
        let late = try bob.session.receive(
            Call.receiving(Call.stream(seed: 47, named: "l"), isAnnounced: false), at: .zero)
        func report(_ ssrc: SSRC, _ number: UInt32) -> [UInt8] {
            [UInt8](capacity: 28) { output in
                SenderReport(
                    ssrc: ssrc, ntpTimestamp: NTPTimestamp(seconds: number, fraction: 0),
                    rtpTimestamp: RTPTimestamp(number),
                    packetCount: 0, octetCount: 0
                ).write(into: &output)
            }
        }
        bob.session.insert(report(stream.ssrc, 1).span, at: .zero + .milliseconds(5))
        bob.session.insert(report(stream.ssrc, 2).span, at: .zero + .milliseconds(10))
        #expect(bob.session.senderClock(of: id) == nil)
        alice.addCamera(try alice.session.send(stream))
        let call = try Call(alice, bob)
        call.run(until: .seconds(0.2))
        let clock = try #require(bob.session.senderClock(of: id))
        #expect(clock.arrival >= .zero + .milliseconds(10) && bob.session.senderClock(of: late) == nil)
        // Of a hundred thousand strangers a few are kept.
        for number in 0..<100_000 as Range<UInt32> {
            bob.session.insert(report(SSRC(number), number).span, at: call.now)
        }
        var announced = Call.stream(seed: 48)
        announced.ssrc = SSRC(99_999)
        let known = try bob.session.receive(Call.receiving(announced), at: call.now)
        #expect(bob.session.senderClock(of: known)?.rtpTimestamp == RTPTimestamp(99_999))
    }

    @Test func `One payload type is enough where one stream has it`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 45)
        alice.addCamera(try alice.session.send(stream))
        _ = try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero)
        let call = try Call(alice, bob, over: "delay=20ms,loss=5%")
        call.run(until: .seconds(5))
        #expect(bob.frames.count > 140)
        #expect(bob.session.statistics.receiving[0].repair.retransmittedPacketsReceived > 5)
    }

    @Test func `A payload type shared by two streams identifies neither`() throws {
        let bob = Endpoint(seed: 2)
        for seed in [46, 47] as [UInt64] {
            _ = try bob.session.receive(Call.receiving(Call.stream(seed: seed), isAnnounced: false), at: .zero)
        }
        let packet = rtp(SSRC(5), PayloadType(96))
        #expect(bob.session.insert(packet.span, at: .zero) == .unknownSource(SSRC(5)))
    }

    @Test func `A source that follows a silent one is the stream's new one`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let first = Call.stream(seed: 48, named: "h")
        let old = try alice.session.send(first)
        alice.addCamera(old)
        let id = try bob.session.receive(Call.receiving(first), at: .zero)
        let call = try Call(alice, bob)
        call.run(until: .seconds(3))
        // The sender begins again with a source of another number, and says that the old one ends.
        alice.removeCamera(old)
        alice.session.remove(old, at: call.now)
        let second = Call.stream(seed: 49, named: "h")
        alice.addCamera(try alice.session.send(second), from: call.now)
        let before = bob.frames.count
        call.run(until: .seconds(6))
        #expect(bob.frames.count - before > 85)
        #expect(bob.events.contains(.ended(id)))
        #expect(bob.events.contains(.sourceChanged(of: id, from: first.ssrc, to: second.ssrc)))
        #expect(bob.streams.allSatisfy { $0 == id })
    }

    @Test func `A source with the name of an expected one is rejected`() throws {
        let (call, streams, _) = try namedCall()
        call.run(until: .seconds(2))
        let liar = named(SSRC(666), "h", number: 1)
        #expect(call.bob.session.insert(liar.span, at: call.now) == .contradictory(SSRC(666)))
        // An unknown name, or one of another section.
        #expect(
            call.bob.session.insert(named(SSRC(667), "x", number: 1).span, at: call.now) == .unknownSource(SSRC(667)))
        let elsewhere = named(SSRC(668), "h", mid: "9", number: 1)
        #expect(call.bob.session.insert(elsewhere.span, at: call.now) == .unknownSource(SSRC(668)))
        let before = call.bob.streams.count { $0 == streams[0] }
        call.run(until: .seconds(4))
        #expect(call.bob.streams.count { $0 == streams[0] } - before > 57)
    }

    @Test func `A known SSRC keeps its stream, whatever its names`() throws {
        let (call, streams, settings) = try namedCall()
        call.run(until: .seconds(2))
        // "h"'s source says that it is "l": its source is known, so names decide nothing.
        let packet = named(settings[0].ssrc, "l", number: 60_000)
        guard case .media(of: streams[0], _) = call.bob.session.insert(packet.span, at: call.now) else {
            Issue.record("it went elsewhere")
            return
        }
    }

    @Test func `An alternative name is the same stream's other layer`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let (high, low) = (Call.stream(seed: 50, named: "h"), Call.stream(seed: 51, named: "l"))
        var receiving = try Call.receiving(high, isAnnounced: false)
        receiving.alternativeRIDs = [try #require(StreamIdentifier("l"))]
        let id = try bob.session.receive(receiving, at: .zero)
        let first = try alice.session.send(high)
        alice.addCamera(first)
        let call = try Call(alice, bob)
        call.run(until: .seconds(2))
        alice.removeCamera(first)
        alice.session.remove(first, at: call.now)
        alice.addCamera(try alice.session.send(low), Resolution(width: 160, height: 120), from: call.now)
        call.run(until: .seconds(4))
        let name = try #require(StreamIdentifier("l"))
        #expect(bob.events.contains(.layerChanged(of: id, name)))
        #expect(bob.events.contains(.sizeChanged(of: id, Resolution(width: 160, height: 120))))
    }

    @Test func `A hundred thousand sources per second leave nothing behind`() throws {
        let (call, streams, _) = try namedCall()
        call.run(until: .seconds(2))
        let before = call.bob.session.statistics
        for number in 0..<100_000 as Range<UInt32> {
            let ssrc = SSRC(0x8000_0000 | number)
            let packet =
                number % 2 == 0
                ? named(ssrc, "h", number: UInt16(truncatingIfNeeded: number)) : rtp(ssrc, PayloadType(96))
            switch call.bob.session.insert(packet.span, at: call.now) {
            case .unknownSource, .contradictory: break
            case let other: Issue.record("\(number): \(other)")
            }
        }
        #expect(
            call.bob.session.statistics.transport.packetsOfUnknownSources
                - before.transport.packetsOfUnknownSources == 100_000)
        let shown = call.bob.frames.count
        call.run(until: .seconds(4))
        #expect(call.bob.frames.count - shown > 110)
        #expect(call.bob.session.statistics.receiving.map(\.ssrc) == before.receiving.map(\.ssrc))
        #expect(streams.count == 2)
    }

    @Test func `Streams that contradict each other are refused`() throws {
        let session = Endpoint(seed: 1).session
        let stream = Call.stream(seed: 52)
        _ = try session.receive(Call.receiving(stream), at: .zero)
        #expect(throws: SessionError.sourceInUse(stream.ssrc)) {
            _ = try session.receive(Call.receiving(stream), at: .zero)
        }
        #expect(throws: SessionError.sourceInUse(stream.ssrc)) { _ = try session.send(stream) }
        for seed in 100..<1123 as Range<UInt64> {
            _ = try session.receive(Call.receiving(Call.stream(seed: seed)), at: .zero)
        }
        #expect(throws: SessionError.tooManyStreams(limit: 1024)) {
            _ = try session.receive(Call.receiving(Call.stream(seed: 9999)), at: .zero)
        }
    }

    private func rtp(_ ssrc: SSRC, _ type: PayloadType) -> [UInt8] {
        let header = RTPHeader(
            marker: true, payloadType: type, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: ssrc)
        return [UInt8](capacity: 64) { RTPPacket(header: header, payload: [0x10, 0x11, 2, 0].span).write(into: &$0) }
    }

    private func named(_ ssrc: SSRC, _ rid: String, mid: String = "0", number: UInt16) -> [UInt8] {
        var random = SeededGenerator(seed: 1)
        var stream = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "liar", using: &random)
        (stream.ssrc, stream.mid, stream.rid) = (ssrc, StreamIdentifier(mid), StreamIdentifier(rid))
        (stream.headerExtensions, stream.firstSequenceNumber) = (Call.extensions, SequenceNumber(number))
        let sink = FirstPacket()
        do throws(SendError) {
            var sender = try RTPStreamSender(stream)
            let frame = SyntheticFrame.make(0, isKey: true, .vga, at: .zero, byteCount: 100)
            sender.send(frame.description, payload: frame.bytes.span, at: .zero, to: sink)
        } catch { Issue.record("\(error)") }
        return sink.bytes
    }
}

/// Keeps the first packet that it gets.
private final class FirstPacket: PacketSink {
    private(set) var bytes: [UInt8] = []
    func send(_ packet: Span<UInt8>, at time: MediaTime) { if bytes.isEmpty { bytes = packet.array } }
}
