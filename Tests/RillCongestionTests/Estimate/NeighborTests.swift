import RillCore
import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct NeighborTests {
    @Test func `A queue above 65 ms for two seconds is that of a loss-based flow`() {
        var neighbor = Neighbor()
        func update(_ seconds: Double, queue: Double) -> Bool {
            neighbor.update(isInterleaved: true, queue: queue, at: .zero + .seconds(seconds))
            return neighbor.isDelayBased
        }
        #expect(update(0, queue: 0.01))
        #expect(update(1, queue: 0.2) && update(1.9, queue: 0.2))
        #expect(!update(2.1, queue: 0.2))
        #expect(!update(12, queue: 0.01))
        #expect(update(12.2, queue: 0.01))
    }

    @Test func `Without packets of others between ours there is no delay-based flow`() {
        var neighbor = Neighbor()
        neighbor.update(isInterleaved: false, queue: 0.02, at: .zero)
        #expect(!neighbor.isDelayBased)
    }

    @Test func `The target queue falls with the rate, within its bounds`() {
        #expect(abs(Neighbor.targetQueue(1e6) - 0.028) < 1e-9)
        #expect(abs(Neighbor.targetQueue(7e5) - 0.04) < 1e-9)
        #expect(abs(Neighbor.targetQueue(4e6 / 2.25) - 0.0118) < 1e-4)
        #expect(Neighbor.targetQueue(1e4) == 0.06 && Neighbor.targetQueue(1e8) == 0.008)
    }

    /// 1 Mbit/s at 30 frames a second is four packets of 8333 bits a frame.
    @Test func `The increase is half a packet in a response time`() {
        #expect(abs(Neighbor.increase(of: 1e6, roundTrip: 0.1) - 20_833) < 1)
        #expect(Neighbor.increase(of: 1e4, roundTrip: 0.3) == 4000)
    }
}

@Suite struct CapacityModeTests {
    /// A mode after trains of two packets of 1000 bytes, which left at once and arrived after the gaps in milliseconds.
    private func mode(after gaps: [Double]) -> CapacityMode {
        var mode = CapacityMode()
        for (index, gap) in gaps.enumerated() {
            let time = MediaTime.zero + .milliseconds(33 * index)
            let packet = PacketRecord(
                number: Int64(index), sendTime: time, byteCount: 1000, kind: .media, train: Int32(index))
            mode.begin(packet, arrival: time)
            mode.add(packet, arrival: time + .seconds(gap / 1000))
        }
        return mode
    }

    @Test func `Runs at the capacity among slower ones show other flows`() {
        let mode = mode(after: (0..<200).map { (index: Int) -> Double in index % 3 == 0 ? 8 : 12 + Double(index % 7) })
        #expect(mode.isInterleaved && abs(mode.highest * 1e9 - 1e6) < 4e4)
    }

    @Test func `Runs that all arrive at the capacity are those of a sole flow`() {
        #expect(!mode(after: [Double](repeating: 8, count: 200)).isInterleaved)
    }

    @Test func `A capacity that varies shows no other flow`() {
        var generator = SeededGenerator(seed: 1)
        let gaps = (0..<400).map { _ in Double.random(in: 4...40, using: &generator) }
        #expect(!mode(after: gaps).isInterleaved)
    }

    @Test func `Few runs show nothing`() {
        #expect(!mode(after: (0..<30).map { $0 % 3 == 0 ? 8 : 12 }).isInterleaved)
    }
}
