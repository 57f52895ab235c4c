import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Answers that other programs gave to an offer of ours.
@Suite struct NegotiationRecordedAnswerTests {
    /// The offer that was answered: audio, video, a simulcast and video that is received.
    private func offerer() throws -> NegotiationEnd {
        var end = try NegotiationEnd.recorded()
        try end.add(.audio)
        try end.add(.video)
        try end.add(.video, .sendOnly, layers: ["h", "l"])
        try end.add(.video, .receiveOnly)
        _ = try end.offer()
        return end
    }

    @Test(arguments: [RecordedDescription.chromiumAnswer, .gstreamerAnswer, .aiortcAnswer])
    func `Of a simulcast that is refused, the high layer is sent`(answer: RecordedDescription) throws {
        var end = try offerer()
        let outcome = try end.negotiator.setRemote(.answer, text: answer.text)
        let sections = try existing(outcome.sections)
        #expect(sections.map(\.mid) == ["0", "1", "2", "3"] && outcome.rejections.isEmpty)
        #expect(outcome.remote?.role == .server && !outcome.restartsICE)
        let simulcast = sections[2]
        #expect(simulcast.sending.count == 1 && simulcast.sending[0].rid == nil)
        #expect(simulcast.sending[0].payloadType == PayloadType(96))
        #expect(simulcast.direction == .sendOnly && sections[3].direction == .inactive)
        #expect(sections[0].direction == .sendOnly && sections[0].sending[0].encoding.name.lowercased() == "opus")
        #expect(end.negotiator.signalingState == .stable)
        // What is wanted is offered still; asking for it again would not change the answer (RFC 9429 §4.1.12).
        #expect(!end.negotiator.isNegotiationNeeded)
    }

    @Test func `Chromium's answer has all repair, and webrtcbin's none`() throws {
        var (one, two) = (try offerer(), try offerer())
        _ = try one.negotiator.setRemote(.answer, text: RecordedDescription.chromiumAnswer.text)
        _ = try two.negotiator.setRemote(.answer, text: RecordedDescription.gstreamerAnswer.text)
        let full = try existing(one.negotiator.sections[1].receiving.first)
        #expect(full.repair.redPayloadType == PayloadType(100) && full.repair.fecPayloadType == PayloadType(102))
        #expect(full.ssrc == SSRC(2_367_333_235) && full.repair.retransmission?.ssrc == SSRC(1_512_648_962))
        #expect(two.negotiator.sections[1].sending[0].repair.isEmpty)
    }
}
