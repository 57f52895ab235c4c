import RillCore
import RillRTP
import RillSend
import RillSession
import Testing

/// A stream whose sender mutes it, as its RTCP says (RFC 7728), between two ends.
@Suite struct MutedStreamTests {
    /// A call in both directions, of one stream each.
    private struct TwoWayCall {
        let call: Call
        let atAlice: (camera: SendingStreamID, theirs: ReceivingStreamID)
        let atBob: (camera: SendingStreamID, theirs: ReceivingStreamID)

        init(over network: String = "delay=20ms", _ change: (inout RTPSessionSettings) -> Void = { _ in }) throws {
            let ends = (1...2).map { (seed: UInt64) in
                var settings = RTPSessionSettings(canonicalName: "end-\(seed)", seed: seed)
                change(&settings)
                return Endpoint(settings)
            }
            let streams = [Call.stream(seed: 11), Call.stream(seed: 12)]
            let cameras = try zip(ends, streams).map { try $0.session.send($1) }
            let theirs = try zip(ends, streams.reversed()).map {
                try $0.session.receive(Call.receiving($1), at: .zero)
            }
            for (end, camera) in zip(ends, cameras) { end.addCamera(camera) }
            atAlice = (cameras[0], theirs[0])
            atBob = (cameras[1], theirs[1])
            call = try Call(ends[0], ends[1], over: network)
        }
    }

    /// The entries of PAUSED that an end has said, and when.
    private func paused(by end: Endpoint) throws -> [(entry: PauseResume.Entry, time: MediaTime)] {
        try end.feedback.flatMap { datagram in
            try Self.paused(in: datagram.bytes).map { (entry: $0, time: datagram.time) }
        }
    }

    private static func paused(in datagram: [UInt8]) throws -> [PauseResume.Entry] {
        var found: [PauseResume.Entry] = []
        var compound = RTCPCompound(datagram.span)
        while let packet = try compound.next() {
            guard case .pauseResume(let message) = try RTCPMessage(parsing: packet) else { continue }
            var entries = message.entries
            while let entry = entries.next() { found.append(entry) }
        }
        return found
    }

    private func kinds(_ end: Endpoint) -> [String] {
        end.callEvents.map { String("\($0)".prefix { $0 != "(" }) }
    }

    @Test func `A mute is signaled at once and in each report, and the next packet ends it`() throws {
        let test = try TwoWayCall()
        let (call, camera) = (test.call, test.atAlice.camera)
        call.run(until: .seconds(3))
        let sent = try #require(call.alice.session.statistics(of: camera))
        let before = call.bob.frames.count
        call.alice.setMuted(true, of: camera, at: call.now)
        call.run(until: .seconds(3.05))
        #expect(call.bob.callEvents.last == .muted(test.atBob.theirs))
        call.run(until: .seconds(13))

        // Nothing is sent but that, and nothing asked for.
        let muted = try #require(call.alice.session.statistics(of: camera))
        #expect(muted.packetsSent == sent.packetsSent && muted.nackCount == 0 && muted.pliCount == 0)
        #expect(call.bob.frames.count - before <= 2)
        let told = try paused(by: call.alice)
        let settings = try #require(call.alice.session.settings(of: camera))
        let last = UInt32(settings.firstSequenceNumber.rawValue) + UInt32(sent.packetsSent) - 1
        #expect(told.first?.time == .seconds(3) && (10...15).contains(told.count))
        #expect(told.allSatisfy { $0.entry == PauseResume.Entry(target: settings.ssrc, kind: .paused(last: last)) })

        call.alice.setMuted(false, of: camera, at: call.now)
        call.run(until: .seconds(16))
        #expect(kinds(call.bob) == ["connected", "firstPicture", "muted", "unmuted"])
        #expect(call.alice.keyFrameRequests == 1)
        #expect(call.alice.session.statistics(of: camera)?.pliCount == 0)
        #expect(call.bob.frames.count - before > 85)
        #expect(try paused(by: call.alice).count == told.count)
    }

