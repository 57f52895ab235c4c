import Foundation
import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Descriptions out of the ordinary: each gets an answer, or an error that names the line.
@Suite struct NegotiationOddDescriptionTests {
    /// A short offer of audio and video, with the lines that WebRTC needs.
    private static let offer = """
        v=0
        o=- 1 1 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE a v
        a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))
        a=setup:actpass
        a=ice-ufrag:abcd
        a=ice-pwd:0123456789012345678901
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:a
        a=rtcp-mux
        a=rtpmap:111 opus/48000/2
        m=video 9 UDP/TLS/RTP/SAVPF 96
        a=mid:v
        a=rtcp-mux
        a=rtpmap:96 VP8/90000
        a=rid:h send
        a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid

        """

    private func problem(_ text: String) throws -> (DescriptionProblem, DescriptionPlace)? {
        var end = try NegotiationEnd()
        let before = end.negotiator.transceivers
        do throws(NegotiationError) {
            _ = try end.negotiator.setRemote(.offer, text: text)
            return nil
        } catch {
            #expect(end.negotiator.signalingState == .stable && end.negotiator.transceivers == before)
            guard case .invalid(let problem, let place) = error else { throw error }
            #expect(!"\(error)".contains("0123456789012345678901"), "the password")
            return (problem, place)
        }
    }

    @Test(arguments: [
        ("a=group:BUNDLE a v", "a=group:BUNDLE a w", DescriptionProblem.unknownMID("w"), 5),
        ("a=mid:v", "a=mid:a", .duplicateMID("a"), 15),
        ("a=mid:v", "a=mid:é", .invalidMID("é"), 15),
        ("a=setup:actpass", "a=setup:holdconn", .invalidSetup("holdconn"), 7),
        ("a=setup:actpass", "a=setup:", .invalidSetup(""), 7),
        ("a=ice-ufrag:abcd", "a=ice-ufrag:ab", .invalidCredentials(.invalidUsernameFragment(byteCount: 2)), 8),
        ("a=ice-ufrag:abcd", "a=ice-ufrag:ab d", .invalidCredentials(.invalidCharacter(32, offset: 2)), 8),
        ("a=ice-pwd:0123", "a=ice-pwd:", .invalidCredentials(.invalidPassword(byteCount: 18)), 9),
        ("a=ice-pwd", "a=no-pwd", .missingCredentials, 8), ("a=ice-ufrag", "a=no-ufrag", .missingCredentials, 9),
        ("a=fingerprint", "a=no-fingerprint", .missingFingerprint, 10),
        ("a=fingerprint:sha-256", "a=fingerprint:md5", .unknownFingerprints, 6),
        ("a=rid:h send", "a=rid:h send\na=rid:h send", .duplicateRID("h"), 18),
        ("a=rid:h send", "a=rid:h_ü send", .invalidRID("h_ü"), 18),
        ("a=extmap:3", "a=extmap:3 urn:x\na=extmap:3", .duplicateHeaderExtension(id: 3), 20),
    ])
    func `What contradicts itself is an error with its line`(
        old: String, new: String, problem: DescriptionProblem, line: Int
    ) throws {
        let text = NegotiationOddDescriptionTests.offer.replacing(old, with: new)
        #expect(text != NegotiationOddDescriptionTests.offer)
        let (found, place) = try existing(try self.problem(text))
        #expect(found == problem && place.line == line, "\(found) \(place)")
        #expect(!"\(found)".isEmpty && "\(place)".contains("line \(line)"))
    }

    @Test func `Sources that two sections have are an error of the offer`() throws {
        let text = NegotiationOddDescriptionTests.offer.replacing("a=mid:a", with: "a=mid:a\na=ssrc:7 cname:x")
        #expect(try problem(text) == nil)
        let (found, place) = try existing(try problem(text + "a=ssrc:7 cname:x\n"))
        #expect(found == .contradictoryStreams(.sourceInUse(SSRC(7))) && place.line == 21 && place.mid == "v")
    }

