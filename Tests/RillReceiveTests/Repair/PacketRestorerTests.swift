import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@Suite struct PacketRestorerTests {
    private func packet(
        _ number: UInt16, type: PayloadType = ProtectedStream.media, ssrc: SSRC = ProtectedStream.ssrc,
        payload: [UInt8] = [1, 2, 3], padding: Int = 0
    ) -> [UInt8] {
        let header = RTPHeader(
            marker: false, payloadType: type, sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(9000),
            ssrc: ssrc)
        let packet = RTPPacket(header: header, payload: payload.span, paddingByteCount: padding)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }

    // MARK: What needs no repair

    @Test func `Packets that need no restoration pass unchanged`() throws {
        for repair in [RepairSettings(), ProtectedStream.repair] {
            var log = RestorerLog(repair)
            let datagrams = [
                packet(7), packet(8, ssrc: SSRC(5)), packet(9, type: PayloadType(111)), packet(10, padding: 4), [],
                [0x80],
                [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
            ]
            for datagram in datagrams {
                let result = log.insert(datagram)
                #expect(result == .media)
            }
            #expect(log.bytes(.network) == datagrams)
            #expect(log.statistics == RepairStatistics())
        }
    }

    // MARK: Retransmissions

    @Test func `Retransmitted packets equal the originals`() throws {
        let stream = try ProtectedStream(frames: 20)
        var log = RestorerLog()
        var byteCount = 0
        for (number, datagram) in stream.again.sorted(by: { $0.key < $1.key }) {
            let before = log.media.count
            let result = log.insert(datagram)
            #expect(result == .retransmission)
            #expect(log.media.count == before + 1 && log.media[before].bytes == stream.originals[number])
            #expect(log.media[before].origin == .retransmission)
            byteCount += datagram.count - 12 - 2
        }
        #expect(log.statistics.retransmittedPacketsReceived == stream.originals.count)
        #expect(log.statistics.retransmittedBytesReceived == byteCount)
        #expect(log.withoutMedia.isEmpty)
    }

    @Test func `Padding and foreign packets on the retransmission stream are distinguished`() throws {
        var repair = RepairSettings()
        repair.retransmission = .init(ssrc: ProtectedStream.rtxSSRC, payloadType: ProtectedStream.rtx)
        var log = RestorerLog(repair)
        let (rtx, ssrc) = (ProtectedStream.rtx, ProtectedStream.rtxSSRC)
        #expect(log.insert(packet(1, type: rtx, ssrc: ssrc, payload: [], padding: 200)) == .padding)
        #expect(log.insert(packet(2, type: ProtectedStream.media, ssrc: ssrc)) == .unassigned)
        let cut = log.insert(packet(3, type: rtx, ssrc: ssrc, payload: [9]))
        #expect(cut == .malformed(.truncated(needed: 2, available: 1)))
        #expect(log.media.isEmpty)
        #expect(log.insert(packet(4, type: rtx, ssrc: ssrc, payload: [0xAB, 0xCD, 1, 2, 3])) == .retransmission)
        #expect(log.bytes(.retransmission) == [packet(0xABCD)])
        #expect(log.statistics.paddingPacketsReceived == 1 && log.statistics.malformedPackets == 1)
        #expect(log.statistics.retransmittedPacketsReceived == 1 && log.statistics.retransmittedBytesReceived == 3)
    }

    @Test func `Whose they are is known from the stream's first packet on`() throws {
        var repair = RepairSettings()
        repair.retransmission = .init(ssrc: ProtectedStream.rtxSSRC, payloadType: ProtectedStream.rtx)
        var log = RestorerLog(repair, ssrc: nil)
        let again = packet(4, type: ProtectedStream.rtx, ssrc: ProtectedStream.rtxSSRC, payload: [0, 7, 1, 2, 3])
        #expect(log.insert(again) == .unassigned)
        log.insert(packet(8))
        #expect(log.insert(again) == .retransmission)
        #expect(log.bytes(.retransmission) == [packet(7)])
    }

    @Test func `The original type can be agreed on`() throws {
        var repair = ProtectedStream.repair
        repair.retransmission?.originalPayloadType = ProtectedStream.media
        var log = RestorerLog(repair)
        log.insert(packet(4, type: ProtectedStream.rtx, ssrc: ProtectedStream.rtxSSRC, payload: [0, 7, 1, 2, 3]))
        #expect(log.bytes(.retransmission) == [packet(7)])
    }

    // MARK: RED

    @Test func `Packets are extracted from RED, and FEC packets leave no gap`() throws {
        let stream = try ProtectedStream(frames: 30)
        var log = RestorerLog()
        for datagram in stream.datagrams { log.insert(datagram) }
        let numbers = stream.datagrams.map(ProtectedStream.number)
        #expect(log.bytes(.network) == numbers.compactMap { stream.originals[$0] })
        #expect(log.withoutMedia.map(\.rawValue) == numbers.filter(stream.fecPackets.contains))
        #expect(log.bytes(.fec).isEmpty)
        #expect(log.statistics.fecPacketsReceived == stream.fecPackets.count && stream.fecPackets.count > 30)
        // Nothing was missing: none of them was of use.
        #expect(log.statistics.fecPacketsDiscarded == stream.fecPackets.count)
        let fecByteCount = stream.datagrams.filter { stream.fecPackets.contains(ProtectedStream.number(of: $0)) }
        #expect(log.statistics.fecBytesReceived == fecByteCount.reduce(0) { $0 + $1.count - 13 })
    }

    @Test func `Empty and damaged RED is counted`() throws {
        var log = RestorerLog()
        #expect(log.insert(packet(5, type: ProtectedStream.red, payload: [], padding: 9)) == .padding)
        #expect(log.withoutMedia == [SequenceNumber(5)])
        let damaged = log.insert(packet(6, type: ProtectedStream.red, payload: [0x80 | 96, 0, 0]))
        guard case .malformed = damaged else {
            Issue.record("\(damaged)")
            return
        }
        // RED in RED is not a packet of the stream: the buffer rejects it.
        log.insert(packet(7, type: ProtectedStream.red, payload: [ProtectedStream.red.rawValue, 96, 1, 2]))
        #expect(log.bytes(.network) == [packet(7, type: ProtectedStream.red, payload: [96, 1, 2])])
        // Redundant blocks are passed over.
        log.insert(packet(8, type: ProtectedStream.red, payload: [0x80 | 96, 0, 0, 2, 96, 9, 9, 1, 2, 3]))
        #expect(log.media.last?.bytes == packet(8))
        #expect(log.statistics.malformedPackets == 1 && log.statistics.paddingPacketsReceived == 1)
    }
}