    @Test func `A lost PAUSED is repeated with the next report`() throws {
        let test = try TwoWayCall()
        let call = test.call
        call.run(until: .seconds(3))
        var lost = 0
        call.filter = { datagram, isForBob in
            // What is not RTCP is read as none, and throws.
            guard isForBob, lost == 0, (try? Self.paused(in: datagram))?.isEmpty == false else { return [datagram] }
            lost += 1
            return []
        }
        call.alice.setMuted(true, of: test.atAlice.camera, at: call.now)
        call.run(until: .seconds(4.05))
        #expect(lost == 1 && kinds(call.bob) == ["connected", "firstPicture", "muted"])
    }

    @Test func `Both sides mute at the same time, and one continues`() throws {
        let test = try TwoWayCall(over: "delay=40ms,jitter=20ms,loss=5%")
        let call = test.call
        call.run(until: .seconds(3))
        call.alice.setMuted(true, of: test.atAlice.camera, at: call.now)
        call.bob.setMuted(true, of: test.atBob.camera, at: call.now)
        call.run(until: .seconds(8))
        for end in [call.alice, call.bob] { #expect(kinds(end) == ["connected", "firstPicture", "muted"]) }
        let frames = (call.alice.frames.count, call.bob.frames.count)
        call.bob.setMuted(false, of: test.atBob.camera, at: call.now)
        call.run(until: .seconds(12))
        #expect(kinds(call.alice) == ["connected", "firstPicture", "muted", "unmuted"])
        #expect(kinds(call.bob) == ["connected", "firstPicture", "muted"])
        #expect(call.alice.frames.count - frames.0 > 100 && call.bob.frames.count == frames.1)
    }

    @Test func `A mute of reduced size leaves alone`() throws {
        let test = try TwoWayCall { $0.usesReducedSizeRTCP = true }
        let call = test.call
        call.run(until: .seconds(3.5))
        call.alice.setMuted(true, of: test.atAlice.camera, at: call.now)
        call.run(until: .seconds(3.6))
        let datagram = try #require(call.alice.feedback.first { $0.time == .seconds(3.5) })
        #expect(datagram.bytes.count == 24)
        #expect(call.bob.callEvents.last == .muted(test.atBob.theirs))
    }

    @Test func `A mute is not signaled if the settings disable it`() throws {
        let test = try TwoWayCall { $0.signalsMute = false }
        let call = test.call
        call.run(until: .seconds(3))
        call.alice.setMuted(true, of: test.atAlice.camera, at: call.now)
        call.run(until: .seconds(3.1))
        let frames = call.bob.frames.count
        call.run(until: .seconds(6))
        #expect(try paused(by: call.alice).isEmpty)
        #expect(call.bob.frames.count == frames && kinds(call.bob) == ["connected", "firstPicture"])
    }

    @Test func `A stream that is muted from the start signals it, and starts when it is unmuted`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        var stream = Call.stream(seed: 13)
        stream.firstSequenceNumber = SequenceNumber(0)
        let camera = try alice.session.send(stream)
        alice.addCamera(camera)
        alice.session.setMuted(true, of: camera, at: .zero)
        _ = try bob.session.receive(Call.receiving(stream), at: .zero)
        let call = try Call(alice, bob)
        call.run(until: .seconds(2.5))
        let told = try paused(by: alice)
        #expect(told.count >= 3 && told.allSatisfy { $0.entry.kind == .paused(last: .max) })
        #expect(kinds(bob) == ["connected", "muted"])
        alice.setMuted(false, of: camera, at: call.now)
        call.run(until: .seconds(4))
        #expect(kinds(bob) == ["connected", "muted", "unmuted", "firstPicture"])
    }

