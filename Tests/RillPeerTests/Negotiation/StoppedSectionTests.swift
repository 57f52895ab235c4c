import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// The section that describes the transport for all goes out of use, and others go on (RFC 9143 §7.3).
@Suite struct StoppedSectionTests {
    private func pair(_ kinds: [MediaDescription.Kind] = [.video, .video]) throws -> (NegotiationEnd, NegotiationEnd) {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        one.transport = try NegotiationEnd.transport(seed: 1, candidates: ["10.0.0.2:4000"])
        for kind in kinds { try one.add(kind) }
        try exchange(from: &one, to: &two)
        return (one, two)
    }

    /// Stops the first transceiver.
    private func stopFirst(_ one: inout NegotiationEnd) throws {
        try one.negotiator.stop(one.negotiator.transceivers[0].id)
    }

    @Test func `The next section describes the transport, and the stopped one leaves the group`() throws {
        var (one, two) = try pair([.video, .audio, .video])
        try stopFirst(&one)
        let offer = try one.offer()
        #expect(offer.lines("a=group") == ["a=group:BUNDLE 1 2"])
        #expect(offer.media.map(\.port) == [0, 4000, 4000])
        let transport = ["ice-ufrag", "ice-pwd", "fingerprint", "setup", "candidate", "rtcp-mux-only"]
        #expect(transport.allSatisfy { offer.media[0].values($0).isEmpty })
        #expect(transport.allSatisfy { offer.media[1].values($0).count == 1 })
        #expect(offer.media[2].values("candidate").isEmpty && offer.media[2].values("ice-ufrag").count == 1)
        let (answer, offered, _) = try two.answer(offer)
        #expect(!offered.restartsICE && offered.restartsDTLS && offered.movesTransport && offered.remote != nil)
        #expect(answer.lines("a=group") == ["a=group:BUNDLE 1 2"] && answer.media.map(\.port) == [0, 9, 9])
        let outcome = try one.negotiator.setRemote(.answer, text: answer.text)
        #expect(!outcome.restartsICE && outcome.restartsDTLS && outcome.movesTransport && outcome.remote != nil)
        #expect(outcome.sections?.map(\.mid) == ["1", "2"])
        // Then it rests.
        let again = try exchange(from: &one, to: &two)
        #expect(!again.offerer.movesTransport && !again.answerer.restartsDTLS && again.offerer.remote == nil)
    }

    @Test func `Another section that stops leaves the transport where it is`() throws {
        var (one, two) = try pair()
        try one.negotiator.stop(one.negotiator.transceivers[1].id)
        let outcomes = try exchange(from: &one, to: &two)
        #expect(!outcomes.offerer.movesTransport && !outcomes.answerer.movesTransport && outcomes.offerer.remote == nil)
    }

    @Test func `No section comes before the one that describes the transport, while there is room behind`() throws {
        var settings = NegotiationSettings()
        settings.maximumSectionCount = 3
        var (one, two) = (try NegotiationEnd(settings, seed: 1), try NegotiationEnd(seed: 2))
        for _ in 0..<2 { try one.add(.video) }
        try exchange(from: &one, to: &two)
        try stopFirst(&one)
        try exchange(from: &one, to: &two)
        try one.add(.audio)
        let outcomes = try exchange(from: &one, to: &two)
        #expect(!outcomes.answerer.movesTransport && !outcomes.offerer.movesTransport)
        let offer = try existing(one.negotiator.localDescription)
        #expect(offer.media.map(\.port) == [0, 9, 0] && offer.media.compactMap(\.mid) == ["0", "1", "2"])
        #expect(offer.lines("a=group") == ["a=group:BUNDLE 1 2"] && offer.media[2].values("bundle-only").count == 1)
        // Without room, the transport moves.
        try one.add(.audio)
        let (answer, offered, _) = try two.answer(one.offer())
        #expect(offered.movesTransport && offered.restartsDTLS && answer.lines("a=group") == ["a=group:BUNDLE 3 1 2"])
        #expect(try one.negotiator.setRemote(.answer, text: answer.text).restartsDTLS)
    }

