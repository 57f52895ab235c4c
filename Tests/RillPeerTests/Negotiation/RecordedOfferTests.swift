import RillCore
import RillPeer
import RillRTP
import RillTestSupport
import Testing

/// What is answered to offers that other programs wrote.
@Suite struct NegotiationRecordedOfferTests {
    private func answer(
        _ recorded: RecordedDescription, _ end: inout NegotiationEnd
    ) throws -> (SessionDescription, NegotiationOutcome, [NegotiatedSection]) {
        let offered = try end.negotiator.setRemote(.offer, text: recorded.text)
        let answer = try end.negotiator.makeAnswer(end.transport)
        let sections = try end.negotiator.setLocal(.answer, answer).sections ?? []
        return (answer, offered, sections)
    }

    @Test func `A browser's call is received, and its data channel rejected`() throws {
        var end = try NegotiationEnd()
        let (answer, offered, sections) = try answer(.chromiumCall, &end)
        #expect(offered.rejections == [SectionRejection(index: 2, mid: "2", reason: .kind("application"))])
        #expect(offered.addedTransceivers.count == 2)
        let remote = try existing(offered.remote)
        #expect(remote.role == .client && remote.usesTrickle && !remote.hasAllCandidates && !remote.isLite)
        #expect(remote.credentials.usernameFragment == "fURN" && remote.fingerprints.count == 1)

        #expect(
            answer.lines("m=") == [
                "m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 118 119 120",
                "m=application 0 UDP/DTLS/SCTP webrtc-datachannel",
            ])
        #expect(answer.lines("a=group") == ["a=group:BUNDLE 0 1"])
        #expect(answer.lines("a=setup") == ["a=setup:active", "a=setup:active"])
        // H.264, AV1 and VP9's other profiles are gone, and so are their retransmissions.
        #expect(answer.lines("a=rtpmap").count == 8)

