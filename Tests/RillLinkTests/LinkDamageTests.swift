import RillCore
import RillLink
import Testing

/// Flipped bits and second copies.
@Suite struct LinkDamageTests {
    private struct Arrived {
        var delivery: Delivery
        var bytes: [UInt8]
    }

    private func run(_ notation: String, count: Int, size: Int = 100) throws -> (arrived: [Arrived], link: EmulatedLink)
    {
        let link = EmulatedLink(try LinkSettings(notation: notation))
        let bytes = [UInt8](repeating: 0, count: size)
        var arrived: [Arrived] = []
        var datagram: [UInt8] = []
        for index in 0..<count {
            link.send(bytes.span, at: .zero + .milliseconds(index))
            while let delivery = link.poll(at: .distantFuture, into: &datagram) {
                arrived.append(Arrived(delivery: delivery, bytes: datagram))
            }
        }
        return (arrived, link)
    }

    private func flippedBits(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }

    @Test(arguments: 1...3)
    func `It flips one to three bits in the configured share`(seed: UInt64) throws {
        let (arrived, link) = try run("corrupt=10%,seed=\(seed)", count: 20_000)
        #expect(arrived.count == 20_000)
        let damaged = arrived.filter { flippedBits($0.bytes) > 0 }
        #expect(isPlausible(damaged.count, of: 20_000, at: .percent(10)), "\(damaged.count)")
        #expect(link.statistics.corrupted == damaged.count)
        #expect(arrived.allSatisfy { $0.delivery.isCorrupted == (flippedBits($0.bytes) > 0) })
        for bits in 1...3 {
            let count = damaged.count { flippedBits($0.bytes) == bits }
            #expect(
                isPlausible(count, of: damaged.count, at: Percentage(partsPerMillion: 333_333)), "\(bits): \(count)")
        }
        // Some 4000 flips over 800 places leave hardly a byte alone.
        let touched = Set(damaged.flatMap { damage in damage.bytes.indices.filter { damage.bytes[$0] != 0 } })
        #expect(touched.count == 100)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `It damages small datagrams too`(size: Int) throws {
        let (arrived, link) = try run("corrupt=100%", count: 1000, size: size)
        #expect(
            arrived.allSatisfy { (size == 0 ? 0...0 : 1...3).contains(flippedBits($0.bytes)) && $0.bytes.count == size }
        )
        #expect(link.statistics.corrupted == (size == 0 ? 0 : 1000))
    }

    /// Numbers written down once, as those of the other traces.
    @Test func `It flips the bits that it has always flipped`() throws {
        let (arrived, _) = try run("corrupt=100%,seed=7", count: 4)
        let flips = arrived.map { damaged in
            damaged.bytes.indices.filter { damaged.bytes[$0] != 0 }.map { "\($0):\(damaged.bytes[$0])" }
        }
        #expect(
            flips == [
                ["51:2", "54:8", "57:32"], ["42:8", "65:4"], ["58:8", "64:64", "71:2"], ["4:4", "65:1", "84:32"],
            ])
    }

    @Test func `A copy is as damaged as its first`() throws {
        let (arrived, _) = try run("corrupt=50%,duplicate=100%,duplicate-delay=7ms", count: 200)
        #expect(arrived.count == 400)
        let pairs = Dictionary(grouping: arrived, by: \.delivery.sequence)
        #expect(pairs.values.allSatisfy { $0.count == 2 && $0[0].bytes == $0[1].bytes })
        #expect(pairs.values.allSatisfy { $0[1].delivery.arrival - $0[0].delivery.arrival == .milliseconds(7) })
    }

    /// Whatever else is set, each impairment strikes the same datagrams.
    @Test func `No impairment disturbs another`() throws {
        let all = [
            "loss=3%", "burst=3%/2", "blackout=100ms@1s", "jitter=5ms", "spikes=20ms/300ms", "wifi=1ms/20ms",
            "reorder=3%",
            "duplicate=3%", "corrupt=3%", "rate=3M/1M@1s",
        ]
        func marks(_ settings: [String]) throws -> [String: [Int]] {
            let run = LinkRun(
                try LinkSettings(notation: (settings + ["delay=50ms", "seed=5"]).joined(separator: ",")), count: 3000)
            func lost(_ reason: LossReason) -> [Int] {
                run.outcomes.indices.filter { run.outcomes[$0] == .lost(reason) }
            }
            return [
                "loss=3%": lost(.random), "burst=3%/2": lost(.burst),
                "reorder=3%": run.deliveries.filter { $0.isHeldBack && !$0.isCopy }.map(\.sequence).sorted(),
                "duplicate=3%": run.deliveries.filter(\.isCopy).map(\.sequence).sorted(),
                "corrupt=3%": run.deliveries.filter { $0.isCorrupted && !$0.isCopy }.map(\.sequence).sorted(),
            ]
        }
        let together = try marks(all)
        for (setting, struck) in together {
            let alone = try Set(#require(marks([setting])[setting]))
            #expect(struck.count > 40 && alone.isSuperset(of: struck), "\(setting)")
            // What is missing was lost to another reason first.
            #expect(struck.count > alone.count * 8 / 10, "\(setting): \(struck.count) of \(alone.count)")
        }
    }
}
