import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

/// A day of a call: what happens seldom happens often enough in it.
@Suite struct LongCallTests {
    /// In CI three hours at three frames a second; a day with `Scripts/test --all`. Sequence numbers wrap after some
    /// minutes and then every three hours, the media clock after one.
    @Test func `A day brings no drift and no growth`() throws {
        let hours = isLongRun ? 24 : 3
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        (alice.isLogging, bob.isLogging) = (false, false)
        var stream = Call.stream(seed: 90, named: "h")
        stream.firstSequenceNumber = SequenceNumber(65_000)
        stream.timestampOffset = RTPTimestamp(0 &- 90_000 * 3600)
        let camera = try alice.session.send(stream)
        alice.addCamera(camera, every: .milliseconds(333), byteCount: 1800)
        let other = Call.stream(seed: 91, named: "h")
        let theirs = try bob.session.send(other)
        bob.addCamera(theirs, every: .milliseconds(333), byteCount: 1800)
        let (atBob, atAlice) = (
            try bob.session.receive(Call.receiving(stream, isAnnounced: false), at: .zero),
            try alice.session.receive(Call.receiving(other, isAnnounced: false), at: .zero)
        )
        let call = try Call(alice, bob, over: "delay=40ms,jitter=10ms,loss=1%")
        var expected = ["connected", "firstPicture"]
        for hour in 0..<hours {
            call.run(for: .seconds(20 * 60))
            // A pause that was told, in which nothing but reports comes.
            alice.setRunning(false, at: call.now)
            bob.session.setMuted(true, of: atBob)
            call.run(for: .seconds(10 * 60))
            alice.setRunning(true, at: call.now)
            bob.session.setMuted(false, of: atBob)
            call.run(for: .seconds(10 * 60))
            expected += ["muted", "unmuted"]
            // The network is away for a minute.
            call.isCut = true
            call.run(for: .seconds(60))
            call.isCut = false
            call.run(for: .seconds(4 * 60))
            // Whoever sends is stopped by then, and goes on with the first report.
            expected += ["interrupted", "lost", "sendingStopped", "reconnected", "sendingResumed"]
            if hour % 2 == 0 {
                // Somebody turns up with Alice's source: she takes another, and Bob follows.
                let source = try #require(alice.session.settings(of: camera)?.ssrc)
                alice.session.insert(FuzzedSource.packet(of: source).span, at: call.now)
                expected += ["ended", "left", "sourceChanged", "restarted"]
            }
            call.run(for: .seconds(15 * 60))
        }
        let kinds = bob.callEvents.map { String("\($0)".prefix { $0 != "(" }) }
        #expect(kinds == expected)
        // Bob shows nearly all that Alice sent: two thirds of the time less the minutes that were cut.
        let sent = Double(hours) * 48 * 60 * 3
        #expect(Double(bob.frameCount) > sent * 0.98 && Double(bob.frameCount) < sent * 1.03)
        #expect(Double(alice.frameCount) > Double(hours) * 59 * 60 * 3 * 0.98)
        for end in [alice, bob] {
            let time = try #require(end.session.statistics.roundTrip.roundTripTime)
            #expect((MediaDuration.milliseconds(70) ... .milliseconds(110)).contains(time))
            let statistics = end.session.statistics
            #expect(statistics.receiving.count == 1 && statistics.transport.packetsDropped == 0)
            #expect(statistics.transport.eventsDropped == 0)
        }
        // The clocks have kept step, wraps and sources included.
        let clock = try #require(bob.session.senderClock(of: atBob))
        let now = NTPTimestamp.unixEpoch.advanced(byNanoseconds: call.now.nanoseconds)
        #expect(now.seconds - clock.ntpTimestamp.seconds <= 2)
        let settings = try #require(alice.session.settings(of: camera))
        let media = settings.timestampOffset.advanced(by: call.now.ticks(rate: 90_000))
        let drift = Int64(bitPattern: fixedPoint(clock.wallClock(of: media)) &- fixedPoint(now))
        #expect(abs(drift) < 1 << 22, "a millisecond is 2^22 of them")
        #expect(try #require(bob.session.settings(of: atBob)).jitterBuffer.ssrc == settings.ssrc)
        #expect(alice.session.settings(of: atAlice)?.jitterBuffer.ssrc == other.ssrc)
    }
}

private func fixedPoint(_ time: NTPTimestamp) -> UInt64 { UInt64(time.seconds) << 32 | UInt64(time.fraction) }

private enum FuzzedSource {
    static func packet(of ssrc: SSRC) -> [UInt8] {
        let header = RTPHeader(
            marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0),
            ssrc: ssrc)
        return [UInt8](capacity: 64) { RTPPacket(header: header, payload: [0x10, 0x11, 2, 0].span).write(into: &$0) }
    }
}
