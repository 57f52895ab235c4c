import RillCore
import RillPeer
import RillRTP
import RillTestSupport
import Testing

/// The text of our offers.
@Suite struct NegotiationOfferTests {
    @Test func `A simulcast is offered in the lines of a browser, high layer first`() throws {
        var end = try NegotiationEnd()
        var settings = TransceiverSettings(.video, .sendOnly)
        settings.sending = [SendingEncoding(rid: "h"), SendingEncoding(rid: "l")]
        _ = try end.negotiator.addTransceiver(settings)
        let offer = try end.offer()
        let theirs = try SessionDescription(RecordedDescription.chromiumSimulcast.text)
        for start in [
            "a=rid", "a=simulcast", "a=mid", "a=rtcp-mux", "a=rtcp-rsize", "a=group", "a=sendonly", "a=ssrc",
            "a=extmap-allow-mixed", "a=rtcp:", "a=setup", "a=ice-options",
        ]
        where start != "a=rtcp-mux" {
            #expect(offer.lines(start) == theirs.lines(start), "\(start)")
        }
        // All of our extensions and formats are among the browser's, with all of its feedback, and requests to pause.
        let (mine, other) = (offer.media[0], theirs.media[0])
        #expect(Set(mine.headerExtensions.map(\.uri)).isSubset(of: other.headerExtensions.map(\.uri)))
        #expect(Set(mine.formats[0].feedback) == Set(other.formats[0].feedback + [RTCPFeedback("ccm", "pause")]))
        #expect(Set(mine.formats.compactMap(\.encoding?.name)).isSubset(of: other.formats.compactMap(\.encoding?.name)))
        #expect(mine.transport == other.transport && mine.isRTCPMultiplexed)
    }

