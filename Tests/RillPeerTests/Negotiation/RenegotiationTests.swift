import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Exchanges after the first one.
@Suite struct NegotiationAgainTests {
    private func pair(_ kinds: [MediaDescription.Kind] = [.video]) throws -> (NegotiationEnd, NegotiationEnd) {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        for kind in kinds { try one.add(kind) }
        try exchange(from: &one, to: &two)
        return (one, two)
    }

    @Test func `Offering again changes nothing but versions, whoever offers`() throws {
        var (one, two) = try pair([.video, .audio, .video])
        for round in 0..<6 {
            let before = (one.negotiator.sections, two.negotiator.sections)
            let text = one.negotiator.localDescription?.origin.version
            let outcomes =
                round % 2 == 0 ? try exchange(from: &one, to: &two) : try exchange(from: &two, to: &one)
            #expect(outcomes.offerer.sections == nil && outcomes.answerer.sections == nil, "round \(round)")
            #expect(outcomes.offerer.remote == nil && !outcomes.offerer.restartsICE)
            #expect(one.negotiator.sections == before.0 && two.negotiator.sections == before.1)
            let version = try existing(one.negotiator.localDescription?.origin.version)
            #expect(version >= text ?? 0 && version <= (text ?? 0) + 1)
        }
        #expect(!one.negotiator.isNegotiationNeeded && !two.negotiator.isNegotiationNeeded)
        // Offered again, it is the same word for word.
        let first = try one.offer()
        let second = try one.negotiator.makeOffer(one.transport)
        #expect(first == second)
    }

    @Test func `Both ends agree on streams: what one sends the other receives`() throws {
        var (one, two) = try pair([.video, .audio])
        // The other side now sends too.
        for transceiver in two.negotiator.transceivers {
            try two.negotiator.setDirection(.sendAndReceive, of: transceiver.id)
        }
        #expect(two.negotiator.isNegotiationNeeded)
        try exchange(from: &two, to: &one)
        for (mine, theirs) in zip(one.negotiator.sections, two.negotiator.sections) {
            #expect(mine.direction == .sendAndReceive && theirs.direction == .sendAndReceive)
            for (sent, received) in [(mine.sending, theirs.receiving), (theirs.sending, mine.receiving)] {
                #expect(sent == received && sent.count == 1)
            }
        }
    }

    @Test func `A direction changes with the next exchange`() throws {
        var (one, two) = try pair()
        let id = one.negotiator.transceivers[0].id
        // The other side only receives.
        for (direction, agreed) in [
            (MediaDirection.inactive, MediaDirection.inactive), (.sendOnly, .sendOnly), (.receiveOnly, .inactive),
            (.sendAndReceive, .sendOnly),
        ] {
            try one.negotiator.setDirection(direction, of: id)
            #expect(one.negotiator.isNegotiationNeeded, "\(direction)")
            try exchange(from: &one, to: &two)
            #expect(try one.transceiver(id).currentDirection == agreed, "\(direction)")
            #expect(one.negotiator.sections[0].sending.isEmpty == (agreed == .inactive))
            #expect(two.negotiator.sections[0].receiving == one.negotiator.sections[0].sending)
            #expect(!one.negotiator.isNegotiationNeeded && !two.negotiator.isNegotiationNeeded)
        }
    }

    @Test func `A stopped section stays in its place, and is taken by the next transceiver`() throws {
        var (one, two) = try pair([.audio, .video, .video])
        let stopped = one.negotiator.transceivers[1].id
        try one.negotiator.stop(stopped)
        #expect(one.negotiator.isNegotiationNeeded)
        #expect(throws: NegotiationError.stopped(stopped)) { try one.negotiator.setDirection(.inactive, of: stopped) }
        let outcomes = try exchange(from: &one, to: &two)
        #expect(outcomes.offerer.stoppedTransceivers == [stopped] && outcomes.answerer.stoppedTransceivers.count == 1)
        #expect(one.negotiator.localDescription?.media.map(\.mid) == ["0", "1", "2"])
        #expect(one.negotiator.localDescription?.media[1].port == 0)
        #expect(one.negotiator.sections.map(\.index) == [0, 2])
        #expect(throws: NegotiationError.unknownTransceiver(stopped)) { try one.negotiator.stop(stopped) }

        // The other side takes the place, for audio.
        try two.add(.audio)
        try exchange(from: &two, to: &one)
        let offer = try existing(two.negotiator.localDescription)
        #expect(offer.media.map(\.mid) == ["0", "3", "2"] && offer.media[1].kind == .audio)
        #expect(offer.lines("a=group") == ["a=group:BUNDLE 0 3 2"])
        #expect(one.negotiator.sections.map(\.mid) == ["0", "3", "2"])
        #expect(one.negotiator.sections == one.negotiator.sections.sorted { $0.index < $1.index })
    }

