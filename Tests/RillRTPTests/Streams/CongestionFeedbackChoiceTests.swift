import RillRTP
import Testing

/// Congestion feedback in session descriptions: both kinds offered, one answered.
@Suite struct CongestionFeedbackChoiceTests {
    private func stream(_ feedback: StreamDescription.Feedback, numbered: Bool = true) throws -> StreamDescription {
        var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        stream.feedback = feedback
        if numbered { try stream.headerExtensions.set(.transportSequenceNumber, id: 5) }
        return stream
    }

    private func text(_ streams: [StreamDescription]) throws -> String {
        SessionDescription(media: [try MediaDescription(sending: streams, port: 5004)]).text
    }

    @Test func `Both kinds are offered, RFC 8888 for all payload types`() throws {
        let offer = try stream([.nack, .transportWideCongestionControl, .congestionControlFeedback])
        let text = try text([offer])
        #expect(text.contains("a=rtcp-fb:* ack ccfb\r\n") && !text.contains("a=rtcp-fb:96 ack"))
        #expect(text.contains("a=rtcp-fb:96 transport-cc\r\n"))
        let read = try SessionDescription(parsing: Array(text.utf8).span).streams(.send)
        #expect(read.map(\.feedback) == [offer.feedback])
        #expect(read.map(\.congestionFeedback) == [[.transportWide, .byStream]])
    }

    @Test func `RFC 8888 for a single payload type is understood too`() throws {
        let text = try text([try stream([.congestionControlFeedback])]).replacing("rtcp-fb:*", with: "rtcp-fb:96")
        let read = try SessionDescription(parsing: Array(text.utf8).span).streams(.send)
        #expect(read.map(\.congestionFeedback) == [[.byStream]])
    }

    @Test func `A wildcard is written only if every stream has that feedback`() throws {
        var (high, low) = (try stream([.congestionControlFeedback]), try stream([]))
        (high.ssrc, low.ssrc) = (SSRC(1), SSRC(2))
        #expect(!(try text([high, low])).contains("ccfb"))
        low.feedback = [.congestionControlFeedback]
        #expect(try text([high, low]).contains("a=rtcp-fb:* ack ccfb\r\n"))
    }

    @Test(arguments: [StreamDescription.CongestionFeedback.transportWide, .byStream])
    func `The answer chooses one of two`(preferred: StreamDescription.CongestionFeedback) throws {
        var answer = try stream([.nack, .transportWideCongestionControl, .congestionControlFeedback])
        #expect(answer.chooseCongestionFeedback(preferred) == preferred)
        #expect(answer.congestionFeedback == [preferred] && answer.feedback.contains(.nack))
        #expect((answer.headerExtensions[.transportSequenceNumber] != nil) == (preferred == .transportWide))
        #expect(try text([answer]).contains("transport-cc") == (preferred == .transportWide))
        #expect(try text([answer]).contains("ccfb") == (preferred == .byStream))
    }

    @Test func `The only allowed feedback is chosen, and transport-wide numbers need their extension`() throws {
        var only = try stream([.transportWideCongestionControl])
        #expect(only.chooseCongestionFeedback(.byStream) == .transportWide)
        var unnumbered = try stream([.transportWideCongestionControl, .congestionControlFeedback], numbered: false)
        #expect(unnumbered.chooseCongestionFeedback() == .byStream)
        #expect(unnumbered.feedback == [.congestionControlFeedback])
        var none = try stream([.nack])
        #expect(none.chooseCongestionFeedback() == nil && none.feedback == [.nack])
    }
}
