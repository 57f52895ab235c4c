import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// What a session writes as RTCP.
@Suite struct ReportTests {
    /// The packets of each datagram.
    private func types(_ datagram: [UInt8]) throws -> [RTCPPacketType] {
        var compound = RTCPCompound(datagram.span)
        var types: [RTCPPacketType] = []
        while let packet = try compound.next() { types.append(packet.type) }
        return types
    }

    @Test func `Every datagram is a compound`() throws {
        let (call, _) = try Call.oneWay(over: "delay=30ms,loss=5%")
        call.run(until: .seconds(20))
        for end in [call.alice, call.bob] {
            #expect(end.feedback.count > 20)
            for (datagram, _) in end.feedback {
                let types = try types(datagram)
                // RFC 3550 §6.1: a report first, and the name of who sends it.
                #expect(types[0] == .senderReport || types[0] == .receiverReport)
                #expect(types.contains(.sourceDescription))
                #expect(datagram.count <= 1200)
            }
        }
        #expect(try call.alice.feedback.filter { try types($0.bytes)[0] == .senderReport }.count >= 18)
    }

    @Test func `Requests of reduced size leave alone`() throws {
        var settings = RTPSessionSettings(seed: 2)
        settings.usesReducedSizeRTCP = true
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(settings))
        let stream = Call.stream(seed: 80)
        alice.addCamera(try alice.session.send(stream))
        _ = try bob.session.receive(Call.receiving(stream), at: .zero)
        let call = try Call(alice, bob, over: "delay=30ms,loss=5%")
        call.run(until: .seconds(20))
        let alone = try bob.feedback.filter { try types($0.bytes).allSatisfy { $0 == .transportFeedback } }
        let reports = try bob.feedback.filter { try types($0.bytes).contains(.receiverReport) }
        #expect(alone.count > 20 && reports.count >= 19)
        #expect(bob.frames.count > 570)
    }

    @Test func `Reports go out at least once a second`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(60))
        for end in [call.alice, call.bob] {
            let times = end.feedback.map(\.time)
            // None was lost here, so all are reports.
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .milliseconds(1010) })
            #expect((60...85).contains(times.count))
        }
    }

    @Test func `Sender reports tell the wall clock`() throws {
        var settings = RTPSessionSettings(seed: 1)
        settings.wallClockAtZero = NTPTimestamp(seconds: 3_900_000_000, fraction: 0)
        let (alice, bob) = (Endpoint(settings), Endpoint(seed: 2))
        let stream = Call.stream(seed: 81)
        alice.addCamera(try alice.session.send(stream))
        let id = try bob.session.receive(Call.receiving(stream), at: .zero)
        let call = try Call(alice, bob)
        call.run(until: .seconds(10))
        let clock = try #require(bob.session.senderClock(of: id))
        // A picture captured at 5 s, by its timestamp, on the sender's wall clock.
        let time = clock.wallClock(of: stream.timestampOffset.advanced(by: 5 * 90_000))
        #expect(time.seconds == 3_900_000_005 && time.fraction < 1 << 18)
    }

    @Test func `Reports on many streams fill several datagrams`() throws {
        let bob = Endpoint(seed: 2)
        for index in 0..<400 as Range<UInt64> {
            let stream = Call.stream(seed: 1000 + index)
            _ = try bob.session.receive(Call.receiving(stream), at: .zero)
            var sender = try RTPStreamSender(stream)
            let frame = SyntheticFrame.make(0, isKey: true, .vga, at: .zero, byteCount: 300)
            sender.send(
                frame.description, payload: frame.bytes.span, at: .zero,
                to: PacketTap { packet, _ in bob.session.insert(packet, at: .zero) })
        }
        bob.wake(at: .seconds(0.03)) { _ in }
        var reported = 0
        for (datagram, _) in bob.feedback {
            #expect(datagram.count <= 1200)
            var compound = RTCPCompound(datagram.span)
            while let packet = try compound.next() {
                if case .receiverReport(let report) = try RTCPMessage(parsing: packet) {
                    reported += report.blocks.count
                }
            }
        }
        #expect(reported == 400)
        #expect(bob.feedback.count <= 11)
    }

    @Test func `Reports of many senders fill several datagrams`() throws {
        let alice = Endpoint(RTPSessionSettings(canonicalName: String(repeating: "n", count: 255), seed: 1))
        for index in 0..<40 as Range<UInt64> {
            alice.addCamera(try alice.session.send(Call.stream(seed: 2000 + index)), byteCount: 100)
        }
        alice.wake(at: .zero) { _ in }
        alice.setRunning(false, at: .zero)
        alice.wake(at: .seconds(0.9)) { _ in }
        var sources: Set<SSRC> = []
        var named: Set<SSRC> = []
        for (datagram, time) in alice.feedback where time > .seconds(0.5) {
            #expect(datagram.count <= 1200)
            var compound = RTCPCompound(datagram.span)
            while let packet = try compound.next() {
                switch try RTCPMessage(parsing: packet) {
                case .senderReport(let report): sources.insert(report.ssrc)
                case .sourceDescription(var description):
                    while let item = try description.next() { named.insert(item.ssrc) }
                default: break
                }
            }
        }
        #expect(sources.count == 40 && named == sources)
    }

    @Test func `An end that sends no media knows the round-trip time`() throws {
        let (call, _) = try Call.oneWay(over: "delay=35ms")
        call.run(until: .seconds(0.5))
        let time = try #require(call.bob.session.statistics.roundTrip.roundTripTime)
        #expect(abs((time - .milliseconds(70)).nanoseconds) < 2_000_000)
        call.run(until: .seconds(3))
        let heard = try #require(call.alice.session.statistics.sending[0].stream.roundTripTime)
        #expect(abs((heard - .milliseconds(70)).nanoseconds) < 2_000_000)
    }

    @Test func `A bundle of others is taken apart`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(2))
        let sent = call.alice.session.statistics.sending[0]
        // A stranger's report, garbage of a known type, then what concerns us.
        let unknownPeers = ReceiverReport(ssrc: SSRC(77))
        let request = PictureLossIndication(sender: SSRC(77), media: sent.ssrc)
        let estimate = ReceiverEstimatedMaximumBitrate(
            sender: SSRC(77), bitrate: 1_000_000, ssrcs: WireList([sent.ssrc].span))
        var bytes = [UInt8](capacity: 200) { output in
            unknownPeers.write(into: &output)
            // A NACK without its fields.
            for byte in [0x81, 205, 0, 1, 0, 0, 0, 1] as [UInt8] { output.append(byte) }
            request.write(into: &output)
            estimate.write(into: &output)
        }
        bytes += [1, 2, 3]
        call.alice.session.insert(bytes.span, at: call.now)
        call.run(until: .seconds(2.5))
        #expect(call.alice.keyFrameRequests == 1)
        #expect(call.alice.events.contains(.maximumBitrateEstimated(bitsPerSecond: 1_000_000)))
        #expect(call.alice.session.statistics.transport.malformedFeedback == 2)
    }
}
