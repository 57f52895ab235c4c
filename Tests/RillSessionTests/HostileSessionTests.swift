import RillCore
import RillFuzzTargets
import RillRTP
import RillSession
import RillTestSupport
import Testing

/// Whatever comes, a running session goes on, and keeps its promises: `FuzzedCall` watches over them.
@Suite struct HostileSessionTests {
    @Test func `Mutated datagrams cause no harm`() {
        let count = isLongRun ? 1_000_000 : 20_000
        let good =
            (0..<8).map { FuzzedPackets.media(UInt16($0), of: SSRC(0xCAFE)) }
            + (0..<4).map { FuzzedPackets.media(UInt16($0), of: SSRC(3), named: true) } + FuzzedPackets.feedback
            + [FuzzedPackets.paused] + FuzzedPackets.requests + FuzzedPackets.transportFeedback
            + FuzzedPackets.streamFeedback
        for agreed in 0...127 as ClosedRange<UInt8> {
            let call = FuzzedCall(agreed: agreed)
            var generator = SeededGenerator(seed: UInt64(agreed))
            let seed = SeededGenerator(seed: 70 + UInt64(agreed))
            for datagram in MutatedInputs(of: good, count: count / 128, using: seed) {
                call.take(datagram.span)
                // Good ones come in between, so that there is a call to disturb.
                switch generator.next() % 8 {
                case 0: call.advance(by: .milliseconds(Int(generator.next() % 50)))
                case 1:
                    let known = good[Int(generator.next() % UInt64(good.count))]
                    call.take(known.span)
                default: break
                }
            }
            let statistics = call.session.statistics
            #expect(statistics.transport.packetsReceived > count / 640)
            #expect(statistics.receiving.count <= 2 && statistics.sending.count == 1)
        }
    }
}
