import RillCore
import RillTestSupport
import Testing

@testable import RillRTP

@Suite struct SessionDescriptionTests {
    @Test func `A stream for GStreamer, FFmpeg and Janus is written line by line`() throws {
        var video = MediaDescription(
            .video, port: 5004,
            formats: [
                .vp8(PayloadType(96), feedback: [.nack, .pictureLossIndication, .fullIntraRequest]),
                .rtx(PayloadType(97), for: PayloadType(96), milliseconds: 500),
            ])
        video.mid = "v"
        video.direction = .sendOnly
        video.isRTCPMultiplexed = true
        video.frameRate = 30
        video.headerExtensions = [
            HeaderExtensionMapping(id: 1, .absoluteSendTime),
            HeaderExtensionMapping(id: 2, direction: .sendOnly, uri: HeaderExtensionKind.rid.uri, attributes: "x"),
        ]
        video.feedback = [.transportWideCongestionControl]
        video.rids = [
            RestrictionIdentifier("hi", .send, payloadTypes: [PayloadType(96)]),
            RestrictionIdentifier("lo", .send, restrictions: [RTPFormat.Parameter("max-width", "160")]),
        ]
        video.simulcast = Simulcast(send: [["hi"], ["lo"]])
        video.sourceGroups = [SourceGroup("FID", [SSRC(1), SSRC(2)])]
        video.sources = [SourceAttribute(SSRC(1), SessionDescription.Attribute("cname", "a@b"))]
        let session = SessionDescription(connection: ConnectionAddress("::1"), media: [video])
        let lines = [
            "v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "c=IN IP6 ::1", "t=0 0", "m=video 5004 RTP/AVPF 96 97", "a=mid:v",
            "a=sendonly", "a=rtcp-mux", "a=framerate:30",
            "a=extmap:1 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
            "a=extmap:2/sendonly urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id x", "a=rtpmap:96 VP8/90000",
            "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli", "a=rtcp-fb:96 ccm fir", "a=rtpmap:97 rtx/90000",
            "a=fmtp:97 apt=96;rtx-time=500", "a=rtcp-fb:* transport-cc", "a=rid:hi send pt=96",
            "a=rid:lo send max-width=160", "a=simulcast:send hi;lo", "a=ssrc-group:FID 1 2", "a=ssrc:1 cname:a@b",
        ]
        #expect(session.text == lines.map { $0 + "\r\n" }.joined())
        #expect(try SessionDescription(session.text) == session)
    }

    @Test func `FFmpeg's description is read`() throws {
        let session = try SessionDescription(SDPSamples.ffmpeg)
        #expect(session.name == "No Name" && session.connection == ConnectionAddress("127.0.0.1"))
        #expect(session.otherAttributes == [SessionDescription.Attribute("tool", "libavformat 59.27.100")])
        let video = try #require(session.media.first)
        #expect(video.kind == .video && video.port == 5004 && video.transport == "RTP/AVP")
        #expect(video.formats == [.vp8(PayloadType(96))])
        #expect(video.otherLines == [SessionDescription.Line("b", "AS:200")])
        #expect(session.text == SDPSamples.ffmpeg.replacing("t=0 0\r\na", with: "t=0 0\r\na"))
    }