    @Test func `A text that is not SDP is an error with its line`() throws {
        var end = try NegotiationEnd()
        for (text, error) in [
            ("", SDPError.empty), ("v=0\nx\n", .notALine(line: 2, text: "x")),
            (
                "v=0\nm=video 9 UDP/TLS/RTP/SAVPF 96 96\n",
                .invalidValue(line: 2, field: "media", value: "video 9 UDP/TLS/RTP/SAVPF 96 96")
            ),
            (
                "m=video 9 UDP/TLS/RTP/SAVPF 128",
                .invalidValue(line: 1, field: "media", value: "video 9 UDP/TLS/RTP/SAVPF 128")
            ),
            ("m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:a b", .invalidValue(line: 2, field: "mid", value: "a b")),
            ("m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:", .invalidValue(line: 2, field: "mid", value: "")),
        ] {
            #expect(throws: NegotiationError.malformed(error)) { try end.negotiator.setRemote(.offer, text: text) }
        }
    }

    @Test(arguments: [
        ("a=mid:a\na=rtcp-mux", "a=mid:a", SectionRejection.Reason.notMultiplexed),
        ("m=audio 9 UDP/TLS/RTP/SAVPF", "m=audio 9 RTP/AVP", .transport("RTP/AVP")),
        (
            "m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=audio 9 UDP/TLS/RTP/SAVPF",
            .noCommonCodec(offered: [], supported: ["opus"])
        ),
        ("111", "72", .noCommonCodec(offered: [], supported: ["opus"])),
        ("opus/48000/2", "opus/48000", .noCommonCodec(offered: ["opus/48000/1"], supported: ["opus"])),
        ("m=audio", "m=text", .kind("text")), ("m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=x 0 y z", .rejectedByPeer),
        ("BUNDLE a v", "BUNDLE v", .notBundled),
        ("a=group:BUNDLE a v", "a=group:BUNDLE v\na=group:BUNDLE a", .notBundled),
        ("a=group:BUNDLE a v", "a=group:LS a v", .notBundled),
    ])
    func `What this side has not is rejected, and the rest accepted`(
        old: String, new: String, reason: SectionRejection.Reason
    ) throws {
        let text = NegotiationOddDescriptionTests.offer.replacing(old, with: new)
        var end = try NegotiationEnd()
        let outcome = try end.negotiator.setRemote(.offer, text: text)
        #expect(outcome.rejections.map(\.reason) == [reason] && outcome.rejections.map(\.index) == [0])
        let answer = try end.negotiator.makeAnswer(end.transport)
        #expect(answer.media.map(\.port) == [0, 9])
        #expect(try SessionDescription(answer.text) == answer)
        #expect(try end.negotiator.setLocal(.answer, answer).sections?.map(\.mid) == ["v"])
    }

    @Test func `An answer says of RTCP and header extensions only what was offered`() throws {
        let offered = ["a=rtcp-rsize", "a=rtcp-xr:rcvr-rtt=all", "a=extmap-allow-mixed"]
        func answered(_ text: String, _ starts: [String] = offered) throws -> [[String]] {
            var end = try NegotiationEnd()
            _ = try end.negotiator.setRemote(.offer, text: text)
            let answer = try end.negotiator.makeAnswer(end.transport)
            _ = try end.negotiator.setLocal(.answer, answer)
            return starts.map { answer.lines($0) }
        }
        let text = Self.offer
        #expect(try answered(text) == [[], [], []])
        for (line, index) in zip(offered, 0...) {
            var right: [[String]] = [[], [], []]
            right[index] = [line]
            #expect(try answered(text.replacing("a=mid:v", with: "a=mid:v\n" + line)) == right)
        }
        // Of the whole session, and of each section by itself.
        #expect(try answered(text.replacing("t=0 0", with: "t=0 0\na=extmap-allow-mixed"))[2].count == 1)
        let both = offered.joined(separator: "\n")
        let all = text.replacing("a=mid:v", with: "a=mid:v\n" + both).replacing("a=mid:a", with: "a=mid:a\n" + both)
        #expect(try answered(all).map(\.count) == [2, 2, 2])
        for (value, right) in [
            ("rcvr-rtt=sender", ["a=rtcp-xr:rcvr-rtt=sender"]), ("stat-summary", []), ("rcvr-rtt=", []), ("", []),
            ("pkt-loss-rle rcvr-rtt=all:100 voip-metrics", ["a=rtcp-xr:rcvr-rtt=all"]),
            ("stat-summary\na=rtcp-xr:rcvr-rtt=all", ["a=rtcp-xr:rcvr-rtt=all"]),
        ] {
            let answer = try answered(text.replacing("a=mid:v", with: "a=mid:v\na=rtcp-xr:\(value)"), ["a=rtcp-xr"])
            #expect(answer == [right])
        }
    }

