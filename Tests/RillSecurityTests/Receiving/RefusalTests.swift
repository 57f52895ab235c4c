import RillCore
import RillRTP
import RillSecurity
import RillTestSupport
import Testing

@Suite struct RefusalTests {
    private let ssrc = SSRC(0xCAFE)

    @Test(arguments: SRTPProfile.allCases)
    func `Another key opens nothing`(profile: SRTPProfile) throws {
        var protector = try SRTPProtector(.generate(profile))
        var unprotector = try SRTPUnprotector(.generate(profile))
        for number in 0..<50 {
            #expect(unprotector.opened(protector.protected(rtpPacket(number)).bytes).outcome == .authenticationFailed)
            #expect(unprotector.opened(protector.protected(rtcpPacket(number)).bytes).outcome == .authenticationFailed)
        }
        #expect(unprotector.statistics.authenticationFailed == 100 && unprotector.statistics.refused == 100)
        #expect(unprotector.sourceCount == 0 && unprotector.rolloverCounter(of: ssrc) == nil)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `A repeated packet is unprotected only once, in any order`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        var datagrams: [[UInt8]] = []
        for number in 65_500..<65_600 {
            datagrams.append(protector.protected(rtpPacket(number)).bytes)
            datagrams.append(protector.protected(rtcpPacket(number)).bytes)
        }
        var generator = SeededGenerator(seed: 5)
        // The first one determines the rollover counter; the rest come as they like.
        #expect(unprotector.opened(datagrams[0]).outcome != .replayed)
        for datagram in datagrams[1...].shuffled(using: &generator) {
            guard case .unprotected = unprotector.opened(datagram).outcome else { Issue.record("not opened"); continue }
        }
        for datagram in datagrams.shuffled(using: &generator) {
            #expect(unprotector.opened(datagram).outcome == .replayed)
        }
        #expect(unprotector.statistics.replayed == 200 && unprotector.statistics.refused == 200)
        #expect(unprotector.statistics.rtpPackets == 100 && unprotector.statistics.rtcpPackets == 100)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `A packet before the window is too old, one at its edge is not`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        var settings = UnprotectSettings()
        settings.windowPacketCount = 64
        var unprotector = try SRTPUnprotector(key, settings)
        let datagrams = (0..<200).map { protector.protected(rtpPacket($0)).bytes }
        let compounds = (0..<200).map { protector.protected(rtcpPacket($0)).bytes }
        _ = unprotector.opened(datagrams[199])
        _ = unprotector.opened(compounds[199])
        // Of 64 with the newest, 63 lie behind it.
        #expect(unprotector.opened(datagrams[136]).outcome == .unprotected(.rtp, byteCount: 112))
        #expect(unprotector.opened(datagrams[135]).outcome == .tooOld)
        // RTCP has libsrtp's own window of 128.
        #expect(unprotector.opened(compounds[72]).outcome == .unprotected(.rtcp, byteCount: 24))
        #expect(unprotector.opened(compounds[60]).outcome == .tooOld)
        #expect(unprotector.statistics.tooOld == 2 && unprotector.statistics.refused == 2)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `Truncated or damaged input is rejected, and causes no harm`(profile: SRTPProfile) throws {
        let identifier = profile == .aeadAES256GCM ? MasterKeyIdentifier(9) : nil
        let key = SRTPKey.generate(profile, identifier: identifier)
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        for packet in [rtpPacket(7, byteCount: 40), rtcpPacket(7)] {
            let datagram = protector.protected(packet).bytes
            for length in datagram.indices {
                let outcome = unprotector.opened(Array(datagram[..<length])).outcome
                #expect(
                    [.malformed, .authenticationFailed, .notEncrypted, .unknownKey, .notRTP, .tooOld, .replayed]
                        .contains(outcome), "\(length) bytes: \(outcome)")
            }
            for bit in 0..<(8 * datagram.count) {
                var changed = datagram
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(unprotector.opened(changed).bytes.isEmpty, "bit \(bit)")
            }
            #expect(unprotector.opened(datagram).bytes == packet)
        }
        let statistics = unprotector.statistics
        #expect(statistics.rtpPackets == 1 && statistics.rtcpPackets == 1 && unprotector.sourceCount == 1)
        #expect(statistics.failed == 0 && statistics.authenticationFailed > 500 && statistics.malformed > 20)
        #expect(identifier == nil || statistics.unknownKey > 30)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `RTCP that is not encrypted is never taken, however long`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        // Of these libsrtp would keep 2 KB as associated data, and open no RTCP of the source any more.
        for length in Array(30..<60) + Array(2030..<2080) {
            let datagram: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0xCA, 0xFE] + [UInt8](repeating: 0, count: length)
            #expect(unprotector.opened(datagram).outcome == .notEncrypted)
        }
        for number in 0..<10 {
            let packet = rtcpPacket(number)
            #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet)
        }
        #expect(unprotector.statistics.notEncrypted == 80)
    }

    @Test func `Packets other than RTP and RTCP are left unchanged`() throws {
        var unprotector = try SRTPUnprotector(.generate())
        // STUN, DTLS, and nothing.
        for datagram in [[0, 1, 0, 0] + Array(repeating: UInt8(7), count: 60), [22, 0xFE, 0xFD, 0, 0], [], [0x80]] {
            var bytes = datagram
            var span = bytes.mutableSpan
            #expect(unprotector.unprotect(&span) == .notRTP)
            #expect(bytes == datagram)
        }
        #expect(unprotector.statistics.notRTP == 4 && unprotector.statistics.refused == 0)
    }

    @Test func `Our own looped packets are rejected`() throws {
        let key = SRTPKey.generate()
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        unprotector.refuse(ssrc)
        unprotector.refuse(ssrc)
        for number in 0..<3 {
            #expect(unprotector.opened(protector.protected(rtpPacket(number)).bytes).outcome == .ownSource)
            #expect(unprotector.opened(protector.protected(rtcpPacket(number)).bytes).outcome == .ownSource)
            let theirs = rtpPacket(number, ssrc: SSRC(1))
            #expect(unprotector.opened(protector.protected(theirs).bytes).bytes == theirs)
        }
        #expect(unprotector.statistics.ownSource == 6)
    }

    @Test(.enabled(if: !isAddressSanitized, "freed memory is kept"))
    func `Forged packets of any number of sources take no memory`() throws {
        let key = SRTPKey.generate()
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key)
        var generator = SeededGenerator(seed: 1)
        func flood(_ count: Int) {
            for _ in 0..<count {
                var datagram: [UInt8] = [0x80, generator.next() % 2 == 0 ? 96 : 201]
                while datagram.count < 60 { datagram.append(UInt8(truncatingIfNeeded: generator.next())) }
                _ = unprotector.opened(datagram)
            }
        }
        // Other tests run beside, and take memory and give it back; what a source takes would be taken in every round:
        // libsrtp has more than a kilobyte for each.
        let growth = try (0..<10).map { _ in
            let before = try residentByteCount()
            flood(12_000)
            return try residentByteCount() - before
        }
        #expect(try #require(growth.min()) < 4 << 20, "\(growth)")
        #expect(unprotector.sourceCount == 0 && unprotector.statistics.refused == 120_000)
        // A genuine one is opened as before.
        let packet = rtpPacket(1)
        #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet)
    }
}
