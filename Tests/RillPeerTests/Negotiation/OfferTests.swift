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
        // All of our extensions and formats are among the browser's, with all of its feedback.
        let (mine, other) = (offer.media[0], theirs.media[0])
        #expect(Set(mine.headerExtensions.map(\.uri)).isSubset(of: other.headerExtensions.map(\.uri)))
        #expect(Set(mine.formats[0].feedback) == Set(other.formats[0].feedback))
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
}
