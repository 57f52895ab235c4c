import RillCore
import RillRTP
import RillSecurity
import RillTestSupport
import Testing

/// A sender may change its SSRC as often as it likes; an attacker without its key evicts nothing.
@Suite struct FormerSourceTests {
    private let key = SRTPKey.generate()

    private func settings(_ limit: Int = 10, formers: Int = 1000) -> UnprotectSettings {
        var settings = UnprotectSettings()
        (settings.maximumSourceCount, settings.maximumFormerSourceCount) = (limit, formers)
        return settings
    }

    @Test(arguments: [SRTPProfile.aeadAES128GCM, .aesCM128Tag80])
    func `A sender that changes its SSRC continues, and the source that was silent longest is evicted`(
        profile: SRTPProfile
    ) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key, settings())
        for source in 0..<300 {
            for number in 0..<3 {
                let packet = rtpPacket(number, ssrc: SSRC(UInt32(source)))
                #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet, "\(source)")
                let report = rtcpPacket(number, ssrc: SSRC(UInt32(source)))
                #expect(unprotector.opened(protector.protected(report).bytes).bytes == report, "\(source)")
            }
            // This one goes on beside them, and keeps its place.
            let other = rtpPacket(source, ssrc: SSRC(0xCAFE))
            #expect(unprotector.opened(protector.protected(other).bytes).bytes == other)
        }
        #expect(unprotector.sourceCount == 10 && unprotector.formerSourceCount == 291)
        #expect(unprotector.statistics.sourcesDisplaced == 291 && unprotector.statistics.refused == 0)
    }

    @Test func `A displaced source comes back where it left off, with any rollover counter`() throws {
        for start in [0, 1, 32_767, 65_530, 65_536, 3 * 65_536 + 17] {
            var protector = try SRTPProtector(key)
            var unprotector = try SRTPUnprotector(key, settings())
            // The sender's numbers wrap on the way, which both sides follow.
            for number in stride(from: 0, to: start, by: 8192) { _ = protector.protected(rtpPacket(number)) }
            unprotector.expect(SSRC(0xCAFE), rolloverCounter: UInt32(start >> 16))
            for round in 0..<3 {
                for number in start + 10 * round..<start + 10 * round + 10 {
                    let packet = rtpPacket(number)
                    #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet, "\(number)")
                }
                for source in 0..<10 {
                    let other = rtpPacket(round, ssrc: SSRC(UInt32(source)))
                    #expect(unprotector.opened(protector.protected(other).bytes).bytes == other)
                }
                let (isKnown, counter) = (
                    unprotector.isKnown(SSRC(0xCAFE)), unprotector.rolloverCounter(of: SSRC(0xCAFE))
                )
                #expect(isKnown && counter == UInt32((start + 10 * round + 9) >> 16))
            }
            #expect(unprotector.statistics.refused == 0)
        }
    }

    @Test(arguments: [SRTPProfile.aeadAES128GCM, .aesCM128Tag80])
    func `Nothing of a displaced source can be replayed, nor displaces another`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile)
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key, settings())
        var captured: [[UInt8]] = []
        for source in 0..<40 {
            for number in 0..<5 {
                captured.append(protector.protected(rtpPacket(number, ssrc: SSRC(UInt32(source)))).bytes)
                captured.append(protector.protected(rtcpPacket(number, ssrc: SSRC(UInt32(source)))).bytes)
            }
        }
        for datagram in captured { #expect(!unprotector.opened(datagram).bytes.isEmpty) }
        let displaced = unprotector.statistics.sourcesDisplaced
        #expect(displaced == 30)
        for datagram in captured + captured.reversed() { #expect(unprotector.opened(datagram).bytes.isEmpty) }
        #expect(unprotector.statistics.sourcesDisplaced == displaced && unprotector.formerSourceCount == 30)
    }

    @Test func `A source that returns refuses packets from before its eviction`() throws {
        var protector = try SRTPProtector(key)
        // It comes back by RTP, or by RTCP.
        for isRTP in [true, false] {
            var unprotector = try SRTPUnprotector(key, settings())
            let ssrc = SSRC(isRTP ? 1000 : 1001)
            var captured: [[UInt8]] = []
            for number in 0..<20 {
                captured.append(protector.protected(rtpPacket(number, ssrc: ssrc)).bytes)
                captured.append(protector.protected(rtcpPacket(number, ssrc: ssrc)).bytes)
            }
            for datagram in captured { #expect(!unprotector.opened(datagram).bytes.isEmpty) }
            for source in 0..<10 {
                let other = rtpPacket(isRTP ? 1 : 2, ssrc: SSRC(UInt32(source)))
                #expect(!unprotector.opened(protector.protected(other).bytes).bytes.isEmpty)
            }
            #expect(unprotector.formerSourceCount == 1)
            let next = isRTP ? rtpPacket(20, ssrc: ssrc) : rtcpPacket(20, ssrc: ssrc)
            #expect(unprotector.opened(protector.protected(next).bytes).bytes == next)
            #expect(unprotector.formerSourceCount == 1 && unprotector.statistics.sourcesDisplaced == 2)
            for datagram in captured { #expect(unprotector.opened(datagram).bytes.isEmpty, "\(isRTP)") }
            // Its new packets arrive, of both kinds.
            let (media, report) = (rtpPacket(21, ssrc: ssrc), rtcpPacket(21, ssrc: ssrc))
            #expect(unprotector.opened(protector.protected(media).bytes).bytes == media)
            #expect(unprotector.opened(protector.protected(report).bytes).bytes == report)
        }
    }

    @Test func `Forged packets of former sources displace nothing and leave nothing behind`() throws {
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key, settings())
        for source in 0..<100 {
            let ssrc = SSRC(UInt32(source))
            unprotector.expect(ssrc, rolloverCounter: 2)
            for number in [0, 30_000, 60_000, 70_000, 100_000, 131_100] {
                let bytes = protector.protected(rtpPacket(number, ssrc: ssrc)).bytes
                if number > 131_072 { #expect(!unprotector.opened(bytes).bytes.isEmpty) }
            }
        }
        let before = unprotector.statistics.sourcesDisplaced
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let ssrc = SSRC(UInt32.random(in: 0..<100, using: &generator))
            var forged = rtpPacket(.random(in: 0..<65_536, using: &generator), ssrc: ssrc)
            if generator.next() % 2 == 0 { forged = rtcpPacket(1, ssrc: ssrc) }
            forged += (0..<20).map { _ in UInt8.random(in: 0x80 ... .max, using: &generator) }
            #expect(unprotector.opened(forged).bytes.isEmpty)
        }
        #expect(unprotector.statistics.sourcesDisplaced == before)
        // All of them go on.
        for source in 0..<100 {
            let packet = rtpPacket(131_101, ssrc: SSRC(UInt32(source)))
            #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet, "\(source)")
        }
    }

    @Test(.enabled(if: !isAddressSanitized, "freed memory is kept"))
    func `Forged packets of a former source with a rollover counter take no memory`() throws {
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key, settings(1))
        unprotector.expect(SSRC(1), rolloverCounter: 2)
        for number in stride(from: 0, through: 131_072, by: 16_384) {
            let bytes = protector.protected(rtpPacket(number, ssrc: SSRC(1))).bytes
            if number == 131_072 { #expect(!unprotector.opened(bytes).bytes.isEmpty) }
        }
        #expect(!unprotector.opened(protector.protected(rtpPacket(0, ssrc: SSRC(2))).bytes).bytes.isEmpty)
        #expect(unprotector.formerSourceCount == 1)
        func flood(_ count: Int) {
            for number in 0..<count {
                let forged = rtpPacket(1 + number % 1000, ssrc: SSRC(1)) + Array(repeating: 7, count: 16)
                _ = unprotector.opened(forged)
            }
        }
        // As above: a stream with a rollover counter takes 20 KB.
        let growth = try (0..<10).map { _ in
            let before = try residentByteCount()
            flood(1000)
            return try residentByteCount() - before
        }
        #expect(try #require(growth.min()) < 4 << 20, "\(growth)")
        #expect(unprotector.statistics.authenticationFailed == 10_000)
    }

    @Test func `Beyond all limits new sources are refused and counted, and all known ones go on`() throws {
        var protector = try SRTPProtector(key)
        var unprotector = try SRTPUnprotector(key, settings(10, formers: 5))
        for number in 0..<3 {
            for source in 0..<20 {
                let packet = rtpPacket(number, ssrc: SSRC(UInt32(source)))
                let (outcome, bytes) = unprotector.opened(protector.protected(packet).bytes)
                #expect(source < 15 ? bytes == packet : outcome == .tooManySources, "\(source)")
            }
        }
        #expect(unprotector.sourceCount == 10 && unprotector.formerSourceCount == 5)
        #expect(unprotector.statistics.tooManySources == 15)
    }

    @Test func `A key's removal ends the RTCP replay state of evicted sources`() throws {
        let keys = (1...2).map { SRTPKey.generate(identifier: MasterKeyIdentifier($0, byteCount: 2)) }
        let (first, second) = (keys[0], keys[1])
        var protector = try SRTPProtector(first)
        var unprotector = try SRTPUnprotector(first, settings())
        try unprotector.add(second)
        func exchange(_ numbers: Range<Int>, _ sources: Range<Int>) {
            for source in sources {
                for number in numbers {
                    let (media, report) = (
                        rtpPacket(number, ssrc: SSRC(UInt32(source))), rtcpPacket(number, ssrc: SSRC(UInt32(source)))
                    )
                    #expect(unprotector.opened(protector.protected(media).bytes).bytes == media, "\(source)")
                    #expect(unprotector.opened(protector.protected(report).bytes).bytes == report, "\(source)")
                }
            }
        }
        exchange(0..<5, 0..<30)
        // Its SRTCP indices begin from the start again.
        try protector.change(to: second)
        exchange(5..<7, 0..<30)
        let removed = unprotector.remove(try #require(first.identifier))
        #expect(removed)
        exchange(7..<9, 0..<30)
        #expect(unprotector.statistics.refused == 0)
    }
}
