import RillCore
import RillLink
import RillTestSupport
import Testing

@Suite struct CrossTrafficTests {
    /// 1000 bytes at 500 kbit/s come every 16 ms, and take 8 ms at 1 Mbit/s.
    @Test func `A datagram waits behind the packets of cross traffic`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=1M,cross=500k,cross-size=1000"))
        func wait(at microseconds: Int) -> MediaDuration? {
            link.send([UInt8](repeating: 0, count: 125).span, at: .zero + .microseconds(microseconds))
            return link.lastPassage?.wait
        }
        #expect(wait(at: 15_000) == .zero)
        // The one before is through by 16 ms. At equal times cross traffic is first.
        #expect(wait(at: 16_000) == .milliseconds(8))
        #expect(wait(at: 20_000) == .milliseconds(5), "behind the last datagram's millisecond, too")
        #expect(wait(at: 31_999) == .zero)
        #expect(wait(at: 32_000) == .milliseconds(9) - MediaDuration(nanoseconds: 1000), "behind both")
        #expect(link.bottleneck?.statistics.crossSent == 2 && link.bottleneck?.statistics.crossBytes == 2000)
    }

    @Test func `It follows its schedule, and is not delivered`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "rate=1M,cross=0/500k@10s/0@20s/250k@30s,cross-size=1000"))
        func sent(at milliseconds: Int) -> Int? {
            link.bottleneck?.advance(to: .zero + .milliseconds(milliseconds))
            return link.bottleneck?.statistics.crossSent
        }
        #expect(sent(at: 10_015) == 0 && sent(at: 10_016) == 1 && sent(at: 19_999) == 624)
        #expect(sent(at: 20_000) == 625 && sent(at: 30_031) == 625 && sent(at: 30_032) == 626)
        #expect(link.countInFlight == 0 && link.nextArrival == nil && link.statistics.sent == 0)
        let ended = try #require(Bottleneck(try LinkSettings(notation: "rate=1M,cross=8k/0@1s,cross-size=300")))
        ended.advance(to: .zero + .seconds(1_000_000))
        #expect(ended.statistics.crossSent == 3, "100 bytes are left at the end")
    }

    /// The return path of a call: 110 kbit/s of cross traffic on 100 kbit/s, and feedback of 83 bytes each 62.5 ms.
    @Test func `It takes its share of a link that is too slow for both`() throws {
        let link = EmulatedLink(
            try LinkSettings(notation: "rate=100k,queue=drain/300ms,headers=28,cross=110k,delay=50ms"))
        let feedback = [UInt8](repeating: 0, count: 83)
        var waits: [Double] = []
        for index in 0..<1600 {
            link.send(feedback.span, at: .zero + .microseconds(62_500) * index)
            if let passage = link.lastPassage { waits.append(passage.wait.milliseconds) }
        }
        let statistics = try #require(link.bottleneck?.statistics)
        let utilization = Double(statistics.acceptedBytes + statistics.crossBytes) * 8 / 100 / 100_000
        let own = Double(statistics.acceptedBytes) * 8 / 100
        waits.sort()
        note("utilization \(utilization), own \(own) bit/s, \(statistics), median wait \(waits[waits.count / 2]) ms")
        #expect((0.97...1.01).contains(utilization))
        // 14.2 kbit/s are sent; small datagrams fit where packets of 1200 bytes do not.
        #expect((10_000...14_300).contains(own))
        #expect(statistics.crossDropped > 0 && statistics.crossSent == 1145)
        #expect((150...300).contains(waits[waits.count / 2]))
    }

    @Test func `A trace carries it, too`() throws {
        let trace = try DeliveryTrace(milliseconds: [1])  // 12 Mbit/s
        let settings = try LinkSettings(
            trace: trace, queueLimit: .bytes(30_000), crossTraffic: RateSchedule(.megabits(6)),
            crossPacketByteCount: 1500)
        let link = EmulatedLink(settings)
        for index in 0..<10_000 { link.send([UInt8](repeating: 0, count: 1500).span, at: .zero + .milliseconds(index)) }
        let statistics = try #require(link.bottleneck?.statistics)
        let share = Double(statistics.crossBytes) / Double(statistics.crossBytes + statistics.acceptedBytes)
        note("\(statistics), share \(share)")
        #expect((0.3...0.5).contains(share) && statistics.crossDropped + statistics.dropped > 4000)
    }
}