    @Test func `Numbers stay, also those that the other side chose`() throws {
        var browser = try NegotiationEnd()
        _ = try browser.negotiator.setRemote(.offer, text: RecordedDescription.chromiumCall.text)
        _ = try browser.negotiator.setLocal(.answer, browser.negotiator.makeAnswer(browser.transport))
        try browser.add(.video)
        try browser.add(.audio)
        let offer = try browser.negotiator.makeOffer(browser.transport)
        // The place of the data channel is not free: Firefox takes no other kind there.
        #expect(offer.media.map(\.mid) == ["0", "1", "2", "3", "4"])
        #expect(offer.media[1].formats.map(\.payloadType.rawValue) == [96, 97, 98, 99, 118, 119, 120])
        #expect(
            offer.media[3].kind == .video
                && offer.media[3].formats.map(\.payloadType) == offer.media[1].formats.map(\.payloadType))
        let ids = offer.media[1].headerExtensions.map { "\($0.id) \($0.uri)" }
        #expect(Set(ids) == Set(offer.media[3].headerExtensions.map { "\($0.id) \($0.uri)" }))
        #expect(ids.contains("13 urn:3gpp:video-orientation"))
    }

    @Test func `Other codecs are offered once they are preferred`() throws {
        var (one, two) = try pair()
        let id = one.negotiator.transceivers[0].id
        #expect(one.negotiator.sections[0].sending[0].encoding.name == "VP8")
        try one.negotiator.setCodecPreferences([RTPFormat.Encoding("VP9"), RTPFormat.Encoding("AV1")], of: id)
        #expect(one.negotiator.isNegotiationNeeded)
        try exchange(from: &one, to: &two)
        #expect(one.negotiator.sections[0].sending[0].encoding.name == "VP9")
        #expect(one.negotiator.sections[0].sending == two.negotiator.sections[0].receiving)
        #expect(two.negotiator.sections[0].formats.contains { $0.isNamed("VP8") } == false)
        #expect(one.negotiator.sections[0].sending[0].payloadType == PayloadType(98))
    }

    @Test func `Preferences that change during an exchange are for the next one`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        let id = try one.add()
        var settings = NegotiationSettings()
        settings.videoCodecs = [.vp8]
        two = try NegotiationEnd(settings, seed: 2)
        let offer = try one.offer()
        try one.negotiator.setCodecPreferences([RTPFormat.Encoding("VP9")], of: id)
        let answer = try two.answer(offer).description
        #expect(try one.negotiator.setRemote(.answer, answer).sections?.first?.sending.first?.encoding.name == "VP8")
        #expect(one.negotiator.isNegotiationNeeded)
        #expect(
            try one.offer().media[0].formats.compactMap(\.encoding?.name) == ["VP9", "rtx", "red", "rtx", "ulpfec"])
    }

    @Test func `A rollback keeps what only an offer can tell`() throws {
        var (one, _) = try pair()
        try one.negotiator.setReceivedRIDs(["h", "l"], of: one.negotiator.transceivers[0].id)
        #expect(one.negotiator.isNegotiationNeeded)
        #expect(try one.offer().lines("a=simulcast") == ["a=simulcast:recv h;l"])
        _ = try one.negotiator.setLocal(.rollback)
        #expect(one.negotiator.isNegotiationNeeded)
    }

    @Test func `Payload types that only the answerer uses do not become ours`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add()
        var answer = try two.answer(one.offer()).description
        answer.media[0].formats = [.vp8(PayloadType(97)), .rtx(PayloadType(96), for: PayloadType(97))]
        _ = try one.negotiator.setRemote(.answer, text: answer.text)
        try one.add()
        let offer = try one.offer()
        #expect(offer.media[0].formats == offer.media[1].formats)
        #expect(offer.media[0].formats[0].payloadType == PayloadType(96))
    }

    @Test func `New credentials of either side restart ICE, and DTLS keeps its roles`() throws {
        var (one, two) = try pair()
        #expect(two.negotiator.remoteTransport?.role == .client && one.negotiator.remoteTransport?.role == .server)
        try two.restart(seed: 50)
        let offer = try two.offer()
        #expect(try one.negotiator.setRemote(.offer, text: offer.text).restartsICE)
        // Though our answers are of the client by default, this side stays the server.
        #expect(one.negotiator.remoteTransport?.role == .server)
        try one.restart(seed: 51)
        let answer = try one.negotiator.makeAnswer(one.transport)
        #expect(answer.lines("a=setup") == ["a=setup:passive"])
        _ = try one.negotiator.setLocal(.answer, answer)
        let outcome = try two.negotiator.setRemote(.answer, text: answer.text)
        #expect(outcome.restartsICE && !outcome.restartsDTLS && outcome.remote?.role == .client)
    }

    @Test func `Another certificate restarts DTLS`() throws {
        var (one, two) = try pair()
        two.transport.fingerprints = try NegotiationEnd.transport(seed: 60).fingerprints
        let outcome = try one.negotiator.setRemote(.offer, text: two.offer().text)
        #expect(outcome.restartsDTLS && !outcome.restartsICE && outcome.remote?.role == .client)
    }

    @Test(arguments: [("actpass", DTLSRole.client), ("active", .server), ("passive", .client)])
    func `The role follows from the offer`(setup: String, role: DTLSRole) throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try two.add()
        let text = try two.offer().text.replacing("a=setup:actpass", with: "a=setup:\(setup)")
        #expect(try one.negotiator.setRemote(.offer, text: text).remote?.role == role)
        let answer = try one.negotiator.makeAnswer(one.transport)
        #expect(answer.lines("a=setup") == [role == .client ? "a=setup:active" : "a=setup:passive"])
    }
}
