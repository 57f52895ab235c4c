import RillCore
import RillRTP
import Testing

@testable import RillPeer

/// Which section a packet of sound belongs to (RFC 9143 §9.2).
@Suite struct PacketSectionsTests {
    private static let opus = RTPFormat.Encoding("opus", clockRate: 48000, channels: "2")

    private func section(
        _ transceiver: TransceiverID, mid: String, _ types: [UInt8], ssrc: UInt32? = nil,
        _ kind: MediaDescription.Kind = .audio
    ) throws -> NegotiatedSection {
        var stream = StreamDescription(PayloadType(types[0]), PacketSectionsTests.opus)
        stream.ssrc = ssrc.map { SSRC($0) }
        try stream.headerExtensions.set(.mid, id: 4)
        return NegotiatedSection(
            transceiver: transceiver, mid: mid, index: 0, kind: kind, direction: .receiveOnly, sending: [],
            receiving: [stream], formats: types.map { RTPFormat(PayloadType($0), encoding: PacketSectionsTests.opus) },
            remoteFormats: [])
    }

    private func packet(_ type: UInt8, of ssrc: UInt32, mid: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = [mid == nil ? 0x80 : 0x90, type, 0, 1, 0, 0, 0, 0]
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: ssrc >> shift)) }
        if let mid {
            precondition(mid.utf8.count == 1)
            bytes += [0xBE, 0xDE, 0, 1, 4 << 4, mid.utf8.first ?? 0, 0, 0]
        }
        return bytes + [1, 2, 3]
    }

    private func transceivers(_ count: Int) throws -> [TransceiverID] {
        var negotiator = Negotiator(seed: 1)
        return try (0..<count).map { _ in try negotiator.addTransceiver(TransceiverSettings(.audio)) }
    }

    @Test func `The MID decides, then the SSRC that it named, then the first section of the payload type`() throws {
        let ids = try transceivers(3)
        var sections = PacketSections([
            try section(ids[0], mid: "a", [111]), try section(ids[1], mid: "b", [111, 9]),
            try section(ids[2], mid: "c", [112]),
        ])
        func owner(_ bytes: [UInt8]) -> TransceiverID? { sections.owner(of: bytes.span) }
        #expect(owner(packet(111, of: 1)) == ids[0])
        #expect(owner(packet(111, of: 2, mid: "b")) == ids[1])
        // Browsers name the section until they know that it was understood.
        #expect(owner(packet(111, of: 2)) == ids[1])
        #expect(owner(packet(111, of: 1)) == ids[0])
        #expect(owner(packet(111, of: 2, mid: "a")) == ids[0] && owner(packet(111, of: 2)) == ids[0])
        // A payload type of one section alone needs nothing else, and a MID of another section does not change it.
        #expect(owner(packet(9, of: 7)) == ids[1] && owner(packet(112, of: 7, mid: "a")) == ids[2])
        #expect(owner(packet(111, of: 8, mid: "x")) == ids[0])
        #expect(owner(packet(96, of: 1)) == nil && owner([0x80]) == nil)
        #expect(owner(packet(111, of: 5).prefix(9).map(\.self)) == ids[0])
    }

    @Test func `Signaling names SSRCs, and a stranger's displace each other`() throws {
        let ids = try transceivers(2)
        var sections = PacketSections([
            try section(ids[0], mid: "a", [111], ssrc: 5), try section(ids[1], mid: "b", [111], ssrc: 6),
        ])
        func owner(_ bytes: [UInt8]) -> TransceiverID? { sections.owner(of: bytes.span) }
        #expect(owner(packet(111, of: 6)) == ids[1] && owner(packet(111, of: 5)) == ids[0])
        for ssrc in 100..<100 + UInt32(10 * PacketSections.sourceLimit) {
            #expect(owner(packet(111, of: ssrc, mid: "b")) == ids[1])
        }
        // The newest are known, and the oldest forgotten.
        let last = 99 + UInt32(10 * PacketSections.sourceLimit)
        #expect(owner(packet(111, of: last)) == ids[1] && owner(packet(111, of: 100)) == ids[0])
    }

    @Test func `Sections of video have no packets`() throws {
        let ids = try transceivers(1)
        var sections = PacketSections([try section(ids[0], mid: "a", [96], .video)])
        let bytes = packet(96, of: 1)
        let owner = sections.owner(of: bytes.span)
        #expect(owner == nil)
    }
}
