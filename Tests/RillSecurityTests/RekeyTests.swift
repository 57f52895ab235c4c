import RillCore
import RillRTP
import RillSecurity
import Testing

@Suite struct RekeyTests {
    private func key(_ number: Int, _ profile: SRTPProfile = .aeadAES128GCM) -> SRTPKey {
        .generate(profile, identifier: MasterKeyIdentifier(UInt64(number), byteCount: 2))
    }

    /// 50 keys in a stream that wraps, is reordered and loses a tenth: every packet that arrived was unprotected
    /// once.
    @Test(arguments: SRTPProfile.allCases)
    func `Fifty changes of the key lose nothing`(profile: SRTPProfile) throws {
        let keys = (0...50).map { key($0, profile) }
        var protector = try SRTPProtector(keys[0])
        var unprotector = try SRTPUnprotector(keys[0])
        var generator = SeededGenerator(seed: 50)
        var (underway, replays): ([(packet: [UInt8], datagram: [UInt8])], [[UInt8]]) = ([], [])
        var (opened, lost, sent) = (0, 0, 0)
        for (place, next) in keys.dropFirst().enumerated() {
            try unprotector.add(next)
            // 3000 a key: the numbers wrap under the 22nd and the 43rd, and in between are packets of two keys at once.
            for step in 0..<300 {
                if step == 150 { try protector.change(to: next) }
                for ssrc in [SSRC(1), SSRC(2)] {
                    let number = 1000 * place * 3 + step * 10
                    for packet in [rtpPacket(number, ssrc: ssrc, byteCount: 20), rtcpPacket(number, ssrc: ssrc)] {
                        let (outcome, datagram) = protector.protected(packet)
                        #expect(outcome == .protected(byteCount: datagram.count))
                        sent += 1
                        if generator.next() % 10 == 0 { lost += 1 } else { underway.append((packet, datagram)) }
                    }
                }
                // The oldest few come in any order, up to a dozen late.
                while underway.count > 12 {
                    let index = Int(generator.next() % 6)
                    let (packet, datagram) = underway.remove(at: index)
                    let (outcome, bytes) = unprotector.opened(datagram)
                    #expect(bytes == packet, "key \(place), step \(step): \(outcome)")
                    opened += 1
                    if step % 50 == 49 { replays.append(datagram) }
                }
                while let replay = replays.popLast() { #expect(unprotector.opened(replay).outcome == .replayed) }
            }
            #expect(removed(MasterKeyIdentifier(UInt64(place), byteCount: 2), from: &unprotector))
        }
        #expect(opened + lost + underway.count == sent && lost > 1000)
        #expect(unprotector.statistics.rtpPackets + unprotector.statistics.rtcpPackets == opened)
        #expect(
            unprotector.statistics.refused == unprotector.statistics.replayed && protector.statistics.keyChanges == 50)
        #expect(unprotector.rolloverCounter(of: SSRC(1)) == protector.rolloverCounter(of: SSRC(1)))
        #expect(protector.rolloverCounter(of: SSRC(1)) == 2 && unprotector.sourceCount == 2)
    }

    @Test(arguments: SRTPProfile.allCases)
    func `A change of the key opens no packet for the second time`(profile: SRTPProfile) throws {
        let (old, new) = (key(1, profile), key(2, profile))
        var protector = try SRTPProtector(old)
        var unprotector = try SRTPUnprotector(old)
        let datagrams = (0..<20).map { protector.protected(rtpPacket($0)).bytes }
        for datagram in datagrams { _ = unprotector.opened(datagram) }
        try unprotector.add(new)
        try protector.change(to: new)
        for datagram in datagrams { #expect(unprotector.opened(datagram).outcome == .replayed) }
        let packet = rtpPacket(20)
        #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet)
        for datagram in datagrams { #expect(unprotector.opened(datagram).outcome == .replayed) }
        #expect(removed(MasterKeyIdentifier(1, byteCount: 2), from: &unprotector))
        for datagram in datagrams { #expect(unprotector.opened(datagram).outcome == .unknownKey) }
    }

    @Test(arguments: [1, 65_500, 65_535, 3 << 16 - 1])
    func `Around a wrap, RTCP first, and forgeries under the new key`(last: Int) throws {
        let (old, new) = (key(1), key(2))
        var protector = try SRTPProtector(old)
        var unprotector = try SRTPUnprotector(old)
        for number in stride(from: last % 1000, through: last, by: 1000) {
            _ = unprotector.opened(protector.protected(rtpPacket(number)).bytes)
        }
        try unprotector.add(new)
        try protector.change(to: new)
        let compound = rtcpPacket(1)
        #expect(unprotector.opened(protector.protected(compound).bytes).bytes == compound)
        let packets = (1...6).map { rtpPacket(last + 9 * $0) }
        let datagrams = packets.map { protector.protected($0).bytes }
        // A forged packet that names the new key must not change anything.
        for shift in [1, 0x4000, 0x8000] {
            var forged = datagrams[0]
            let number = UInt16(truncatingIfNeeded: last + shift)
            (forged[2], forged[3]) = (UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
            #expect(unprotector.opened(forged).bytes.isEmpty)
        }
        // The second one comes before the first.
        for place in [1, 0, 2, 4, 3, 5] {
            #expect(unprotector.opened(datagrams[place]).bytes == packets[place], "\(last): \(place)")
        }
        #expect(unprotector.statistics.rolloverSearches == 0)
    }

    @Test func `Keys that packets cannot distinguish are refused`() throws {
        let identifier = MasterKeyIdentifier(1, byteCount: 2)
        let (bare, first) = (SRTPKey.generate(), SRTPKey.generate(identifier: identifier))
        for (current, next) in [
            (bare, SRTPKey.generate()), (bare, first), (first, bare), (first, .generate(identifier: identifier)),
            (first, .generate(identifier: MasterKeyIdentifier(2, byteCount: 4))),
            (first, .generate(.aeadAES128GCM, identifier: MasterKeyIdentifier(2, byteCount: 2))),
        ] {
            var protector = try SRTPProtector(current)
            var unprotector = try SRTPUnprotector(current)
            #expect(
                error { () throws(SecurityError) in try protector.change(to: next) }
                    == .indistinguishableKey(next.identifier))
            #expect(
                error { () throws(SecurityError) in try unprotector.add(next) }
                    == .indistinguishableKey(next.identifier))
            // All goes on as before.
            let packet = rtpPacket(1)
            #expect(unprotector.opened(protector.protected(packet).bytes).bytes == packet)
        }
    }

    @Test func `Sixteen keys at once, and the last one stays`() throws {
        var unprotector = try SRTPUnprotector(key(0))
        for number in 1..<16 { try unprotector.add(key(number)) }
        #expect(error { () throws(SecurityError) in try unprotector.add(key(16)) } == .tooManyKeys(limit: 16))
        #expect(!removed(MasterKeyIdentifier(99, byteCount: 2), from: &unprotector))
        for number in 0..<15 { #expect(removed(MasterKeyIdentifier(UInt64(number), byteCount: 2), from: &unprotector)) }
        #expect(!removed(MasterKeyIdentifier(15, byteCount: 2), from: &unprotector))
        try unprotector.add(key(16))
    }

    private func removed(_ identifier: MasterKeyIdentifier, from unprotector: inout SRTPUnprotector) -> Bool {
        unprotector.remove(identifier)
    }

    private func error(_ body: () throws(SecurityError) -> Void) -> SecurityError? {
        do throws(SecurityError) {
            try body()
            return nil
        } catch { return error }
    }
}
