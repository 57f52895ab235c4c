import RillCore
import RillFuzzTargets
import RillRTP
import RillSecurity
import RillSession
import RillTestSupport
import Testing

/// Whatever comes to a call with keys: what is not genuine reaches no session and is counted; what is genuine may still
/// be anything.
@Suite struct ProtectedDatagramTests {
    private static let good =
        (0..<24).map { FuzzedPackets.media(UInt16($0), of: SSRC(0xCAFE)) }
        + (0..<12).map { FuzzedPackets.media(UInt16($0), of: SSRC(3), named: true) } + FuzzedPackets.feedback
        + [FuzzedPackets.paused]

    @Test(arguments: SRTPProfile.allCases)
    func `Datagrams mutated before and after their protection cause no harm`(_ profile: SRTPProfile) throws {
        let count = (isLongRun ? 10_000_000 : 100_000) / SRTPProfile.allCases.count
        let call = FuzzedCall(agreed: 1)
        var generator = SeededGenerator(seed: 26)
        var inputs = MutatedInputs(of: Self.good, count: count, using: SeededGenerator(seed: 27))
        var (opened, refused, mutatedInside) = (0, 0, 0)
        var wire: [UInt8] = []
        for round in 0..<(count / 64) {
            // A key for so many: a number may come once under each.
            let key = SRTPKey.generate(profile)
            var protector = try SRTPProtector(key)
            var unprotector = try SRTPUnprotector(key)
            unprotector.refuse(SSRC(0xF00D))
            for index in 0..<64 {
                guard let mutated = inputs.next() else { break }
                let isInside = index % 2 == 0
                let packet = isInside ? mutated : Self.good[Int(generator.next() % UInt64(Self.good.count))]
                guard Self.protect(packet, &protector, into: &wire) else { continue }
                if isInside { mutatedInside += 1 } else { Self.damage(&wire, using: &generator) }
                var span = wire.mutableSpan
                switch unprotector.unprotect(&span) {
                case .unprotected(_, let byteCount):
                    opened += 1
                    call.take(span.span.extracting(0..<byteCount))
                default: refused += 1
                }
            }
            if round % 4 == 0 { call.advance(by: .milliseconds(20)) }
            let statistics = unprotector.statistics
            #expect(statistics.refused + statistics.notRTP + statistics.rtpPackets + statistics.rtcpPackets <= 64)
        }
        let least = count / 8
        #expect(
            mutatedInside > least && opened > least && refused > least, "\(mutatedInside), \(opened), \(refused)")
        #expect(call.session.statistics.transport.packetsReceived > count / 16)
        #expect(call.session.statistics.receiving.count <= 2)
    }

    /// What leaves for a packet; `false` where the protector has refused it.
    private static func protect(_ packet: [UInt8], _ protector: inout SRTPProtector, into wire: inout [UInt8]) -> Bool {
        var isProtected = false
        wire = [UInt8](capacity: 4096) { output in
            if case .protected = protector.protect(packet.span, into: &output) { isProtected = true }
        }
        return isProtected
    }

    /// Flips a bit, cuts, or leaves as it is: a third each.
    private static func damage(_ wire: inout [UInt8], using generator: inout SeededGenerator) {
        let place = Int(generator.next() % UInt64(wire.count))
        switch generator.next() % 3 {
        case 0: wire[place] ^= 1 << UInt8(generator.next() % 8)
        case 1: wire.removeLast(place)
        default: break
        }
    }
}