    @Test(arguments: [
        (["96 H264/90000"], ["H264"]), (["96 VP9/90000 profile-id=1"], ["VP9 profile-id=1"]),
        (["96 H265/90000", "97 AV1/90000", "98 rtx/90000 apt=96"], ["H265", "AV1"]),
        (["96 VP8/8000"], ["VP8/8000/1"]),
    ])
    func `A rejection names the codecs of both sides`(formats: [String], names: [String]) throws {
        var lines: [String] = []
        for words in formats.map({ $0.split(separator: " ") }) {
            lines.append("a=rtpmap:\(words[0]) \(words[1])")
            if words.count > 2 { lines.append("a=fmtp:\(words[0]) \(words[2])") }
        }
        let types = formats.map { $0.prefix(2) }.joined(separator: " ")
        let text = Self.offer.replacing("SAVPF 96", with: "SAVPF " + types)
            .replacing("a=rtpmap:96 VP8/90000", with: lines.joined(separator: "\n"))
        var end = try NegotiationEnd()
        let rejections = try end.negotiator.setRemote(.offer, text: text).rejections
        #expect(rejections.map(\.reason) == [.noCommonCodec(offered: names, supported: ["VP8", "VP9"])])
        let list = names.joined(separator: ", ")
        #expect(rejections.first?.description == "section 1, mid \"v\": it has \(list); supported are VP8, VP9")
    }

    @Test func `Of several videos that are sent, as many are accepted as the settings allow`() throws {
        var settings = NegotiationSettings()
        settings.maximumReceivedCounts = [.video: 1]
        var end = try NegotiationEnd(settings)
        let video = "m=video" + (Self.offer.components(separatedBy: "m=video").last ?? "")
        func section(_ mid: String, _ direction: String) -> String {
            video.replacing("a=mid:v", with: "a=mid:\(mid)\na=\(direction)")
        }
        // One that is only received, one without a codec, and two that are sent.
        let other = section("w", "sendonly").replacing("VP8", with: "H264")
        let text =
            Self.offer.replacing("BUNDLE a v", with: "BUNDLE a u w v x").replacing(video, with: "")
            + section("u", "recvonly") + other + section("v", "sendonly") + section("x", "sendrecv")
        let (answer, offered, answered) = try end.answer(SessionDescription(text))
        #expect(answer.media.map(\.port) == [9, 9, 0, 9, 0])
        #expect(offered.rejections.map(\.mid) == ["w", "x"] && end.negotiator.rejections == offered.rejections)
        #expect(offered.rejections.last?.reason == .tooManySections(.video, limit: 1))
        #expect(answered.sections?.map(\.mid) == ["a", "u", "v"])
    }

    @Test func `A section without a MID is answered without one`() throws {
        var end = try NegotiationEnd()
        let text = NegotiationOddDescriptionTests.offer.replacing("a=group:BUNDLE a v\n", with: "")
            .replacing("a=mid:v\n", with: "").replacing("a=mid:a\n", with: "")
        _ = try end.negotiator.setRemote(.offer, text: text)
        let answer = try end.negotiator.makeAnswer(end.transport)
        #expect(answer.lines("a=mid").isEmpty && answer.lines("a=group").isEmpty && answer.media.map(\.port) == [0, 9])
        let section = try existing(try end.negotiator.setLocal(.answer, answer).sections?.first)
        #expect(section.receiving.first?.mid == nil && section.index == 1)
    }

    @Test func `A MID that packets cannot carry is kept out of them`() throws {
        var end = try NegotiationEnd()
        let mid = String(repeating: "m", count: 40)
        let text = NegotiationOddDescriptionTests.offer.replacing("a=mid:v", with: "a=mid:\(mid)")
            .replacing("BUNDLE a v", with: "BUNDLE a \(mid)")
        let (_, _, answered) = try end.answer(SessionDescription(text))
        let stream = try existing(answered.sections?.last?.receiving.first)
        #expect(stream.mid == nil && stream.headerExtensions[.mid] == nil && answered.sections?.last?.mid == mid)
    }