        #expect(sections.map(\.mid) == ["0", "1"])
        let video = try existing(sections.last)
        #expect(video.direction == .receiveOnly && video.sending.isEmpty)
        let stream = try existing(video.receiving.first)
        #expect(stream.encoding.name == "VP8" && stream.ssrc != nil && stream.repair.retransmission?.ssrc != nil)
        #expect(stream.headerExtensions[.mid] == 4 && stream.headerExtensions[.transportSequenceNumber] == 3)
        #expect(stream.feedback.contains([.nack, .pictureLossIndication, .transportWideCongestionControl]))
        #expect(end.negotiator.transceivers.last?.remoteStreams.count == 1)
    }

    @Test func `A browser's simulcast is received by its RIDs`() throws {
        var end = try NegotiationEnd()
        let (answer, offered, sections) = try answer(.chromiumSimulcast, &end)
        #expect(answer.lines("a=rid") == ["a=rid:h recv", "a=rid:l recv"])
        #expect(answer.lines("a=simulcast") == ["a=simulcast:recv h;l"])
        #expect(answer.lines("a=ice-lite").isEmpty && answer.lines("a=ice-options") == ["a=ice-options:trickle"])
        let streams = try existing(sections.first).receiving
        #expect(streams.map(\.rid) == ["h", "l"] && streams.allSatisfy { $0.ssrc == nil && $0.mid == "0" })
        #expect(streams.allSatisfy { $0.headerExtensions[.rid] == 10 && $0.headerExtensions[.repairedRID] == 11 })
        let remote = try existing(offered.remote)
        #expect(remote.candidates.map(\.address.description) == ["192.0.2.7:44141", "[2001:db8::7]:45963"])
        #expect(remote.ignoredCandidateCount == 2, "TCP")
    }

    @Test func `A browser that receives gets what this side sends, in the codec that it prefers`() throws {
        var end = try NegotiationEnd()
        let id = try end.add(.video, .sendOnly)
        let (answer, offered, sections) = try answer(.chromiumReceiving, &end)
        #expect(offered.addedTransceivers.count == 1, "the audio's")
        let video = try existing(sections.first)
        #expect(video.transceiver == id && video.direction == .sendOnly && video.receiving.isEmpty)
        let stream = try existing(video.sending.first)
        #expect(stream.encoding.name == "VP9" && stream.payloadType == PayloadType(98) && stream.rid == nil)
        #expect(try existing(sections.last).direction == .inactive)
        // The source that is announced is the one that is used.
        let source = try existing(stream.ssrc)
        let again = try existing(stream.repair.retransmission?.ssrc)
        #expect(answer.media[0].sourceGroups == [SourceGroup("FID", [source, again])])
        #expect(try end.transceiver(id).currentDirection == .sendOnly)
    }

    @Test func `A second offer of a browser's restarts ICE, stops a section and adds one`() throws {
        var end = try NegotiationEnd()
        _ = try self.answer(.chromiumFirst, &end)
        let stopped = end.negotiator.transceivers[1].id
        #expect(
            throws: NegotiationError.credentialsNotRenewed(
                usernameFragment: end.transport.credentials.usernameFragment)
        ) {
            var copy = end
            _ = try self.answer(.chromiumSecond, &copy)
        }
        try end.restart(seed: 99)
        let offered = try end.negotiator.setRemote(.offer, text: RecordedDescription.chromiumSecond.text)
        #expect(offered.restartsICE && !offered.restartsDTLS && offered.remote?.role == .client)
        let answer = try end.negotiator.makeAnswer(end.transport)
        #expect(answer.lines("a=group") == ["a=group:BUNDLE 0 2"] && answer.media[1].port == 0)
        #expect(answer.origin.version == 3)
        let answered = try end.negotiator.setLocal(.answer, answer)
        #expect(answered.stoppedTransceivers == [stopped])
        #expect(answered.sections?.map(\.mid) == ["0", "2"])
        #expect(end.negotiator.transceivers.count == 2)
    }

    @Test func `An offer of nothing but data is answered with nothing`() throws {
        var end = try NegotiationEnd()
        let (answer, offered, sections) = try answer(.chromiumData, &end)
        #expect(offered.remote == nil && sections.isEmpty && answer.lines("a=group").isEmpty)
        #expect(answer.media.count == 1 && answer.media[0].port == 0)
    }

    @Test func `webrtcbin's offer, without header extensions, has its streams by source`() throws {
        var end = try NegotiationEnd()
        let (answer, _, sections) = try answer(.gstreamer, &end)
        #expect(answer.lines("a=group") == ["a=group:BUNDLE video0 audio1"])
        #expect(answer.media.map(\.port) == [9, 9])
        let stream = try existing(sections.first?.receiving.first)
        #expect(stream.ssrc == SSRC(609_801_775) && stream.repair.isEmpty)
        // transport-cc needs the header extension, which is not there.
        #expect(stream.feedback == [.pictureLossIndication, .fullIntraRequest])
        #expect(end.negotiator.transceivers[0].remoteStreams.first?.track == "webrtctransceiver0")
    }

    @Test func `aiortc's offer has all its candidates in the section of the transport`() throws {
        var end = try NegotiationEnd()
        let (_, offered, sections) = try answer(.aiortc, &end)
        let remote = try existing(offered.remote)
        #expect(remote.hasAllCandidates && !remote.usesTrickle && remote.fingerprints.count == 3)
        #expect(remote.candidates.map(\.address.port) == [59477, 46879])
        #expect(sections.map(\.receiving.count) == [1, 1])
        #expect(sections.last?.receiving.first?.repair.redPayloadType == nil)
    }

    @Test func `Without audio codecs, aiortc's transport is that of the video`() throws {
        var settings = NegotiationSettings()
        settings.audioCodecs = []
        var end = try NegotiationEnd(settings)
        let (answer, offered, _) = try answer(.aiortc, &end)
        let names = ["opus", "G722", "PCMU", "PCMA"]
        #expect(
            offered.rejections.map(\.reason) == [
                .noCommonCodec(offered: names, supported: []), .kind("application"),
            ])
        #expect(offered.remote?.candidates.first?.address.port == 54303)
        #expect(answer.lines("a=group") == ["a=group:BUNDLE 1"])
    }
}
