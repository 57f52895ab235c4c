import RillCore
import RillRTP
import RillTestSupport
import Testing

/// Streams in session descriptions: those of others are read, our own are written and read again.
@Suite struct DescribedStreamsTests {
    private func parse(_ text: String) throws -> SessionDescription {
        try SessionDescription(parsing: [UInt8](text.utf8).span)
    }

    // MARK: Those of others

    @Test func `FFmpeg's description is one stream with an unannounced SSRC`() throws {
        let streams = try parse(SDPSamples.ffmpeg).streams(.send)
        #expect(streams == [StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))])
    }

    @Test func `GStreamer's description has a source, retransmissions, feedback and a frame rate`() throws {
        let streams = try parse(SDPSamples.gstreamer).streams(.send)
        var expected = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        expected.ssrc = SSRC(1_878_541_347)
        expected.canonicalName = "user1520331421@host-84a77d94"
        expected.feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
        expected.repair.retransmission = .init(ssrc: nil, payloadType: PayloadType(97))
        expected.repair.retransmission?.milliseconds = 3000
        expected.limits.framesPerSecond = 30
        #expect(streams == [expected])
    }

    @Test func `Janus offers VP9 with an unsupported profile, and is send-only`() throws {
        let offer = try parse(SDPSamples.janus)
        #expect(throws: StreamDescriptionError.noCodec(section: 0)) { try offer.streams(.send) }
        #expect(try offer.streams(.receive).isEmpty)
        let plain = try parse(SDPSamples.janus.replacing("profile-id=2", with: "profile-id=0")).streams(.send)
        let stream = try #require(plain.first)
        #expect(plain.count == 1 && stream.encoding.name == "VP9" && stream.mid == "v")
        #expect(stream.ssrc == SSRC(2_231_627_014) && stream.canonicalName == "janus")
        #expect(stream.repair.retransmission == .init(ssrc: SSRC(632_943_048), payloadType: PayloadType(97)))
        #expect(stream.headerExtensions[.mid] == 1 && stream.headerExtensions[.absoluteSendTime] == 2)
        #expect(stream.feedback == [.nack, .receiverEstimatedMaximumBitrate])
    }

    /// A browser's offer of both layers, as Chromium writes it.
    private static let browser = """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63
        c=IN IP4 0.0.0.0
        a=mid:0
        a=sendrecv
        a=rtpmap:111 opus/48000/2
        a=rtpmap:63 red/48000/2
        m=video 9 UDP/TLS/RTP/SAVPF 102 96 97 98 99 100 101 116 117 118
        c=IN IP4 0.0.0.0
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=extmap:13 urn:3gpp:video-orientation
        a=mid:1
        a=sendonly
        a=rtcp-mux
        a=rtcp-rsize
        a=rtpmap:102 H264/90000
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:100 VP9/90000
        a=fmtp:100 profile-id=2
        a=rtpmap:101 rtx/90000
        a=fmtp:101 apt=100
        a=rtpmap:98 VP9/90000
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=rtpmap:116 red/90000
        a=rtpmap:117 rtx/90000
        a=fmtp:117 apt=116
        a=rtpmap:118 ulpfec/90000
        a=rid:h send
        a=rid:l send max-width=160;max-height=120;max-fps=5
        a=simulcast:send h;~l
        """