    @Test func `Header extensions of two bytes need both forms`() throws {
        var end = try NegotiationEnd()
        let text = NegotiationOddDescriptionTests.offer.replacing("extmap:3", with: "extmap:20")
        var copy = end
        #expect(try copy.answer(SessionDescription(text)).description.lines("a=extmap:").isEmpty)
        let mixed = text.replacing("t=0 0", with: "t=0 0\na=extmap-allow-mixed")
        let (answer, _, answered) = try end.answer(SessionDescription(mixed))
        #expect(answer.lines("a=extmap:") == ["a=extmap:20 urn:ietf:params:rtp-hdrext:sdes:mid"])
        #expect(answered.sections?.last?.receiving.first?.headerExtensions[.mid] == 20)
    }

    // MARK: Answers

    private func answerProblem(_ change: (inout SessionDescription) -> Void) throws -> DescriptionProblem? {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.audio)
        try one.add(.video)
        let stopped = try one.add(.video)
        try exchange(from: &one, to: &two)
        try one.negotiator.stop(stopped)
        var answer = try two.answer(one.offer()).description
        change(&answer)
        do throws(NegotiationError) {
            _ = try one.negotiator.setRemote(.answer, text: answer.text)
            return nil
        } catch {
            guard case .invalid(let problem, let place) = error else { throw error }
            #expect(place.line != nil || place.section == nil, "\(problem)")
            return problem
        }
    }

    @Test func `An answer that does not fit the offer is an error`() throws {
        #expect(try answerProblem { _ in } == nil)
        #expect(try answerProblem { $0.media.removeLast() } == .sectionCount(2, expected: 3))
        #expect(
            try answerProblem {
                $0.media.append($0.media[2]); $0.media[3].mid = "9"
            } == .sectionCount(4, expected: 3))
        #expect(try answerProblem { $0.media.swapAt(0, 1) } == .kindChanged("video", expected: "audio"))
        #expect(
            try answerProblem {
                $0.media[1].mid = "7"; $0.otherAttributes[0].value = "BUNDLE 0 7"
            }
                == .midChanged("7", expected: "1"))
        #expect(
            try answerProblem { $0.media[1].transport = "RTP/AVP" }
                == .transportChanged("RTP/AVP", expected: "UDP/TLS/RTP/SAVPF"))
        #expect(try answerProblem { $0.media[1].isRTCPMultiplexed = false } == .notMultiplexed)
        #expect(try answerProblem { $0.media[2].port = 9 } == .notOffered)
        #expect(try answerProblem { $0.otherAttributes.removeFirst() } == .notBundled)
        #expect(try answerProblem { $0.media[1].formats = [.vp9(PayloadType(98), profile: 2)] } == .noCommonCodec)
        let uri = HeaderExtensionKind.videoOrientation.uri
        #expect(
            try answerProblem { answer in
                let index = answer.media[1].headerExtensions.firstIndex { $0.kind == .videoOrientation } ?? 0
                answer.media[1].headerExtensions[index].id = 12
            } == .headerExtensionChanged(id: 12, uri: uri))
        #expect(
            try answerProblem { answer in
                for index in answer.media.indices {
                    answer.media[index].otherAttributes.removeAll { $0.name == "setup" }
                    answer.media[index].otherAttributes.append(.init("setup", "actpass"))
                }
            } == .invalidSetup("actpass"))
    }

    @Test func `What an answer has beyond the offer does not count`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add(.video, .sendOnly)
        var answer = try two.answer(one.offer()).description
        answer.media[0].direction = .sendAndReceive
        answer.media[0].formats.append(RTPFormat(PayloadType(45), encoding: RTPFormat.Encoding("AV1")))
        answer.media[0].headerExtensions.append(HeaderExtensionMapping(id: 14, uri: "urn:x"))
        answer.media[0].rids = [RestrictionIdentifier("q", .receive)]
        let section = try existing(try one.negotiator.setRemote(.answer, text: answer.text).sections?.first)
        #expect(section.direction == .sendOnly && section.receiving.isEmpty && section.sending.count == 1)
        #expect(!section.formats.contains { $0.isNamed("AV1") })
    }

    @Test func `An answer with payload types of its own is sent these, and sends ours`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try one.add()
        try two.add()
        var answer = try two.answer(one.offer()).description
        answer.media[0].formats = [.vp8(PayloadType(120)), .rtx(PayloadType(121), for: PayloadType(120))]
        let section = try existing(try one.negotiator.setRemote(.answer, text: answer.text).sections?.first)
        #expect(section.sending[0].payloadType == PayloadType(120))
        #expect(section.sending[0].repair.retransmission?.payloadType == PayloadType(121))
        #expect(section.receiving[0].payloadType == PayloadType(96))
        #expect(section.receiving[0].repair.retransmission?.payloadType == PayloadType(97))
        #expect(section.formats.map(\.payloadType.rawValue) == [96, 97])
        #expect(section.remoteFormats.map(\.payloadType.rawValue) == [120, 121])
    }

    @Test func `A later offer keeps the sections that are in use`() throws {
        var (one, two) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try two.add(.audio)
        try two.add(.video)
        try exchange(from: &two, to: &one)
        let offer = try two.offer()
        for (change, problem) in [
            (
                {
                    $0.media.removeLast(); $0.otherAttributes[0].value = "BUNDLE 0"
                }, DescriptionProblem.sectionCount(1, expected: 2)
            ),
            ({ $0.media.swapAt(0, 1) }, .midChanged("1", expected: "0")),
            (
                {
                    $0.media[1].mid = nil; $0.otherAttributes[0].value = "BUNDLE 0"
                }, .midChanged(nil, expected: "1")
            ),
            ({ $0.media[1].kind = .audio }, .kindChanged("audio", expected: "video")),
        ] as [((inout SessionDescription) -> Void, DescriptionProblem)] {
            var changed = offer
            change(&changed)
            #expect {
                try one.negotiator.setRemote(.offer, text: changed.text)
            } throws: { error in
                guard case .invalid(problem, _)? = error as? NegotiationError else { return false }
                return true
            }
        }
    }

    // MARK: Sizes

    @Test func `Sections, streams and RIDs have limits`() throws {
        let sections = (0..<1100).map { "m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:\($0)\na=rtcp-mux\n" }.joined()
        let (found, place) = try existing(try problem("v=0\n" + sections))
        #expect(found == .tooManySections(count: 1100, limit: 256) && place.line == 2 + 3 * 256)
        let rids = (0..<10_000).map { "a=rid:r\($0) send\n" }.joined()
        let (streams, line) = try existing(try problem(NegotiationOddDescriptionTests.offer + rids))
        #expect(streams == .tooManyStreams(count: 10_001, limit: 256) && line.line == 18)
        let sources = (0..<2000).map { "a=ssrc:\($0) cname:x\n" }.joined()
        let many = try existing(try problem(NegotiationOddDescriptionTests.offer + sources))
        #expect(many.0 == .tooManyStreams(count: 2000, limit: 512))
    }

    @Test func `The largest texts take little time`() throws {
        let head = NegotiationOddDescriptionTests.offer
        let limit = SessionDescription.maximumByteCount
        func repeated(_ line: String, after text: String = head) -> String {
            text + String(repeating: line + "\n", count: (limit - text.utf8.count) / (line.utf8.count + 1))
        }
        let sections =
            head.replacing("BUNDLE a v", with: "BUNDLE a v " + (0..<254).map { "s\($0)" }.joined(separator: " "))
            + (0..<254).map { index in
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98\na=mid:s\(index)\na=rtcp-mux\na=rtpmap:96 VP8/90000\na=rtpmap:97 rtx/90000\na=fmtp:97 apt=96\na=ssrc:\(index) cname:x\n"
            }.joined()
        for text in [
            repeated("a=x"), repeated("a=candidate:1 1 udp 1 192.0.2.1 1 typ host"), repeated("a=msid:a b"),
            repeated("a=ssrc-group:FID 1 2"), repeated("a=ssrc:1 x"), repeated("a=extmap:4096 urn:x"),
            repeated("a=fmtp:96 x"), repeated("a=rtcp-fb:96 nack"), repeated("a=rtcp-fb:* nack"), repeated("b=AS:5"),
            repeated("a=fingerprint:md5 00"), repeated("a=group:BUNDLE a v", after: "v=0\n") + head, sections,
        ] {
            guard text.utf8.count <= limit else { continue }
            var end = try NegotiationEnd()
            let clock = ContinuousClock()
            let duration = try clock.measure {
                _ = try end.negotiator.setRemote(.offer, text: text)
                let answer = try end.negotiator.makeAnswer(end.transport)
                _ = try end.negotiator.setLocal(.answer, answer)
            }
            // Milliseconds on an idle machine; anything quadratic takes a minute.
            #expect(duration < .seconds(10), "\(text.suffix(40))")
        }
    }
}
