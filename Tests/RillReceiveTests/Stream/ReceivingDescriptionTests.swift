import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// Receiving settings of what was agreed on.
@Suite struct ReceivingDescriptionTests {
    private func description() throws -> StreamDescription {
        var stream = StreamDescription(PayloadType(98), RTPFormat.Encoding("vp9"))
        (stream.rid, stream.ssrc) = ("low", SSRC(1))
        stream.repair.retransmission = .init(ssrc: SSRC(2), payloadType: PayloadType(97))
        try stream.headerExtensions.set(.videoOrientation, id: 3)
        stream.feedback = [.nack]
        return stream
    }

    @Test func `The negotiated values are used for receiving`() throws {
        let agreed = try description()
        let settings = try StreamReceiverSettings(agreed, ssrc: SSRC(9))
        let buffer = settings.jitterBuffer
        #expect(settings.ssrc == SSRC(9) && settings.repair == agreed.repair)
        #expect(buffer.ssrc == SSRC(1) && buffer.payloadType == PayloadType(98) && buffer.codec == .vp9)
        #expect(buffer.rid == .low && buffer.headerExtensions == agreed.headerExtensions && buffer.nack != nil)
        _ = PacketRestorer(settings.repair, for: buffer)
    }

    @Test func `Values that were not negotiated keep their settings`() throws {
        var agreed = try description()
        (agreed.rid, agreed.feedback) = ("with-sign", [])
        var settings = StreamReceiverSettings(
            jitterBuffer: JitterBufferSettings(
                payloadType: PayloadType(1), rid: "mine", playoutDelay: .fixed(.milliseconds(60)), packetCapacity: 64),
            ssrc: SSRC(9))
        try settings.apply(agreed)
        let buffer = settings.jitterBuffer
        #expect(buffer.rid == "mine" && buffer.nack == nil && buffer.packetCapacity == 64)
        #expect(buffer.playoutDelay == .fixed(.milliseconds(60)) && buffer.payloadType == PayloadType(98))
    }

    @Test(arguments: [("opus", 48000), ("VP8", 8000), ("a codec", 90000), ("", 90000)])
    func `A format that is not 90 kHz video is rejected, and nothing changes`(name: String, rate: UInt32) throws {
        var agreed = try description()
        agreed.encoding = RTPFormat.Encoding(name, clockRate: rate)
        var settings = JitterBufferSettings(payloadType: PayloadType(96))
        let before = settings
        #expect(throws: StreamDescriptionError.unsupportedFormat(name: name, clockRate: rate)) {
            try settings.apply(agreed)
        }
        #expect(settings == before)
    }

    @Test func `Numbers that contradict each other are an error, not a trap`() throws {
        var agreed = try description()
        agreed.repair.fecPayloadType = PayloadType(97)
        #expect(throws: StreamDescriptionError.payloadTypeInUse(PayloadType(97))) {
            try StreamReceiverSettings(agreed, ssrc: SSRC(9))
        }
    }

    @Test func `Retransmissions with an unannounced SSRC are identified by their payload type`() throws {
        let media = SSRC(1)
        let original = [UInt8](capacity: 100) { output in
            RTPHeader(
                marker: true, payloadType: PayloadType(98), sequenceNumber: SequenceNumber(7),
                timestamp: RTPTimestamp(5),
                ssrc: media
            ).write(into: &output)
            output.append(42)
        }
        let again = try [UInt8](capacity: 200) { output throws(RTPError) in
            try RetransmittedPacket.write(
                original.span, payloadType: PayloadType(97), sequenceNumber: SequenceNumber(9), ssrc: SSRC(77),
                into: &output)
        }
        var repair = RepairSettings()
        repair.retransmission = .init(ssrc: nil, payloadType: PayloadType(97))
        // Of a stream whose source is known, and of one that its first packet tells.
        for ssrc in [media, nil] {
            var restorer = PacketRestorer(repair, for: JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(98)))
            #expect(restorer.insert(original.span) { _ in } == .media)
            var restored: [UInt8] = []
            let result = restorer.insert(again.span) { packet in
                if case .media(let bytes, .retransmission) = packet { restored = bytes.array }
            }
            #expect(result == .retransmission && restored == original)
        }
    }
}