    @Test func `A new section before the others has another transport, as browsers' offers have it`() throws {
        var (one, two) = try pair()
        try stopFirst(&one)
        try exchange(from: &one, to: &two)
        try one.add(.video)
        let text = try one.offer().text.replacing("BUNDLE 1 2", with: "BUNDLE 2 1")
        let outcome = try two.negotiator.setRemote(.offer, text: text)
        #expect(outcome.restartsDTLS && outcome.movesTransport)
        let answer = try two.negotiator.makeAnswer(two.transport)
        #expect(answer.lines("a=group") == ["a=group:BUNDLE 2 1"])
    }

    @Test(arguments: ["active", "passive"]) func `On another transport the answerer chooses its role again`(
        setup: String
    ) throws {
        var (one, two) = try pair()
        #expect(one.negotiator.remoteTransport?.role == .server)
        // As long as the transport stays, the roles do, whatever an answer says: Firefox's say active each time.
        var copy = (one, two)
        let usual = try copy.1.answer(copy.0.offer()).description.text
        let other = usual.replacing("a=setup:active", with: "a=setup:passive")
        #expect(try copy.0.negotiator.setRemote(.answer, text: other).remote == nil)
        #expect(copy.0.negotiator.remoteTransport?.role == .server)
        try stopFirst(&one)
        let text = try two.answer(one.offer()).description.text
        let changed = text.replacing("a=setup:active", with: "a=setup:\(setup)")
        let outcome = try one.negotiator.setRemote(.answer, text: changed)
        #expect(outcome.remote?.role == (setup == "active" ? .server : .client))
    }

    @Test func `An offer that moves the transport and is taken back does nothing`() throws {
        var (one, two) = try pair()
        try stopFirst(&one)
        let outcome = try two.negotiator.setRemote(.offer, text: one.offer().text)
        #expect(outcome.movesTransport && one.negotiator.endsTransport && two.negotiator.endsTransport)
        _ = try two.negotiator.setRemote(.rollback)
        _ = try one.negotiator.setLocal(.rollback)
        #expect(!one.negotiator.endsTransport && !two.negotiator.endsTransport)
        #expect(two.negotiator.sections.map(\.mid) == ["0", "1"])
    }

    @Test func `An answer does not reject the section that describes the transport, but lets it rest`() throws {
        var (one, two) = try pair()
        let stopped = two.negotiator.transceivers.map(\.id)
        try two.negotiator.stop(stopped[0])
        let (answer, _, answered) = try two.answer(one.offer())
        #expect(answer.media.map(\.port) == [9, 9] && answer.media[0].direction == .inactive)
        #expect(answered.stoppedTransceivers.isEmpty && two.negotiator.isNegotiationNeeded)
        #expect(try !one.negotiator.setRemote(.answer, text: answer.text).movesTransport)
        // The offer after it may.
        let outcomes = try exchange(from: &two, to: &one)
        #expect(outcomes.offerer.stoppedTransceivers == [stopped[0]] && one.negotiator.sections.map(\.mid) == ["1"])
        // Both at once may be rejected.
        try two.negotiator.stop(stopped[1])
        let last = try two.answer(one.offer()).description
        #expect(last.media.map(\.port) == [0, 0])
    }

    @Test func `After all sections were stopped, the next one has another transport`() throws {
        var (one, two) = try pair([.video])
        try one.negotiator.stop(one.negotiator.transceivers[0].id)
        let outcomes = try exchange(from: &one, to: &two)
        #expect(outcomes.offerer.sections == [] && !outcomes.offerer.restartsICE && one.negotiator.endsTransport)
        try one.add(.video)
        let again = try exchange(from: &one, to: &two)
        #expect(again.answerer.sections?.map(\.mid) == ["1"] && again.offerer.restartsDTLS)
        #expect(!one.negotiator.endsTransport)
    }
}
