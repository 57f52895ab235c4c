import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

/// Sessions in which a circuit breaker opens, or must not.
@Suite struct StoppedStreamTests {
    private func stops(_ end: Endpoint) -> [CircuitBreak] {
        end.events.compactMap { if case .sendingStopped(_, let reason) = $0 { reason } else { nil } }
    }

    private func resumptions(_ end: Endpoint) -> Int {
        end.events.count { if case .sendingResumed = $0 { true } else { false } }
    }

    /// Whether a datagram to Bob is RTP.
    private func isMedia(_ datagram: [UInt8]) -> Bool { PacketKind(of: datagram.span) == .rtp }

    @Test func `What nobody reports on stops after 15 s, retransmissions too, and goes on with the first report`()
        throws
    {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(5))
        // Bob's reports get lost; his requests do not.
        var (isSilent, media) = (true, 0)
        let nack = [UInt8](repeating: 0, count: 16)
        call.filter = { [self] datagram, isForBob in
            if isForBob, isMedia(datagram) { media += 1 }
            return isForBob || !isSilent ? [datagram] : []
        }
        call.run(until: .seconds(19))
        #expect(stops(call.alice).isEmpty)
        call.run(until: .seconds(21))
        #expect(stops(call.alice).count == 1, "\(stops(call.alice))")
        guard case .reportTimeout = stops(call.alice).first else { Issue.record("\(call.alice.events)"); return }
        media = 0
        // One who asks for packets of it, without reporting, gets none.
        let settings = try #require(call.alice.session.statistics.sending.first)
        var request = nack
        request[0...3] = [0x81, 205, 0, 3]
        for index in 0..<4 {
            request[8 + index] = UInt8(truncatingIfNeeded: settings.ssrc.rawValue >> UInt32(24 - 8 * index))
        }
        for index in 0..<2000 {
            (request[12], request[13]) = (UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index))
            call.alice.session.insert(request.span, at: call.now)
        }
        call.run(until: .seconds(60))
        #expect(media == 0, "\(media) packets")
        #expect(call.alice.session.statistics.transport.streamsStopped == 1)
        isSilent = false
        call.run(until: .seconds(62))
        #expect(resumptions(call.alice) == 1 && media > 30, "\(media) packets")
        // It begins with a key frame.
        let later = call.bob.frames.filter { $0.frame.timestamps[.arrived] ?? .zero > .seconds(30) }
        #expect(later.count > 20 && later.first?.frame.isKey == true)
    }

    @Test func `A path that carries nothing any more stops the stream, and it goes on once reports get through`() throws
    {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(5))
        var (isBroken, media) = (true, 0)
        call.filter = { [self] datagram, isForBob in
            if isForBob, isMedia(datagram) { media += 1 }
            return isForBob && isBroken ? [] : [datagram]
        }
        call.run(until: .seconds(15))
        guard case .mediaTimeout = stops(call.alice).first else { Issue.record("\(stops(call.alice))"); return }
        media = 0
        call.run(until: .seconds(40))
        #expect(media == 0)
        isBroken = false
        call.run(until: .seconds(43))
        #expect(resumptions(call.alice) == 1 && media > 30)
        call.run(until: .seconds(60))
        #expect(stops(call.alice).count == 1)
    }

    @Test func `An outage of both ways for 24 s costs a second behind it`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(5))
        call.isCut = true
        call.run(until: .seconds(29))
        #expect(stops(call.alice).count == 1)
        call.isCut = false
        let before = call.bob.frames.count
        call.run(until: .seconds(30.5))
        #expect(call.bob.frames.count > before + 5)
    }

    @Test func `One who reports on everything else is sent nothing after 15 s`() throws {
        let (call, _) = try Call.oneWay()
        var media: [MediaTime] = []
        call.filter = { [self, unowned call] datagram, isForBob in
            if isForBob, isMedia(datagram) { media.append(call.now) }
            // The block's SSRC is another one.
            guard !isForBob, datagram.count >= 32, datagram[1] == 201, datagram[0] & 31 > 0 else { return [datagram] }
            var other = datagram
            other[8] ^= 0xFF
            return [other]
        }
        call.run(until: .seconds(120))
        #expect(stops(call.alice).count == 1 && resumptions(call.alice) == 0)
        let last = try #require(media.last)
        #expect((15.0...16).contains((last - MediaTime.zero).seconds), "\(last)")
    }

    @Test func `Another path, and the user, close a breaker`() throws {
        for isPath in [true, false] {
            let (call, _) = try Call.oneWay()
            call.filter = { _, isForBob in isForBob ? [] : [] }
            call.run(until: .seconds(20))
            #expect(stops(call.alice).count == 1)
            call.filter = nil
            let stream = try #require(
                call.alice.events.compactMap { event -> SendingStreamID? in
                    if case .sendingStopped(let id, _) = event { id } else { nil }
                }.first)
            if isPath {
                call.alice.session.restartCongestionControl(at: call.now)
            } else {
                call.alice.setMuted(true, of: stream, at: call.now)
                call.alice.setMuted(false, of: stream, at: call.now)
            }
            call.run(until: .seconds(20.2))
            #expect(resumptions(call.alice) == 1)
            call.run(until: .seconds(25))
            #expect(call.bob.frames.count > 100, "\(isPath)")
        }
    }

    /// A session whose pacer sends 80 kbit/s, with streams of frames that are so long on their way.
    private func paced(_ byteCounts: [Int], each interval: MediaDuration) throws -> Endpoint {
        var settings = RTPSessionSettings(canonicalName: "end-1", seed: 1)
        var congestion = CongestionSettings(bitrates: .kilobits(80)...(.kilobits(80)))
        congestion.feedback = nil
        settings.congestion = congestion
        let end = Endpoint(settings)
        for (index, byteCount) in byteCounts.enumerated() {
            end.addCamera(
                try end.session.send(AdaptiveCall.stream(seed: UInt64(11 + index))), every: interval,
                byteCount: byteCount)
        }
        return end
    }

    @Test func `Large frames that leave slowly do not start the 15 s again`() throws {
        // Each frame takes 5.5 s, and comes 6 s after the last one.
        let end = try paced([52_000], each: .seconds(6))
        let call = try Call(end, Endpoint(seed: 2), over: "delay=20ms")
        var last = MediaTime.zero
        call.filter = { [self, unowned call] datagram, isForBob in
            if isForBob, isMedia(datagram) { last = call.now }
            return []
        }
        call.run(until: .seconds(60))
        guard case .reportTimeout = stops(end).first else {
            Issue.record("\(stops(end)), the last packet left at \(last)")
            return
        }
        #expect((14.0...15.1).contains((last - MediaTime.zero).seconds), "\(last)")
    }

    @Test(arguments: [(33, 3000), (200, 900)])
    func `Nothing opens in an ordinary call`(interval: Int, byteCount: Int) throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let (high, low) = (Call.stream(seed: 11), Call.stream(seed: 12))
        alice.addCamera(try alice.session.send(high), every: .milliseconds(interval), byteCount: byteCount)
        let second = try alice.session.send(low)
        alice.addCamera(second, every: .milliseconds(200), byteCount: 700, .qqvga)
        _ = try bob.session.receive(Call.receiving(high), at: .zero)
        let theirs = try bob.session.receive(Call.receiving(low), at: .zero)
        let call = try Call(alice, bob, over: "delay=150ms,jitter=30ms,loss=5%")
        call.run(until: .seconds(30))
        // It is muted for a minute; then the other side does not want it for one; then both rest.
        alice.setMuted(true, of: second, at: call.now)
        call.run(for: .seconds(60))
        alice.setMuted(false, of: second, at: call.now)
        call.run(for: .seconds(20))
        bob.session.setWanted(false, of: theirs, at: call.now)
        call.run(for: .seconds(60))
        bob.session.setWanted(true, of: theirs, at: call.now)
        call.run(for: .seconds(20))
        alice.setRunning(false, at: call.now)
        call.run(for: .seconds(120))
        alice.setRunning(true, at: call.now)
        call.run(for: .seconds(30))
        #expect(stops(alice).isEmpty && stops(bob).isEmpty)
        #expect(alice.session.statistics.transport.bitrateReductions == 0)
    }

    @Test func `A stream that takes ten times its share stops`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 11)
        // 2.2 Mbit/s over 200 kbit/s.
        alice.addCamera(try alice.session.send(stream), byteCount: 9000)
        _ = try bob.session.receive(Call.receiving(stream), at: .zero)
        let call = try Call(alice, bob, over: "rate=200k,queue=500ms,delay=50ms")
        var last = MediaTime.zero
        call.observer = { [self] datagram, now, _, _ in if isMedia(datagram.array) { last = now } }
        call.run(until: .seconds(60))
        guard case .congestion(let sent, let fair, let loss) = stops(alice).first else {
            Issue.record("\(stops(alice))")
            return
        }
        note("sent \(sent), TCP \(fair), \(loss) of 1000 lost, stopped at \(last)")
        #expect(sent.bitsPerSecond > 10 * fair.bitsPerSecond && loss > 800)
        #expect(stops(alice).count == 1 && resumptions(alice) == 0 && last < .seconds(12))
    }

    @Test func `Congestion control stays below what opens a breaker, whatever gets lost by chance`() throws {
        let (call, _) = try AdaptiveCall.make(over: "rate=2M,queue=300ms,delay=100ms,loss=10%")
        call.run(until: .seconds(60))
        let statistics = call.alice.session.statistics
        #expect(statistics.transport.bitrateReductions == 0 && statistics.transport.streamsStopped == 0)
        // s = 1200 bytes, Tr = 200 ms, p = 0.1: 186 kbit/s.
        let rate = try #require(call.alice.session.allowance(at: call.now)).bitrate
        #expect(rate > .kilobits(900) && rate < .kilobits(1700), "\(rate)")
        #expect(call.bob.frames.count > 1700)
    }

    @Test func `Without feedback and reports the start holds, until the breaker opens`() throws {
        let (call, _) = try AdaptiveCall.make(over: "rate=5M,queue=300ms,delay=30ms", nil)
        call.filter = { datagram, isForBob in isForBob ? [datagram] : [] }
        var bytes: [Int: Int] = [:]
        call.observer = { datagram, now, _, _ in
            bytes[Int((now - MediaTime.zero).seconds), default: 0] += datagram.count + 28
        }
        call.run(until: .seconds(30))
        #expect(try #require(call.alice.session.allowance(at: call.now)).bitrate == .kilobits(300))
        #expect(bytes.filter { $0.key > 0 }.allSatisfy { $0.value * 8 < 330_000 }, "\(bytes)")
        #expect(bytes.values.reduce(0, +) * 8 / 15 > 200_000)
        guard case .reportTimeout = stops(call.alice).first else { Issue.record("\(stops(call.alice))"); return }
        #expect(bytes.filter { $0.key > 16 }.allSatisfy { $0.value < 1000 }, "\(bytes)")
    }

    @Test(arguments: [true, false])
    func `Where no reports are expected, the stream goes on to the end`(isPaced: Bool) throws {
        var settings = RTPSessionSettings(seed: 1)
        settings.expectsReports = false
        if isPaced {
            settings.congestion = CongestionSettings(bitrates: .kilobits(30) ... .kilobits(900))
            settings.congestion?.useUpperBound()
        }
        let end = Endpoint(settings)
        // 720 kbit/s.
        end.addCamera(try end.session.send(AdaptiveCall.stream(seed: 11)), every: .milliseconds(33), byteCount: 3000)
        let call = try Call(end, Endpoint(seed: 2), over: "rate=5M,delay=20ms")
        call.filter = { datagram, isForBob in isForBob ? [datagram] : [] }
        var bytes: [Int: Int] = [:]
        call.observer = { datagram, now, _, _ in
            bytes[Int((now - MediaTime.zero).seconds), default: 0] += datagram.count + 28
        }
        call.run(until: .seconds(60))
        #expect(stops(end).isEmpty)
        #expect(bytes.count == 60 && bytes.values.allSatisfy { $0 * 8 > 700_000 }, "\(bytes)")
        #expect(end.session.allowance(at: call.now)?.bitrate == (isPaced ? .kilobits(900) : nil))
    }

    @Test func `One that leaves, and one that only receives, see none`() throws {
        let (call, _) = try Call.oneWay()
        call.run(until: .seconds(10))
        call.bob.session.leave(at: call.now)
        call.run(for: .seconds(10))
        #expect(stops(call.alice).isEmpty && stops(call.bob).isEmpty)
    }
}
