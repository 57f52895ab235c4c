import RillRTP
import RillSecurity
import Testing

@Suite struct ProtectionTests {
    static let profiles = SRTPProfile.allCases
    private static let identifiers = [
        nil, MasterKeyIdentifier(7, byteCount: 4), MasterKeyIdentifier(0xFE, byteCount: 1),
    ]

    @Test(arguments: profiles, identifiers.indices)
    func `Packets equal an implementation of the RFCs, byte for byte`(profile: SRTPProfile, place: Int) throws {
        let identifier = Self.identifiers[place]
        let key = SRTPKey.generate(profile, identifier: identifier)
        let reference = SRTPReference(key)
        let mki = identifier.map { Array(bigEndian($0.value).suffix($0.byteCount)) } ?? []
        var protector = try SRTPProtector(key)
        // Over a wrap of the sequence numbers.
        for number in 65_530..<65_545 {
            let packet = rtpPacket(number, byteCount: number % 40)
            let expected = reference.protect(
                packet, headerByteCount: 12, rolloverCounter: UInt32(number >> 16), identifier: mki)
            let (outcome, bytes) = protector.protected(packet)
            #expect(bytes == expected && outcome == .protected(byteCount: expected.count), "\(number)")
            // The first one has index 1 in libsrtp; RFC 3711 §3.4 asks for nothing but that it counts up.
            let compound = rtcpPacket(number)
            let index = UInt32(number - 65_529)
            #expect(protector.protected(compound).bytes == reference.protect(compound, index: index, identifier: mki))
        }
        #expect(protector.statistics.rtpPackets == 15 && protector.statistics.rtcpPackets == 15)
        #expect(protector.rolloverCounter(of: SSRC(0xCAFE)) == 1 && protector.rolloverCounter(of: SSRC(1)) == nil)
    }

    @Test(arguments: profiles, identifiers.indices)
    func `Protected packets are unprotected`(profile: SRTPProfile, place: Int) throws {
        let key = SRTPKey.generate(profile, identifier: Self.identifiers[place])
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        for number in 0..<200 {
            let ssrc = SSRC(UInt32(number % 5))
            let packet = rtpPacket(65_400 + number, ssrc: ssrc, byteCount: number * 7)
            let (outcome, opened) = unprotector.opened(protector.protected(packet).bytes)
            #expect(opened == packet && outcome == .unprotected(.rtp, byteCount: packet.count))
            let compound = rtcpPacket(number, ssrc: ssrc)
            #expect(unprotector.opened(protector.protected(compound).bytes).bytes == compound)
        }
        #expect(unprotector.statistics.rtpPackets == 200 && unprotector.statistics.rtcpPackets == 200)
        #expect(unprotector.statistics.refused == 0 && unprotector.sourceCount == 5)
        #expect(protector.profile == profile && unprotector.profile == profile)
    }

    @Test(arguments: profiles)
    func `Header extensions and contributing sources stay readable, and are authenticated`(profile: SRTPProfile) throws
    {
        let key = SRTPKey.generate(profile)
        let words: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let sources = [SSRC(1), SSRC(2)]
        let header = RTPHeader(
            marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(9), timestamp: RTPTimestamp(1),
            ssrc: SSRC(3))
        let payload: [UInt8] = [9, 8, 7]
        let packet = [UInt8](capacity: 100) { output in
            RTPPacket(
                header: header, csrcs: WireList(sources.span),
                headerExtension: RTPHeaderExtension(profile: 0xBEDE, data: words.span), payload: payload.span,
                paddingByteCount: 5
            ).write(into: &output)
        }
        var protector = try SRTPProtector(key)
        let datagram = protector.protected(packet).bytes
        #expect(Array(datagram[..<32]) == Array(packet[..<32]))
        #expect(datagram == SRTPReference(key).protect(packet, headerByteCount: 32, rolloverCounter: 0))
        for place in datagram.indices {
            var unprotector = try SRTPUnprotector(key)
            var changed = datagram
            changed[place] ^= 0x10
            #expect(unprotector.opened(changed).bytes.isEmpty, "byte \(place)")
            #expect(unprotector.opened(datagram).bytes == packet, "byte \(place)")
        }
    }

    @Test func `A datagram keeps its content, and rejected packets add nothing`() throws {
        var protector = try SRTPProtector(.generate())
        #expect(protector.overhead == 20)
        let packet = rtpPacket(1)
        var outcomes: [ProtectOutcome] = []
        let datagram = [UInt8](capacity: 1000) { output in
            output.append(42)
            outcomes.append(protector.protect(packet.span, into: &output))
            outcomes.append(protector.protect(packet.span, into: &output))
            outcomes.append(protector.protect([0x80, 96, 0].span, into: &output))
            outcomes.append(protector.protect([0x80, 201, 0, 1, 0, 0, 0].span, into: &output))
            outcomes.append(protector.protect([0x00, 1, 0, 0].span, into: &output))
        }
        #expect(datagram.count == 1 + packet.count + 16 && datagram[0] == 42)
        #expect(
            outcomes == [.protected(byteCount: packet.count + 16), .repeated, .malformed, .malformed, .malformed])
        #expect(protector.statistics.repeated == 1 && protector.statistics.malformed == 3)
    }

    @Test(arguments: profiles)
    func `No number is protected twice, nor one before the window`(profile: SRTPProfile) throws {
        var protector = try SRTPProtector(.generate(profile))
        for number in 0..<2000 { #expect(protector.protected(rtpPacket(number)).outcome != .repeated) }
        for number in [1999, 1998, 1000] { #expect(protector.protected(rtpPacket(number)).outcome == .repeated) }
        #expect(protector.protected(rtpPacket(10)).outcome == .tooOld)
        #expect(protector.statistics.rtpPackets == 2000 && protector.statistics.repeated == 3)
        #expect(protector.statistics.tooOld == 1)
    }
}