    @Test func `Nobody makes a key frame of a muted stream`() throws {
        let test = try TwoWayCall()
        let call = test.call
        call.run(until: .seconds(3))
        call.alice.setMuted(true, of: test.atAlice.camera, at: call.now)
        let media = try #require(call.alice.session.settings(of: test.atAlice.camera)).ssrc
        let request = [UInt8](capacity: 12) { PictureLossIndication(sender: SSRC(9), media: media).write(into: &$0) }
        call.alice.session.insert(request.span, at: call.now)
        call.run(until: .seconds(4))
        #expect(call.alice.keyFrameRequests == 0)
        call.alice.setMuted(false, of: test.atAlice.camera, at: call.now)
        call.run(until: .seconds(5))
        #expect(call.alice.keyFrameRequests == 1)
    }

    @Test func `A collision of a muted stream is signaled with the new SSRC`() throws {
        let test = try TwoWayCall()
        let (call, camera) = (test.call, test.atAlice.camera)
        call.run(until: .seconds(3))
        call.alice.setMuted(true, of: camera, at: call.now)
        call.run(until: .seconds(3.5))
        let old = try #require(call.alice.session.settings(of: camera)).ssrc
        let report = [UInt8](capacity: 8) { ReceiverReport(ssrc: old).write(into: &$0) }
        call.alice.session.insert(report.span, at: call.now)
        call.alice.wake(at: call.now) { _ in }
        let new = try #require(call.alice.session.settings(of: camera)).ssrc
        #expect(new != old)
        let told = try #require(try paused(by: call.alice).last)
        #expect(told.entry.target == new && told.time == call.now)
    }

    @Test(arguments: [false, true])
    func `Many muted streams fill several datagrams`(isReduced: Bool) throws {
        var settings = RTPSessionSettings(seed: 1)
        settings.usesReducedSizeRTCP = isReduced
        let alice = Endpoint(settings)
        let cameras = try (0..<300 as Range<UInt64>).map { try alice.session.send(Call.stream(seed: 3000 + $0)) }
        alice.wake(at: .zero) { _ in }
        for camera in cameras { alice.setMuted(true, of: camera, at: .seconds(0.5)) }
        alice.wake(at: .seconds(0.5)) { _ in }
        let told = try paused(by: alice).filter { $0.time == .seconds(0.5) }
        #expect(told.count == 300 && Set(told.map(\.entry.target)).count == 300)
        #expect(alice.feedback.allSatisfy { $0.bytes.count <= 1200 } && alice.feedback.count <= 6)
        // What is removed is told no more.
        for camera in cameras.dropFirst() { alice.session.remove(camera, at: .seconds(0.6)) }
        alice.wake(at: .seconds(1.5)) { _ in }
        #expect(try paused(by: alice).count { $0.time == .seconds(1.5) } == 1)
    }

    @Test func `A journal knows of it`() throws {
        let test = try TwoWayCall(over: "delay=40ms,loss=5%")
        let (call, camera) = (test.call, test.atAlice.camera)
        call.alice.session.journal = SessionJournal()
        call.run(until: .seconds(2))
        call.alice.setMuted(true, of: camera, at: call.now)
        call.alice.session.setMuted(true, of: test.atAlice.theirs)
        call.run(until: .seconds(5))
        call.alice.setMuted(false, of: camera, at: call.now)
        call.alice.session.setMuted(false, of: test.atAlice.theirs)
        call.run(until: .seconds(6))

        let again = Endpoint(seed: 1).session
        _ = try again.send(Call.stream(seed: 11))
        _ = try again.receive(Call.receiving(Call.stream(seed: 12)), at: .zero)
        var (feedback, events, keyFrames) = ([[UInt8]](), [SessionEvent](), 0)
        again.play(call.alice.session.journal?.calls ?? []) { action, bytes in
            switch action {
            case .transmit(let packet): if packet.kind == .rtcp { feedback.append(bytes.array) }
            case .event(let event): events.append(event)
            case .makeKeyFrame: keyFrames += 1
            case .decode, .payload, .wait: break
            }
        }
        #expect(feedback == call.alice.feedback.map(\.bytes))
        #expect(events == call.alice.events && keyFrames == call.alice.keyFrameRequests)
        #expect(again.statistics == call.alice.session.statistics)
    }
}
