import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import RillTestSupport
import Testing

/// A stream whose payload types, header extensions and repair are negotiated again.
@Suite struct NegotiatedAgainTests {
    private func settings(_ type: UInt8, rtx: UInt8?, rid id: UInt8) throws -> RTPStreamSettings {
        var settings = sampleSettings()
        settings.maximumPacketByteCount = 200
        settings.payloadType = PayloadType(type)
        settings.rid = StreamIdentifier("h")
        try settings.headerExtensions.set(.rid, id: id)
        settings.firstSequenceNumber = SequenceNumber(65530)
        settings.retransmission = rtx.map {
            RetransmissionSettings(
                ssrc: SSRC(0xABCD), payloadType: PayloadType($0), firstSequenceNumber: SequenceNumber(65535))
        }
        return settings
    }

    @Test func `Numbers go on, and nothing of before is retransmitted`() throws {
        var sender = try RTPStreamSender(settings(96, rtx: 97, rid: 4))
        let (before, again, after) = (CollectingSink(), CollectingSink(), CollectingSink())
        let payload = [UInt8](repeating: 7, count: 1500)
        let first = sender.send(.sample(0), payload: payload.span, at: .zero, to: before)
        #expect(sender.retransmit([first.firstSequenceNumber], at: .zero, to: again) == 1)
        let highest = sender.extendedHighestSequenceNumber
        #expect(highest == 65530 + UInt32(first.packetCount) - 1)
        try sender.change(settings(108, rtx: 109, rid: 11))
        #expect(sender.extendedHighestSequenceNumber == highest)
        // What is missing of before would have payload types that mean something else now.
        #expect(sender.retransmit([first.firstSequenceNumber], at: .zero, to: again) == 0)
        let second = sender.send(.sample(1), payload: payload.span, at: .zero, to: after)
        #expect(second.firstSequenceNumber == first.firstSequenceNumber.advanced(by: first.packetCount))
        for bytes in after.packets {
            let packet = try RTPPacket(parsing: bytes.span)
            #expect(packet.header.ssrc == sampleSSRC && packet.header.payloadType == PayloadType(108))
            guard let block = packet.headerExtension else { throw TestFailure("a packet without a RID") }
            var elements = block.elements
            let id = try elements.next()?.id
            #expect(id == 11)
        }
        #expect(sender.statistics.packetsSent == first.packetCount + second.packetCount + 1)
        #expect(sender.retransmit([second.firstSequenceNumber], at: .zero, to: again) == 1)
        let repairs = try again.packets.map { try RTPPacket(parsing: $0.span).header }
        #expect(repairs.map(\.sequenceNumber) == [SequenceNumber(65535), SequenceNumber(0)])
        #expect(repairs.map(\.payloadType) == [PayloadType(97), PayloadType(109)])
        #expect(repairs.allSatisfy { $0.ssrc == SSRC(0xABCD) })
    }

    @Test func `Retransmission that is negotiated again after a while goes on with its numbers`() throws {
        var sender = try RTPStreamSender(settings(96, rtx: 97, rid: 4))
        let (sink, again) = (CollectingSink(), CollectingSink())
        for rtx in [97, nil, 99] as [UInt8?] {
            try sender.change(settings(96, rtx: rtx, rid: 4))
            let sent = sender.send(.sample(0), payload: ([7] as [UInt8]).span, at: .zero, to: sink)
            _ = sender.retransmit([sent.firstSequenceNumber], at: .zero, to: again)
        }
        let headers = try again.packets.map { try RTPPacket(parsing: $0.span).header }
        #expect(headers.map(\.ssrc) == [SSRC(0xABCD), sampleSSRC, SSRC(0xABCD)])
        #expect([headers[0], headers[2]].map(\.sequenceNumber) == [SequenceNumber(65535), SequenceNumber(0)])
    }
}
