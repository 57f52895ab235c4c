import RillCore
import RillRTP
import RillSend
import RillSession
import RillTestSupport
import Testing

/// FEC that follows what a network loses, in virtual time.
@Suite struct AdaptiveRepairTests {
    private static func protection(_ percent: Int = 0, isAdaptive: Bool = true) -> FECSettings {
        var fec = FECSettings(
            percentage: .percent(percent), payloadType: PayloadType(125), redPayloadType: PayloadType(124))
        fec.isAdaptive = isAdaptive
        return fec
    }

    /// A picture stands for longer than its usual 33 ms by that.
    private static let freeze = MediaDuration.milliseconds(183)

    /// FEC packets that were sent in 30 s, what was shown, and how often it froze.
    private static func run(
        _ network: String, _ fec: FECSettings?, seed: UInt64 = 1
    ) throws -> (fecPackets: Int, frames: Int, freezes: Int) {
        // Without circuit breakers, which would keep the bitrate, and so the frames, below what is protected.
        let (call, _) = try AdaptiveCall.make(over: network, seed: seed, fec: fec, hasCircuitBreaker: false)
        var times: [MediaTime] = []
        call.bob.decode = { _, _, now in times.append(now) }
        call.run(until: .seconds(30))
        let stream = try #require(call.alice.session.statistics.sending.first).stream
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        return (stream.fecPacketsSent, times.count, gaps.count { $0 > freeze })
    }

    @Test func `On a long path that loses much, large frames are protected`() throws {
        let network = "rate=2M,queue=300ms,delay=100ms,loss=10%"
        // A loss more or less decides over single frames: eight calls are compared.
        let calls = try (UInt64(1)...8).map { seed in
            (
                alone: try Self.run(network, nil, seed: seed),
                protected: try Self.run(network, Self.protection(), seed: seed)
            )
        }
        #expect(calls.allSatisfy { $0.alone.fecPackets == 0 && $0.protected.fecPackets > 300 })
        let alone = (calls.reduce(0) { $0 + $1.alone.frames }, calls.reduce(0) { $0 + $1.alone.freezes })
        let protected = (calls.reduce(0) { $0 + $1.protected.frames }, calls.reduce(0) { $0 + $1.protected.freezes })
        // Retransmission brings nearly all frames in the end, but some of them late.
        #expect(2 * protected.1 < alone.1 && protected.0 > alone.0 * 99 / 100, "\(protected) instead of \(alone)")
    }

    @Test(arguments: [
        "rate=2M,queue=300ms,delay=100ms,loss=2%", "rate=2M,queue=300ms,delay=40ms,loss=10%",
        "rate=2500k/400k@10s/2500k@20s,queue=300ms,delay=100ms",
    ])
    func `Where retransmission alone shows more, and where a queue drops, there is none`(network: String) throws {
        #expect(try Self.run(network, Self.protection()).fecPackets == 0)
    }

    @Test func `A percentage that does not adapt stays`() throws {
        let protected = try Self.run("rate=2M,queue=300ms,delay=20ms", Self.protection(20, isAdaptive: false))
        #expect(protected.fecPackets > 900)
    }

    @Test func `A negotiated stream adapts`() throws {
        var description = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
        (description.repair.redPayloadType, description.repair.fecPayloadType) = (PayloadType(124), PayloadType(125))
        var random = SeededGenerator(seed: 1)
        #expect(try RTPStreamSettings(description, using: &random).fec?.isAdaptive == true)
    }
}
