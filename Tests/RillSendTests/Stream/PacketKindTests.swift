import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

@Suite struct PacketKindTests {
    private func settings(isApart: Bool) -> RTPStreamSettings {
        var settings = sampleSettings()
        settings.historyCapacity = 200
        settings.fec = FECSettings(
            percentage: .percent(50), payloadType: PayloadType(101), redPayloadType: PayloadType(100))
        if isApart {
            settings.retransmission = RetransmissionSettings(ssrc: SSRC(0xF00D), payloadType: PayloadType(97))
        }
        return settings
    }

    @Test(arguments: [false, true])
    func `The sink gets the kind of each packet`(isApart: Bool) throws {
        var sender = try RTPStreamSender(settings(isApart: isApart))
        // A batch in between, as the pipeline has one, tells it on.
        let (batch, sink) = (PacketBatch(), CollectingSink())
        let payload = [UInt8](repeating: 7, count: 3 * 1100)
        let sent = sender.send(.sample(0), payload: payload.span, at: .zero, to: batch)
        sender.retransmit(sent.firstSequenceNumber, at: .zero, to: batch)
        let report = [UInt8](capacity: sender.reportByteCount) { output in
            sender.writeReport(at: .zero, into: &output)
        }
        batch.send(report.span, as: .rtcp, at: .zero)
        batch.deliver(to: sink)
        #expect(sink.kinds == [.media, .media, .media, .fec, .fec, .retransmission, .rtcp])
    }

    @Test func `A sink that treats all packets alike hears of each`() throws {
        var sender = try RTPStreamSender(settings(isApart: true))
        var count = 0
        let tap: any PacketSink = PacketTap { _, _ in count += 1 }
        let payload = [UInt8](repeating: 7, count: 3 * 1100)
        let sent = sender.send(.sample(0), payload: payload.span, at: .zero, to: tap)
        sender.retransmit(sent.firstSequenceNumber, at: .zero, to: tap)
        #expect(count == sent.packetCount + 1)
    }
}
