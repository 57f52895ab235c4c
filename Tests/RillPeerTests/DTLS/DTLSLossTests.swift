import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// Handshakes over networks that lose, reorder, duplicate and damage datagrams.
@Suite struct DTLSLossTests {
    /// Connects over links of so many seeds, and returns the time that each took.
    private func times(_ notation: String, seeds: Int = 50) throws -> [MediaDuration] {
        let link = try LinkSettings(notation: notation)
        return (1...UInt64(seeds)).compactMap { seed in
            let pair = DTLSPair(link, seed: seed)
            guard pair.connect() else {
                Issue.record("\(notation), seed \(seed): \(String(describing: pair.client.failure))")
                return nil
            }
            return pair.now - .zero
        }
    }

    @Test(arguments: ["loss=5%,delay=100ms", "loss=10%,delay=100ms", "loss=33%,delay=100ms"])
    func `All handshakes end within 10 s`(notation: String) throws {
        let times = try times(notation).sorted()
        let longest = try #require(times.last)
        note("\(notation): median \(times[25]), longest \(longest)")
        #expect(times.count == 50 && longest < .seconds(10))
    }

    @Test(arguments: [
        "delay=30ms,reorder=30%", "delay=30ms,duplicate=50%,reorder=20%",
        "delay=100ms,jitter=60ms,order=by-delay,loss=5%",
    ])
    func `Handshakes end over a disordered network`(notation: String) throws {
        let times = try times(notation)
        #expect(times.count == 50 && times.allSatisfy { $0 < .seconds(10) })
    }

    /// UDP's checksum drops nearly all damaged datagrams. Before there are keys, DTLS cannot tell what passes it from
    /// what the peer sent.
    @Test func `Over a network that damages datagrams, both sides get the same keys or none`() throws {
        let link = try LinkSettings(notation: "delay=30ms,corrupt=5%")
        for seed in 1...100 as ClosedRange<UInt64> {
            let pair = DTLSPair(link, seed: seed)
            guard pair.connect() else {
                #expect(pair.client.failure != nil || pair.server.failure != nil, "seed \(seed)")
                continue
            }
            #expect(pair.client.endpoint.srtpKeys?.sending == pair.server.endpoint.srtpKeys?.receiving, "seed \(seed)")
        }
    }

    @Test func `Truncated datagrams are as lost ones`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let pair = DTLSPair(try LinkSettings(delay: .milliseconds(30)), seed: seed)
            var generator = SeededGenerator(seed: seed)
            pair.change = { datagram in
                generator.next() % 5 == 0
                    ? [Array(datagram.prefix(Int(generator.next() % UInt64(datagram.count))))] : [datagram]
            }
            #expect(pair.connect(), "seed \(seed): \(String(describing: pair.client.failure))")
        }
    }

    @Test func `A lost last flight is retransmitted when the peer asks for it`() throws {
        let pair = DTLSPair(try LinkSettings(delay: .milliseconds(10)))
        var arrived = 0
        pair.change = { datagram in
            arrived += 1
            // The hello, the server's flight, the client's, and then the server's last.
            return arrived == 4 ? [] : [datagram]
        }
        #expect(pair.connect())
        #expect(pair.server.connectTime == .zero + .milliseconds(30))
        // The client's second flight left at 20 ms, and again 50 ms later.
        #expect(pair.client.connectTime == .zero + .milliseconds(90))
    }
}
