import RillCore
import RillPeer
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

/// Audio in the descriptions of browsers: read, written, and read again.
@Suite struct RecordedAudioTests {
    private static let recorded: [RecordedDescription] = [
        .chromiumCall, .chromiumFirst, .chromiumSecond, .aiortc,
    ]

    private func audio(_ recorded: RecordedDescription) throws -> [StreamDescription] {
        let text = [UInt8](try recorded.text.utf8)
        return try SessionDescription(parsing: text.span).streams(.send, of: .audio)
    }

    @Test(arguments: recorded)
    func `Opus is read with its clock and channels, and written as it was`(recorded: RecordedDescription) throws {
        let streams = try audio(recorded)
        let stream = try #require(streams.first)
        #expect(stream.kind == .audio)
        #expect(stream.encoding == RTPFormat.Encoding("opus", clockRate: 48_000, channels: "2"))
        let rate = try stream.clockRate
        // RED of audio is another format, not a repair of this one.
        #expect(rate == .opus && stream.repair == RepairSettings())
        let media = try MediaDescription(sending: streams, port: 5004)
        #expect(media.kind == .audio)
        let written = SessionDescription(connection: ConnectionAddress("192.0.2.1"), media: [media])
        #expect(written.text.contains("m=audio 5004 RTP/AVPF \(stream.payloadType)\r\n"))
        #expect(written.text.contains("a=rtpmap:\(stream.payloadType) opus/48000/2\r\n"))
        let again = try SessionDescription(parsing: [UInt8](written.text.utf8).span).streams(.send, of: .audio)
        #expect(again == streams)
    }

    @Test func `A browser's audio makes settings of both ends`() throws {
        let stream = try #require(try audio(.chromiumCall).first)
        let receiving = try StreamReceiverSettings(stream, ssrc: SSRC(9))
        #expect(receiving.kind == .audio && receiving.jitterBuffer.clockRate == .opus)
        #expect(receiving.jitterBuffer.payloadType == stream.payloadType && receiving.repair == RepairSettings())
        var random = SeededGenerator(seed: 1)
        let sending = try RTPStreamSettings(stream, using: &random)
        #expect(sending.kind == .audio && sending.clockRate == .opus && sending.retransmission == nil)
        let described = StreamDescription(of: sending, codec: .defaultAudio)
        #expect(described.encoding == stream.encoding && described.parameters == stream.parameters)
        #expect(described.kind == .audio && described.ssrc == sending.ssrc)
    }

    @Test func `A codec with another clock is refused`() throws {
        var stream = try #require(try audio(.chromiumCall).first)
        stream.encoding.clockRate = 44_100
        #expect(throws: StreamDescriptionError.unsupportedFormat(name: "opus", clockRate: 44_100)) {
            try StreamReceiverSettings(stream, ssrc: SSRC(9))
        }
        stream.encoding = RTPFormat.Encoding("own", clockRate: 0)
        #expect(throws: StreamDescriptionError.unsupportedFormat(name: "own", clockRate: 0)) {
            try StreamReceiverSettings(stream, ssrc: SSRC(9))
        }
    }
}