    @Test(arguments: [
        "SDP:\n", "SDP:\r\n\r\n", "\u{FEFF}", "\n\r\n \t\n", "\u{FEFF}SDP:\n", "\u{FEFF}\r\n\r\n  SDP: \r\n\n",
    ])
    func `What FFmpeg's console and editors put before a description is left out`(heading: String) throws {
        for author in SDPSamples.Author.allCases {
            #expect(try SessionDescription(heading + author.text + "\n\n") == SessionDescription(author.text))
        }
        // Lines are counted with it.
        let count = heading.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        #expect(throws: SDPError.notALine(line: count + 1, text: "x")) {
            try SessionDescription(heading + "v=0\nx\n")
        }
        #expect(throws: SDPError.empty) { try SessionDescription(heading) }
    }

    @Test(arguments: [
        "SDP:\nSDP:\nv=0\n", "v=0\nSDP:\n", "sdp\nv=0\n", "\u{FEFF}\u{FEFF}v=0\n", "v=0\n\u{FEFF}s=-\n",
        "SDP:v=0\n", "Output #0:\nv=0\n",
    ])
    func `Other lines before a description are refused`(text: String) {
        #expect(throws: SDPError.self) { try SessionDescription(text) }
    }

    @Test func `GStreamer's description is read`() throws {
        let session = try SessionDescription(SDPSamples.gstreamer)
        #expect(session.origin.sessionID == 1_188_340_656_180_883)
        #expect(session.otherLines == [SessionDescription.Line("i", "server.sh")])
        let video = try #require(session.media.first)
        #expect(video.connection?.host == "127.0.0.1" && video.frameRate == 30)
        #expect(
            video[PayloadType(96)]
                == .vp8(PayloadType(96), feedback: [.nack, .pictureLossIndication, .fullIntraRequest]))
        #expect(video[PayloadType(97)] == .rtx(PayloadType(97), for: PayloadType(96), milliseconds: 3000))
        #expect(video[PayloadType(97)]?.associatedPayloadType == PayloadType(96))
        #expect(video.sources.map(\.ssrc) == [SSRC(1_878_541_347)])
        #expect(video.otherAttributes.map(\.name) == ["ts-refclk", "mediaclk"])
    }

    @Test func `Janus' offer is read`() throws {
        let session = try SessionDescription(SDPSamples.janus)
        #expect(session.otherAttributes.map(\.name) == ["group", "ice-options", "msid-semantic"])
        #expect(session.media.map(\.kind) == [.video, .application])
        let video = session.media[0]
        #expect(video.direction == .sendOnly && video.mid == "v" && video.isRTCPMultiplexed && video.isRTP)
        #expect(
            video[PayloadType(96)]
                == .vp9(PayloadType(96), profile: 2, feedback: [.nack, .receiverEstimatedMaximumBitrate]))
        #expect(video.headerExtensions.map(\.id) == [1, 2])
        #expect(video.headerExtensions.map(\.direction) == [nil, .sendOnly])
        #expect(video.sourceGroups == [SourceGroup("FID", [SSRC(2_231_627_014), SSRC(632_943_048)])])
        #expect(video.otherAttributes.map(\.name) == ["ice-ufrag", "setup"])
        #expect(!session.media[1].isRTP && session.media[1].otherFormats == ["webrtc-datachannel"])
    }

    @Test func `Simulcast, multicast, repeated times and foreign formats are read`() throws {
        let session = try SessionDescription(SDPSamples.simulcast)
        #expect(session.origin.address.family == .ip6 && session.origin.username == "alice")
        #expect(session.connection == ConnectionAddress("224.2.36.42", timeToLive: 127, count: 3))
        #expect(session.times.map(\.repeats) == [["604800 3600 0 90000"], []] && session.times.last == .always)
        #expect(session.otherLines.map(\.type) == ["u", "b", "b", "z"] && session.direction == .receiveOnly)
        let video = session.media[0]
        #expect(video.portCount == 2 && video.connection == ConnectionAddress("FF15::101", count: 3))
        #expect(video.otherLines.map(\.value) == ["a camera", "IN IP6 FF15::201"])
        #expect(video[PayloadType(97)]?[parameter: "sprop-parameter-sets"] == "Z0IA,aM4=")
        #expect(video[PayloadType(99)]?.encoding == nil)
        #expect(video[PayloadType(99)]?.parameters == [RTPFormat.Parameter("97/98")])
        #expect(video.feedback == [RTCPFeedback("nack", "rpsi")])
        #expect(video.rids.map(\.direction) == [.send, .send, .send, .receive])
        #expect(video.rids[1].payloadTypes == [PayloadType(98), PayloadType(97)])
        #expect(
            video.simulcast
                == Simulcast(
                    send: [["1"], Simulcast.Stream([Simulcast.Alternative("2", isPaused: true), .init("3")])],
                    receive: [["4"]]))
        #expect(video.otherAttributes == [SessionDescription.Attribute("rtpmap", "100 opus/48000/2")])
    }

    @Test(arguments: SDPSamples.Author.allCases)
    func `Any line ending is accepted, and the result round-trips`(author: SDPSamples.Author) throws {
        let text = author.text
        let session = try SessionDescription(text)
        let lines = text.split(whereSeparator: \.isNewline)
        for end in ["\n", "\r\n", "\r", "\n\n\n", "  \r\n\t"] {
            #expect(try SessionDescription(lines.joined(separator: end)) == session, "\(Array(end.utf8))")
        }
        #expect(try SessionDescription(session.text) == session)
    }

    @Test(arguments: [
        ("", SDPError.empty), ("\r\n\n", .empty), ("v=0\nSDP:", .notALine(line: 2, text: "SDP:")),
        ("v=0\r\n=x", .notALine(line: 2, text: "=x")), ("ab=x", .notALine(line: 1, text: "ab=x")),
        ("1=x", .notALine(line: 1, text: "1=x")), ("v=0\ns=a\u{0}b", .notALine(line: 2, text: "s=a\u{0}b")),
        ("v=1", .invalidValue(line: 1, field: "version", value: "1")),
        ("v=0\nv=0", .repeated(line: 2, field: "version")),
        ("o=- 0 0 IN IP4", .invalidValue(line: 1, field: "origin", value: "- 0 0 IN IP4")),
        ("c=IN IP5 1", .invalidValue(line: 1, field: "connection address", value: "IN IP5 1")),
        ("c=IN IP4 224.0.0.1/256", .invalidValue(line: 1, field: "connection address", value: "IN IP4 224.0.0.1/256")),
        ("t=0", .invalidValue(line: 1, field: "time", value: "0")),
        ("r=1", .invalidValue(line: 1, field: "repetition of no time", value: "1")),
        ("s=a\ns=b", .repeated(line: 2, field: "session name")),
        ("a=sendonly\na=inactive", .repeated(line: 2, field: "direction")),
        ("m=video 65536 RTP/AVP 96", .invalidValue(line: 1, field: "media", value: "video 65536 RTP/AVP 96")),
        ("m=video 1 RTP/AVP 128", .invalidValue(line: 1, field: "media", value: "video 1 RTP/AVP 128")),
        ("m=video 1 RTP/AVP 96 96", .invalidValue(line: 1, field: "media", value: "video 1 RTP/AVP 96 96")),
    ])
    func `An invalid session description is reported with its line`(text: String, error: SDPError) {
        #expect(throws: error) { try SessionDescription(text) }
    }

    @Test(arguments: [
        ("mid:", "mid", ""), ("framerate:0", "framerate", "0"), ("framerate:nan", "framerate", "nan"),
        ("framerate:1e3", "framerate", "1e3"), ("extmap:0 u", "extmap", "0 u"), ("extmap:1", "extmap", "1"),
        ("extmap:1/up u", "extmap", "1/up u"), ("rtpmap:96", "rtpmap", ""), ("rtpmap:96 VP8", "rtpmap", "VP8"),
        ("rtpmap:x VP8/1", "payload type of rtpmap", "x"), ("rtpmap:96 VP8/0", "rtpmap", "VP8/0"),
        ("fmtp:-1 a", "payload type of fmtp", "-1"), ("rtcp-fb:96", "rtcp-fb", ""), ("rid:1", "rid", "1"),
        ("rid:1 up", "rid", "1 up"), ("rid:1 send pt=200", "rid", "1 send pt=200"),
        ("simulcast:send", "simulcast", "send"),
        ("simulcast:send 1;;2", "simulcast", "send 1;;2"), ("simulcast:send 1 send 2", "simulcast", "send 1 send 2"),
        ("ssrc:1", "ssrc", "1"), ("ssrc:4294967296 a", "ssrc", "4294967296 a"), ("ssrc-group:", "ssrc-group", ""),
        ("ssrc-group:FID x", "ssrc-group", "FID x"),
    ])
    func `A known attribute with an invalid value is reported with its line`(
        attribute: String, field: String, value: String
    ) {
        #expect(throws: SDPError.invalidValue(line: 3, field: field, value: value)) {
            try SessionDescription("v=0\nm=video 1 RTP/AVP 96\na=\(attribute)")
        }
    }

    @Test(arguments: ["mid:a", "framerate:5", "rtpmap:96 VP8/90000", "simulcast:send 1", "sendonly"])
    func `Options that may be given once are rejected the second time`(attribute: String) {
        let field = attribute == "sendonly" ? "direction" : String(attribute.prefix { $0 != ":" })
        #expect(throws: SDPError.repeated(line: 3, field: field)) {
            try SessionDescription("m=video 1 RTP/AVP 96\na=\(attribute)\na=\(attribute)")
        }
    }

    @Test func `Too long a text is refused`() {
        let bytes = [UInt8](repeating: 0x0A, count: SessionDescription.maximumByteCount + 1)
        #expect(throws: SDPError.tooLarge(byteCount: bytes.count, limit: bytes.count - 1)) {
            try SessionDescription(parsing: bytes.span)
        }
    }

    @Test func `Any valid value writes and parses back to itself`() throws {
        var values = SessionDescriptions(seed: 8866)
        for index in 0..<3000 {
            let session = values.next()
            let text = session.text
            do {
                let parsed = try SessionDescription(text)
                guard parsed != session else { continue }
                Issue.record("value \(index): \(text) became \(parsed.text)")
                dump(session); dump(parsed)
            } catch {
                Issue.record("value \(index): \(error): \(text)")
            }
            return
        }
    }

    @Test func `No bytes crash the parser, and parsed descriptions can be written`() {
        var read = 0
        let inputs = MutatedInputs(
            of: SDPSamples.pieces.map { [UInt8]($0.utf8) }, count: 100_000, using: SeededGenerator(seed: 8866))
        for (index, input) in inputs.enumerated() {
            // Refusals are other tests' business.
            guard let session = try? SessionDescription(parsing: input.span) else { continue }
            read += 1
            // Writing and reading again costs ten times what reading does: every tenth will do.
            guard read % 10 == 0, (try? SessionDescription(session.text)) != session else { continue }
            Issue.record("input \(index): \(String(decoding: input, as: UTF8.self))")
            return
        }
        #expect(read > 20_000 && read < 95_000)
    }
}
