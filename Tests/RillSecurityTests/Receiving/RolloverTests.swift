import RillRTP
import RillSecurity
import Testing

@Suite struct RolloverTests {
    private let ssrc = SSRC(0xCAFE)

    /// A protector that has sent `count` packets.
    private func sender(_ key: SRTPKey, after count: Int) throws -> SRTPProtector {
        var protector = try SRTPProtector(key)
        // Every 1000th: libsrtp takes the short way round as we do.
        for number in stride(from: 0, to: count, by: 1000) { _ = protector.protected(rtpPacket(number, byteCount: 1)) }
        return protector
    }

    @Test(arguments: SRTPProfile.allCases)
    func `Who joins late is let in up to the eighth wrap`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        for number in stride(from: 0, to: 10 << 16, by: 0x4000) {
            let packet = rtpPacket(number)
            let datagram = protector.protected(packet).bytes
            var late = try SRTPUnprotector(key)
            let (outcome, bytes) = late.opened(datagram)
            if number >> 16 <= 8 {
                #expect(bytes == packet && late.rolloverCounter(of: ssrc) == UInt32(number >> 16), "\(number)")
                #expect(late.opened(datagram).outcome == .replayed)
            } else {
                #expect(outcome == .authenticationFailed && late.sourceCount == 0, "\(number)")
            }
            #expect(late.statistics.rolloverSearches == (number >> 16 == 0 ? 0 : 1))
        }
    }

    @Test func `Without a search late joining fails, unless the counter is given`() throws {
        let key = SRTPKey.generate()
        var protector = try sender(key, after: 20 << 16)
        #expect(protector.rolloverCounter(of: ssrc) == 19)
        var settings = UnprotectSettings()
        settings.maximumSearchedRolloverCounter = 0
        let next = 20 << 16 - 500
        for told in [nil, 18, 19, 20, 21] as [UInt32?] {
            var late = try SRTPUnprotector(key, settings)
            if let told { late.expect(ssrc, rolloverCounter: told) }
            let packet = rtpPacket(next + Int(told ?? 0))
            let isOpened = late.opened(protector.protected(packet).bytes).bytes == packet
            #expect(isOpened == (told == UInt32(next >> 16)), "\(String(describing: told))")
        }
    }

    @Test func `A given counter is off by one if the numbers have wrapped meanwhile`() throws {
        let key = SRTPKey.generate()
        var protector = try sender(key, after: 20 << 16)
        for told in [19, 21] as [UInt32] {
            var late = try SRTPUnprotector(key)
            late.expect(ssrc, rolloverCounter: told)
            #expect(late.rolloverCounter(of: ssrc) == told && late.sourceCount == 1)
            let packet = rtpPacket(20 << 16 + Int(told))
            #expect(late.opened(protector.protected(packet).bytes).bytes == packet)
            #expect(late.rolloverCounter(of: ssrc) == 20)
        }
    }

    @Test func `RTCP that arrives first does not determine the counter`() throws {
        let key = SRTPKey.generate()
        var protector = try sender(key, after: 3 << 16)
        var late = try SRTPUnprotector(key)
        let compound = rtcpPacket(1)
        #expect(late.opened(protector.protected(compound).bytes).bytes == compound)
        for number in (3 << 16)..<(3 << 16 + 10) {
            let packet = rtpPacket(number)
            #expect(late.opened(protector.protected(packet).bytes).bytes == packet, "\(number)")
        }
        #expect(late.rolloverCounter(of: ssrc) == 3 && late.sourceCount == 1)
    }

    @Test func `In a flood of forged packets, searches are few, and a late joiner gets in`() throws {
        let key = SRTPKey.generate()
        var protector = try sender(key, after: 5 << 16)
        var late = try SRTPUnprotector(key)
        var joined: Int?
        for round in 0..<100 {
            for number in 0..<100 {
                var forged = rtpPacket(number, ssrc: SSRC(UInt32(round * 100 + number)))
                forged += [UInt8](repeating: 1, count: 16)
                #expect(late.opened(forged).outcome == .authenticationFailed)
            }
            let packet = rtpPacket(5 << 16 + round)
            if late.opened(protector.protected(packet).bytes).bytes == packet, joined == nil { joined = round }
        }
        #expect(joined.map { $0 < 70 } ?? false, "\(String(describing: joined))")
        #expect((100...400).contains(late.statistics.rolloverSearches), "\(late.statistics.rolloverSearches)")
    }

    @Test(arguments: [0, 1, 127, 128, 32_767, 32_768, 65_534, 65_535])
    func `A stream starts with any number, and wraps`(start: Int) throws {
        for profile in SRTPProfile.allCases {
            let key = SRTPKey.generate(profile)
            var protector = try SRTPProtector(key)
            var unprotector = try SRTPUnprotector(key)
            for number in stride(from: start, to: start + 200_000, by: 997) {
                // The second of each two comes before the first.
                let pair = [number, number + 1].map { protector.protected(rtpPacket($0)).bytes }
                let isFirst = number == start
                for (datagram, number) in isFirst
                    ? [(pair[0], number), (pair[1], number + 1)] : [(pair[1], number + 1), (pair[0], number)]
                {
                    #expect(unprotector.opened(datagram).bytes == rtpPacket(number), "\(profile) \(number)")
                }
            }
            #expect(unprotector.rolloverCounter(of: ssrc) == protector.rolloverCounter(of: ssrc))
        }
    }
}
