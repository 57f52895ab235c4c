import RillCore
import RillPeer
import RillRTP
import RillTestSupport
import Testing

/// Simulcast, sent and received.
@Suite struct NegotiationSimulcastTests {
    /// Offers a simulcast of h, m and l; gives the sections after an answer that was changed.
    private func sent(_ change: (inout MediaDescription) -> Void) throws -> [StreamDescription] {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendOnly, layers: ["h", "m", "l"])
        var answer = try two.answer(one.offer()).description
        change(&answer.media[0])
        return try existing(try one.negotiator.setRemote(.answer, text: answer.text).sections?.first).sending
    }

    @Test func `All layers are sent, each with its SSRCs`() throws {
        let streams = try sent { _ in }
        #expect(streams.map(\.rid) == ["h", "m", "l"] && streams.allSatisfy { !$0.isPaused })
        #expect(Set(streams.flatMap(\.sources)).count == 6)
        try streams.validate()
    }

    @Test func `An answer may drop, pause, reorder and restrict layers`() throws {
        var streams = try sent { media in
            media.rids.removeAll { $0.id == "m" }
            media.simulcast = Simulcast(receive: [["l"], ["h"]])
        }
        #expect(streams.map(\.rid) == ["h", "l"], "the highest first, whatever the order of the answer")
        streams = try sent { $0.simulcast?.receive[0].alternatives[0].isPaused = true }
        #expect(streams.map(\.isPaused) == [true, false, false])
        streams = try sent { $0.rids[1].restrictions = [RTPFormat.Parameter("max-width", "320")] }
        #expect(streams.map(\.limits.width) == [nil, 320, nil])
        streams = try sent { media in
            let vp9 = media.formats.first { $0.isNamed("VP9") }
            media.rids[2].payloadTypes = [vp9?.payloadType ?? PayloadType(0)]
        }
        #expect(streams.map(\.encoding.name) == ["VP8", "VP8", "VP9"])
    }

    @Test func `Without simulcast in the answer the first layer is sent, with its RID if that is named`() throws {
        var streams = try sent { media in
            media.rids = []
            media.simulcast = nil
        }
        #expect(streams.count == 1 && streams[0].rid == nil)
        streams = try sent { $0.simulcast = nil }
        #expect(streams.map(\.rid) == ["h"])
        streams = try sent { media in
            media.rids = [RestrictionIdentifier("unknown", .receive)]
            media.simulcast = Simulcast(receive: [["unknown"]])
        }
        #expect(streams.count == 1 && streams[0].rid == nil)
    }

    @Test func `Without the extension for RIDs there is none`() throws {
        var settings = NegotiationSettings()
        settings.headerExtensions = [.mid]
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(settings, seed: 2))
        try one.add(.video, .sendOnly, layers: ["h", "l"])
        let answer = try two.answer(one.offer()).description
        #expect(answer.lines("a=rid").isEmpty && answer.lines("a=simulcast").isEmpty)
        _ = try one.negotiator.setRemote(.answer, answer)
        #expect(one.negotiator.sections[0].sending.count == 1 && two.negotiator.sections[0].receiving.count == 1)
    }

    @Test func `Both sides may send a simulcast in one section`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendAndReceive, layers: ["h", "l"], receiving: ["a", "b"])
        let id = try two.add(.video, .sendAndReceive, layers: ["high", "low"])
        let (answer, _, answered) = try two.answer(one.offer())
        #expect(answer.lines("a=simulcast") == ["a=simulcast:send a;b recv h;l"])
        #expect(try two.transceiver(id).sending.map(\.rid) == ["a", "b"])
        let mine = try existing(try one.negotiator.setRemote(.answer, text: answer.text).sections?.first)
        let theirs = try existing(answered.sections?.first)
        #expect(mine.sending.map(\.rid) == ["h", "l"] && mine.receiving.map(\.rid) == ["a", "b"])
        #expect(theirs.sending.map(\.rid) == ["a", "b"] && theirs.receiving.map(\.rid) == ["h", "l"])
        // Streams with RIDs are not announced by source.
        #expect(mine.receiving.allSatisfy { $0.ssrc == nil } && mine.sending.allSatisfy { $0.ssrc != nil })
    }

    @Test func `An offer to receive a simulcast finds the layers with its names`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .receiveOnly, receiving: ["h", "x", "l"])
        try two.add(.video, .sendOnly, layers: ["h", "l"])
        let answer = try two.answer(one.offer()).description
        #expect(answer.lines("a=simulcast") == ["a=simulcast:send h;l"])
        _ = try one.negotiator.setRemote(.answer, text: answer.text)
        #expect(one.negotiator.sections[0].receiving.map(\.rid) == ["h", "l"])
    }

    @Test func `A simulcast of sources is received by these`() throws {
        let text = try RecordedDescription.chromiumFirst.text
        var offer = try SessionDescription(text)
        let cname = SessionDescription.Attribute("cname", "x")
        offer.media[1].sources = [1, 2, 3, 4].map { SourceAttribute(SSRC($0), cname) }
        offer.media[1].sourceGroups = [
            SourceGroup("SIM", [SSRC(1), SSRC(2)]), SourceGroup("FID", [SSRC(1), SSRC(3)]),
            SourceGroup("FID", [SSRC(2), SSRC(4)]),
        ]
        var end = try NegotiationEnd()
        let sections = try end.answer(offer).answered.sections
        let streams = try existing(sections?.last).receiving
        #expect(streams.map(\.ssrc) == [SSRC(1), SSRC(2)])
        #expect(streams.map(\.repair.retransmission?.ssrc) == [SSRC(3), SSRC(4)])
    }

    @Test func `Layers that are not active are paused`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        let id = try one.add(.video, .sendOnly, layers: ["h", "l"])
        try one.negotiator.setSending([SendingEncoding(rid: "h", isActive: false), SendingEncoding(rid: "l")], of: id)
        try exchange(from: &one, to: &two)
        #expect(one.negotiator.sections[0].sending.map(\.isPaused) == [true, false])
        #expect(two.negotiator.sections[0].receiving.map(\.isPaused) == [true, false])
        #expect(throws: NegotiationError.invalidEncodings(.changed)) {
            try one.negotiator.setSending([SendingEncoding(rid: "h")], of: id)
        }
    }

    @Test func `The other side's bandwidth and decoder limit what is sent`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendOnly)
        let answer = try two.answer(one.offer()).description
        for (line, bitrate) in [
            ("b=TIAS:500000", 500_000), ("b=AS:500", 459_000), ("b=AS:1\r\nb=TIAS:7", 7), ("b=CT:5", nil),
        ] {
            var copy = one
            let text = answer.text.replacing("a=mid:0", with: "\(line)\r\na=mid:0\r\na=fmtp:96 max-fr=15;max-fs=1200")
            let section = try existing(try copy.negotiator.setRemote(.answer, text: text).sections?.first)
            #expect(section.maximumBitrate == bitrate && section.sending[0].limits.bitsPerSecond == bitrate, "\(line)")
            #expect(section.sending[0].limits.framesPerSecond == 15)
            #expect(section.sending[0].limits.pixelsPerFrame == 1200 * 256)
        }
    }

    // MARK: After the first answer

    /// Offers a simulcast of h, m and l, takes an answer that was changed, and offers again.
    private func offeredAgain(
        _ change: (inout MediaDescription) -> Void
    ) throws -> (offers: [MediaDescription], one: NegotiationEnd, two: NegotiationEnd) {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendOnly, layers: ["h", "m", "l"])
        let first = try one.offer()
        var answer = try two.answer(first).description
        change(&answer.media[0])
        _ = try one.negotiator.setRemote(.answer, text: answer.text)
        let second = try one.offer()
        return ([first.media[0], second.media[0]], one, two)
    }

    @Test func `What an answer left out is never offered again`() throws {
        let (offers, one, _) = try offeredAgain { media in
            media.rids = []
            media.simulcast = nil
        }
        #expect(offers[0].rids.count == 3 && offers[0].simulcast?.send.count == 3)
        #expect(offers[1].rids.isEmpty && offers[1].simulcast == nil)
        #expect(one.negotiator.transceivers[0].sending.map(\.rid) == ["h"])
        // The stream that goes on is announced by its source.
        let sent = try existing(one.negotiator.sections.first?.sending.first)
        #expect(Set(offers[1].sources.map(\.ssrc)) == Set(sent.sources) && sent.sources.count == 2)
        // All else is as before.
        #expect(offers[1].formats == offers[0].formats && offers[1].headerExtensions == offers[0].headerExtensions)
        #expect(offers[1].values("msid") == offers[0].values("msid") && offers[1].mid == offers[0].mid)
    }

    @Test func `The layers that an answer took are offered again, with their sources`() throws {
        var (offers, one, two) = try offeredAgain { media in
            media.rids.removeAll { $0.id == "m" }
            media.simulcast = Simulcast(receive: [["l"], ["h"]])
        }
        #expect(offers[1].rids.map(\.id) == ["h", "l"] && offers[1].simulcast == Simulcast(send: [["h"], ["l"]]))
        let before = one.negotiator.sections
        let answer = try two.answer(try existing(one.negotiator.localDescription)).description
        #expect(try one.negotiator.setRemote(.answer, text: answer.text).sections == nil)
        #expect(one.negotiator.sections == before)
        try one.negotiator.setSending(
            [SendingEncoding(rid: "h", isActive: false), SendingEncoding(rid: "l")],
            of: one.negotiator.transceivers[0].id)
        #expect(try one.offer().lines("a=simulcast") == ["a=simulcast:send ~h;l"])
    }

    @Test func `One layer that was taken by its name keeps it`() throws {
        var (offers, one, two) = try offeredAgain { $0.simulcast = nil }
        #expect(offers[1].rids.map(\.id) == ["h"] && offers[1].simulcast == nil && offers[1].sources.isEmpty)
        let answer = try two.answer(try existing(one.negotiator.localDescription)).description
        #expect(answer.lines("a=rid") == ["a=rid:h recv"])
        #expect(try one.negotiator.setRemote(.answer, text: answer.text).sections == nil)
        #expect(two.negotiator.sections[0].receiving.map(\.rid) == ["h"])
    }

    @Test func `Layers that our answer left out are not offered later`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendAndReceive)
        let id = try two.add(.video, .sendAndReceive, layers: ["h", "l"])
        try exchange(from: &one, to: &two)
        #expect(two.negotiator.sections[0].sending.count == 1)
        let offer = try two.offer()
        #expect(offer.lines("a=rid").isEmpty && offer.lines("a=simulcast").isEmpty)
        #expect(try two.transceiver(id).sending.count == 1)
    }

    @Test func `A section that rests keeps its layers for later`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        let id = try one.add(.video, .sendOnly, layers: ["h", "l"])
        try exchange(from: &one, to: &two)
        try one.negotiator.setDirection(.inactive, of: id)
        try exchange(from: &one, to: &two)
        try one.negotiator.setDirection(.sendOnly, of: id)
        #expect(try one.offer().lines("a=simulcast") == ["a=simulcast:send h;l"])
    }
}