    @Test func `Layers are offered with their limits, inactive ones paused`() throws {
        var end = try NegotiationEnd()
        var settings = TransceiverSettings(.video)
        var limits = StreamDescription.Limits()
        (limits.width, limits.height, limits.framesPerSecond, limits.bitsPerSecond) = (1280, 720, 30, 1_500_000)
        settings.sending = [SendingEncoding(rid: "h", limits: limits), SendingEncoding(rid: "l", isActive: false)]
        settings.receivedRIDs = ["a", "b"]
        _ = try end.negotiator.addTransceiver(settings)
        let offer = try end.offer()
        #expect(
            offer.lines("a=rid") == [
                "a=rid:h send max-fps=30.0;max-width=1280;max-height=720;max-br=1500000", "a=rid:l send",
                "a=rid:a recv",
                "a=rid:b recv",
            ])
        #expect(offer.lines("a=simulcast") == ["a=simulcast:send h;~l recv a;b"])
    }

    @Test func `The first section describes the transport, and the others can only be bundled`() throws {
        var end = try NegotiationEnd()
        end.transport = try NegotiationEnd.transport(seed: 3, candidates: ["198.51.100.4:5004"])
        try end.add(.audio)
        try end.add(.video)
        let offer = try end.offer()
        #expect(offer.lines("m=").map { $0.prefix(13) } == ["m=audio 5004 ", "m=video 0 UDP"])
        #expect(offer.lines("c=") == ["c=IN IP4 198.51.100.4", "c=IN IP4 198.51.100.4"])
        #expect(offer.media[0].values("candidate") == ["1 1 udp 2130706431 198.51.100.4 5004 typ host"])
        #expect(offer.media[0].values("end-of-candidates").count == 1 && offer.media[0].values("bundle-only").isEmpty)
        #expect(offer.media[1].values("candidate").isEmpty && offer.media[1].values("bundle-only").count == 1)
        #expect(offer.lines("a=ice-ufrag").count == 2 && offer.lines("a=fingerprint").count == 2)
        #expect(offer.lines("a=group") == ["a=group:BUNDLE 0 1"])
    }

    @Test func `Each payload type, extension ID, MID and SSRC means one thing`() throws {
        var end = try NegotiationEnd()
        for index in 0..<20 { try end.add(index % 3 == 0 ? .audio : .video) }
        let offer = try end.offer()
        var meanings: [PayloadType: String] = [:]
        for media in offer.media {
            for format in media.formats {
                let meaning = "\(format.encoding?.name ?? "") \(format.parameters)"
                #expect(meanings.updateValue(meaning, forKey: format.payloadType) ?? meaning == meaning)
                #expect(!(64...95).contains(format.payloadType.rawValue))
            }
        }
        let kinds = Dictionary(grouping: offer.media.flatMap(\.headerExtensions), by: \.id)
        #expect(kinds.values.allSatisfy { Set($0.map(\.uri)).count == 1 } && kinds.keys.allSatisfy { $0 < 15 })
        #expect(Set(offer.media.compactMap(\.mid)).count == 20)
        let primary = offer.media.flatMap { Set($0.sources.map(\.ssrc)) }
        #expect(Set(primary).count == primary.count)
        #expect(try SessionDescription(offer.text) == offer)
    }

    @Test func `The same seed gives the same offer, and another seed another`() throws {
        func text(_ seed: UInt64) throws -> String {
            var end = try NegotiationEnd(seed: seed)
            try end.add()
            return try end.offer().text
        }
        #expect(try text(4) == text(4))
        #expect(try text(4) != text(5))
    }

    @Test func `Encodings that contradict each other are refused`() throws {
        var end = try NegotiationEnd()
        for (layers, rids, problem) in [
            (["h", "h"], [], EncodingProblem.duplicateRID("h")), (["h", "x y"], [], .invalidRID("x y")),
            (["h", "l"], ["l"], .duplicateRID("l")), (["é"], [], .invalidRID("é")),
            ((0...16).map { "r\($0)" }, [], .count(17)),
        ] {
            #expect(throws: NegotiationError.invalidEncodings(problem)) {
                try end.add(.video, layers: layers, receiving: rids)
            }
        }
        var settings = TransceiverSettings(.video)
        settings.sending = [SendingEncoding(), SendingEncoding(rid: "l")]
        #expect(throws: NegotiationError.invalidEncodings(.missingRID)) { try end.negotiator.addTransceiver(settings) }
        settings.sending = []
        #expect(throws: NegotiationError.invalidEncodings(.count(0))) { try end.negotiator.addTransceiver(settings) }
        settings = TransceiverSettings(.application)
        #expect(throws: NegotiationError.unsupportedKind("application")) { try end.negotiator.addTransceiver(settings) }
        settings = TransceiverSettings(.audio)
        settings.streams = [MediaStreamName(stream: "a\r\na=x")]
        #expect(throws: NegotiationError.invalidName("a\r\na=x")) { try end.negotiator.addTransceiver(settings) }
        #expect(end.negotiator.transceivers.isEmpty)
    }

    @Test func `What cannot be offered is an error that says why`() throws {
        var settings = NegotiationSettings()
        settings.audioCodecs = []
        settings.maximumSectionCount = 3
        var end = try NegotiationEnd(settings)
        #expect(throws: NegotiationError.noCodec(.audio)) { try end.add(.audio) }
        for _ in 0..<4 { try end.add(.video) }
        #expect(throws: NegotiationError.tooManySections(count: 4, limit: 3)) {
            try end.negotiator.makeOffer(end.transport)
        }
        try end.negotiator.stop(end.negotiator.transceivers[0].id)
        #expect(try end.offer().media.count == 3)
        end.transport.fingerprints = []
        #expect(throws: NegotiationError.noFingerprint) { try end.negotiator.makeOffer(end.transport) }
    }

    @Test func `Payload types that run out are noticed`() throws {
        var end = try NegotiationEnd()
        // Audio that has all payload types; nothing is left for video.
        let formats = (0...127).filter { !(64...95).contains($0) }
        let names = formats.map { "a=rtpmap:\($0) \($0 == 96 ? "opus/48000/2" : "x\($0)/8000")\r\n" }.joined()
        let lines =
            "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=setup:actpass\r\na=rtcp-mux\r\na=mid:0\r\n"
        let fingerprint = "a=fingerprint:\(end.transport.fingerprints[0])\r\n"
        let text = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF \(formats.map { "\($0)" }.joined(separator: " "))\r\n"
        let (answer, _, _) = try end.answer(SessionDescription(text + names + lines + fingerprint))
        #expect(answer.media[0].formats.map(\.payloadType) == [PayloadType(96)])
        try end.add(.audio)
        #expect(try end.negotiator.makeOffer(end.transport).media.count == 2)
        try end.add(.video)
        #expect(throws: NegotiationError.noCodec(.video)) { try end.negotiator.makeOffer(end.transport) }
    }
}
