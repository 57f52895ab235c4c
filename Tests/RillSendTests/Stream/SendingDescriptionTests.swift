import RillCore
import RillRTP
import RillSend
import Testing

/// Sending settings of what was agreed on, and back.
@Suite struct SendingDescriptionTests {
    private func description() throws -> StreamDescription {
        var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        (stream.mid, stream.rid) = ("video", "high")
        stream.ssrc = SSRC(1)
        stream.canonicalName = "a@b"
        stream.repair.retransmission = .init(ssrc: SSRC(2), payloadType: PayloadType(97))
        stream.repair.redPayloadType = PayloadType(100)
        stream.repair.fecPayloadType = PayloadType(101)
        try stream.headerExtensions.set(.videoOrientation, id: 3)
        stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
        return stream
    }

    @Test func `The negotiated values are used for sending, and reported`() throws {
        var random = SeededGenerator(seed: 1)
        let agreed = try description()
        let settings = try RTPStreamSettings(agreed, using: &random)
        #expect(StreamDescription(of: settings, codec: .vp8) == agreed)
        #expect(settings.fec?.percentage == .zero)
        _ = try RTPStreamSender(settings)
    }

    @Test func `Values that were not announced are random, and distinguish sources`() throws {
        var agreed = try description()
        agreed.ssrc = nil
        agreed.repair.retransmission?.ssrc = nil
        agreed.canonicalName = nil
        var sources: Set<SSRC> = []
        for seed in 0..<100 {
            var random = SeededGenerator(seed: UInt64(seed))
            let settings = try RTPStreamSettings(agreed, using: &random)
            sources.insert(settings.ssrc)
            sources.insert(try #require(settings.retransmission?.ssrc))
            #expect(settings.firstSequenceNumber.rawValue < 32768 && !settings.canonicalName.isEmpty)
        }
        #expect(sources.count == 200)
    }

    @Test func `A generator that draws the same twice gives two sources`() throws {
        struct Stuck: RandomNumberGenerator {
            mutating func next() -> UInt64 { 0x7777_7777_7777_7777 }
        }
        var stuck = Stuck()
        var agreed = try description()
        agreed.repair.retransmission?.ssrc = nil
        for isAnnounced in [false, true] {
            agreed.ssrc = isAnnounced ? SSRC(0x7777_7777) : nil
            let settings = try RTPStreamSettings(agreed, using: &stuck)
            #expect(settings.ssrc != settings.retransmission?.ssrc)
            #expect(!isAnnounced || settings.ssrc == SSRC(0x7777_7777))
        }
        agreed.ssrc = nil
        agreed.repair.retransmission?.ssrc = SSRC(0x7777_7777)
        let settings = try RTPStreamSettings(agreed, using: &stuck)
        #expect(settings.retransmission?.ssrc == SSRC(0x7777_7777) && settings.ssrc != SSRC(0x7777_7777))
    }

    @Test func `Numbers that contradict each other are an error, not a trap`() throws {
        var random = SeededGenerator(seed: 1)
        var agreed = try description()
        agreed.repair.retransmission?.payloadType = PayloadType(96)
        #expect(throws: StreamDescriptionError.payloadTypeInUse(PayloadType(96))) {
            try RTPStreamSettings(agreed, using: &random)
        }
        agreed = try description()
        agreed.repair.retransmission?.ssrc = SSRC(1)
        #expect(throws: StreamDescriptionError.sourceInUse(SSRC(1))) { try RTPStreamSettings(agreed, using: &random) }
    }
}