    @Test func `A browser's simulcast is a stream for each layer, known by MID and RID`() throws {
        let streams = try parse(Self.browser).streams(.send)
        try #require(streams.count == 2)
        #expect(streams.map(\.rid) == ["h", "l"] && streams.map(\.isPaused) == [false, true])
        for stream in streams {
            #expect(stream.mid == "1" && stream.ssrc == nil && stream.usesReducedSizeRTCP)
            #expect(stream.payloadType == PayloadType(96) && stream.encoding == RTPFormat.Encoding("VP8"))
            #expect(
                stream.repair.redPayloadType == PayloadType(116) && stream.repair.fecPayloadType == PayloadType(118))
            #expect(stream.repair.retransmission == .init(ssrc: nil, payloadType: PayloadType(117)))
            #expect(stream.headerExtensions[.rid] == 10 && stream.headerExtensions[.repairedRID] == 11)
            #expect(stream.headerExtensions[.transportSequenceNumber] == 3)
            #expect(
                stream.feedback == [
                    .nack, .pictureLossIndication, .fullIntraRequest, .receiverEstimatedMaximumBitrate,
                    .transportWideCongestionControl,
                ])
        }
        #expect(streams[0].limits == StreamDescription.Limits())
        #expect(streams[1].limits.width == 160 && streams[1].limits.height == 120)
        #expect(streams[1].limits.framesPerSecond == 5)
        let vp9 = try parse(Self.browser).streams(.send, codecs: ["vp9"])
        #expect(vp9.map(\.payloadType) == [PayloadType(98), PayloadType(98)])
    }

    @Test func `Only streams of the requested direction are included`() throws {
        let text =
            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nt=0 0\na=WAY\nm=video PORT RTP/AVP 96\na=rtpmap:96 VP8/90000\nMORE"
        func count(_ way: String, _ port: String, _ more: String = "") throws -> [Int] {
            let description = try parse(
                text.replacing("WAY", with: way).replacing("PORT", with: port).replacing("MORE", with: more))
            return [try description.streams(.send).count, try description.streams(.receive).count]
        }
        #expect(try count("sendrecv", "5004") == [1, 1])
        #expect(try count("sendonly", "5004") == [1, 0])
        #expect(try count("recvonly", "5004") == [0, 1])
        #expect(try count("inactive", "5004") == [0, 0])
        // Attributes of the section take precedence over those of the session.
        #expect(try count("inactive", "5004", "a=recvonly\n") == [0, 1])
        #expect(try count("sendrecv", "0") == [0, 0])
        #expect(try count("sendrecv", "0", "a=bundle-only\n") == [1, 1])
        // The sources are those of the description's writer: the streams that it receives have our sources.
        #expect(try parse(SDPSamples.gstreamer).streams(.receive).map(\.ssrc) == [nil])
    }

    @Test func `Sources in groups are streams, their retransmissions and FEC packets are not`() throws {
        let text = """
            v=0
            o=- 0 0 IN IP4 127.0.0.1
            s=-
            t=0 0
            m=video 5004 RTP/AVPF 96 97
            a=rtpmap:96 VP8/90000
            a=rtpmap:97 rtx/90000
            a=fmtp:97 apt=96
            a=ssrc-group:SIM 1 2
            a=ssrc-group:FID 1 11
            a=ssrc-group:FID 2 12
            a=ssrc-group:FEC-FR 1 21
            a=ssrc:1 cname:c
            a=ssrc:2 cname:c
            a=ssrc:11 cname:c
            a=ssrc:21 cname:c
            a=ssrc:12 cname:c
            """
        let streams = try parse(text).streams(.send)
        #expect(streams.map(\.ssrc) == [SSRC(1), SSRC(2)])
        #expect(streams.map(\.repair.retransmission?.ssrc) == [SSRC(11), SSRC(12)])
        // Named, they are in the order of their group; without one they cannot be distinguished.
        let names = "\na=rid:a send\na=rid:b send\na=simulcast:send b;a"
        let mapped = "\na=extmap:1 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        let named = try parse(text + names).streams(.send)
        #expect(named.map(\.rid) == ["b", "a"] && named.map(\.ssrc) == [SSRC(1), SSRC(2)])
        let ungrouped = try parse(text.replacing("a=ssrc-group:SIM 1 2\n", with: "") + names + mapped).streams(.send)
        #expect(ungrouped.map(\.rid) == ["b", "a"] && ungrouped.map(\.ssrc) == [nil, nil])
    }

    @Test func `Simulcast entries without their own line are ignored`() throws {
        let text = """
            v=0
            o=- 0 0 IN IP4 127.0.0.1
            s=-
            t=0 0
            m=video 5004 RTP/AVPF 96 98
            a=rtpmap:96 VP8/90000
            a=rtpmap:98 VP9/90000
            a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
            a=rid:1 send pt=98
            a=rid:2 send
            a=rid:3 recv
            a=rid:4 send
            a=simulcast:send ghost,1;~2,4,ghost;3 recv 3
            """
        let streams = try parse(text).streams(.send)
        #expect(streams.map(\.rid) == ["1", "2"])
        #expect(streams.map(\.alternativeRIDs) == [[], ["4"]])
        #expect(streams.map(\.isPaused) == [false, true])
        #expect(streams.map(\.payloadType) == [PayloadType(98), PayloadType(96)])
        #expect(try parse(text).streams(.receive).map(\.rid) == ["3"])
    }

    @Test func `Contradicting numbers are reported`() throws {
        let text = SDPSamples.gstreamer
        let twice = text + "\na=extmap:4 urn:3gpp:video-orientation\na=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid"
        #expect(throws: StreamDescriptionError.headerExtensionInUse(4)) { try parse(twice).streams(.send) }
        let same = text + "\na=ssrc-group:FID 1878541347 1878541347"
        #expect(throws: StreamDescriptionError.sourceInUse(SSRC(1_878_541_347))) { try parse(same).streams(.send) }
        let reserved = text.replacing(" 96 97", with: " 72 97").replacing(":96", with: ":72")
        #expect(throws: StreamDescriptionError.reservedPayloadType(PayloadType(72))) {
            try parse(reserved).streams(.send)
        }
        // Numbers to be chosen yet, and zero, stand for nothing.
        let open = text + "\na=extmap:4096 urn:3gpp:video-orientation"
        #expect(try parse(open).streams(.send)[0].headerExtensions[.videoOrientation] == nil)
        let many = (0..<1100).map { "\na=ssrc:\($0) cname:c" }.joined()
        #expect(throws: StreamDescriptionError.tooManyStreams(count: 1101, limit: 1024)) {
            try parse(text + many).streams(.send)
        }
    }

    // MARK: Our own

    @Test func `Streams are read as they were written`() throws {
        var random = SeededGenerator(seed: 12)
        for round in 0..<500 {
            // The attributes of a section hold for all of its streams.
            let hasRED = Bool.random(using: &random)
            let sending = streams(Int.random(in: 0...4, using: &random), from: 0, hasRED: hasRED, using: &random)
            let receiving = streams(
                Int.random(in: (sending.isEmpty ? 1 : 0)...4, using: &random), from: 100, hasRED: hasRED, using: &random
            )
            let section = try MediaDescription(
                sending: sending, receiving: receiving.map { $0.withoutSources() }, port: 5004)
            let text = SessionDescription(connection: ConnectionAddress("192.0.2.1"), media: [section]).text
            let read = try parse(text)
            // The first that differs ends the test.
            try #require(try read.streams(.send) == sending, "round \(round):\n\(text)")
            try #require(
                try read.streams(.receive) == receiving.map { $0.withoutSources() }, "round \(round):\n\(text)")
        }
    }

    /// Layers of one section, with RIDs or with sources.
    private func streams(
        _ count: Int, from number: UInt32, hasRED: Bool, using random: inout SeededGenerator
    ) -> [StreamDescription] {
        (0..<UInt32(count)).map { index in
            var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
            if number > 0 { stream = StreamDescription(PayloadType(98), RTPFormat.Encoding("VP9")) }
            stream.mid = "v"
            stream.rid = "r\(number + index)"
            stream.feedback = [.nack, .transportWideCongestionControl, .pause]
            // With RED retransmissions are of that, and so of one type for both codecs.
            stream.repair.retransmission = .init(
                ssrc: SSRC(10 * index + 2), payloadType: PayloadType(number == 0 || hasRED ? 97 : 99))
            stream.repair.retransmission?.milliseconds = 500
            stream.ssrc = SSRC(10 * index + 1)
            stream.canonicalName = "rill"
            if hasRED {
                stream.repair.redPayloadType = PayloadType(100)
                stream.repair.fecPayloadType = PayloadType(101)
            }
            do throws(RTPError) {
                try stream.headerExtensions.set(.rid, id: 3)
                try stream.headerExtensions.set(.videoOrientation, id: 200)
            } catch {
                preconditionFailure("\(error)")
            }
            stream.usesReducedSizeRTCP = true
            stream.isPaused = .random(using: &random)
            if Bool.random(using: &random) { stream.alternativeRIDs = ["a\(number + index)", "b\(number + index)"] }
            if Bool.random(using: &random) { stream.limits.width = .random(in: 1...4096, using: &random) }
            if Bool.random(using: &random) { stream.limits.bitsPerSecond = .random(in: 1...9_000_000, using: &random) }
            if Bool.random(using: &random) {
                stream.limits.framesPerSecond = Double.random(in: 0.5...60, using: &random)
            }
            return stream
        }
    }

    @Test func `A single stream without a name is written without one`() throws {
        var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        stream.ssrc = SSRC(7)
        stream.canonicalName = "rill"
        stream.limits.framesPerSecond = 29.97
        let section = try MediaDescription(sending: [stream], port: 5004)
        #expect(section.rids.isEmpty && section.simulcast == nil && section.frameRate == 29.97)
        #expect(section.direction == .sendOnly && section.isRTCPMultiplexed)
        let read = try parse(SessionDescription(media: [section]).text)
        #expect(try read.streams(.send) == [stream])
        #expect(try read.streams(.receive).isEmpty)
    }

    @Test func `Streams of two sections, or that contradict each other, are not one section`() {
        let (first, second) = (StreamDescriptionTests.layer(1), StreamDescriptionTests.layer(2))
        var other = second
        other.mid = "1"
        #expect(throws: StreamDescriptionError.identifierInUse("1")) {
            try MediaDescription(sending: [first, other], port: 5004)
        }
        #expect(throws: StreamDescriptionError.sourceInUse(SSRC(10))) {
            try MediaDescription(sending: [first, first], port: 5004)
        }
        var elsewhere = second
        do throws(RTPError) { try elsewhere.headerExtensions.set(.mid, id: 9) } catch { Issue.record("\(error)") }
        #expect(throws: StreamDescriptionError.headerExtensionInUse(9)) {
            try MediaDescription(sending: [first], receiving: [elsewhere], port: 5004)
        }
    }

    @Test func `Any text gives consistent streams, or an error`() throws {
        var random = SeededGenerator(seed: 5)
        var (unreadable, count, refusals) = (0, 0, 0)
        let samples = [SDPSamples.ffmpeg, SDPSamples.gstreamer, SDPSamples.janus, SDPSamples.simulcast, Self.browser]
        for _ in 0..<4000 {
            var bytes = [UInt8]((samples.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = [0x20, 0x2C, 0x30, 0x31, 0x39, 0x3B, 0x7E].randomElement(using: &random) ?? 0
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                }
            }
            let description: SessionDescription
            do throws(SDPError) { description = try SessionDescription(parsing: bytes.span) } catch {
                // Text that is not a description has a test of its own.
                unreadable += 1
                continue
            }
            for way in RestrictionIdentifier.Direction.allCases {
                do throws(StreamDescriptionError) {
                    let streams = try description.streams(way, codecs: ["VP8", "VP9", "H264"])
                    try streams.validate()
                    count += streams.count
                } catch {
                    refusals += 1
                }
            }
        }
        // Enough came so far.
        #expect(count > 500 && refusals > 200 && unreadable < 3800, "\(count), \(refusals), \(unreadable)")
    }
}

extension StreamDescription {
    /// The streams of the other side, whose SSRCs are unknown.
    fileprivate func withoutSources() -> StreamDescription {
        var stream = self
        stream.ssrc = nil
        stream.canonicalName = nil
        stream.repair.retransmission?.ssrc = nil
        return stream
    }
}
