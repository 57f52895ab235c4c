import RillCore
import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct NeighborTests {
    @Test func `A queue above 65 ms for two seconds is that of a loss-based flow`() {
        var neighbor = Neighbor()
        func update(_ seconds: Double, queue: Double) -> Bool {
            neighbor.update(isEvident: true, queue: queue, at: .zero + .seconds(seconds))
            return neighbor.isDelayBased
        }
        #expect(update(0, queue: 0.01))
        #expect(update(1, queue: 0.2) && update(1.9, queue: 0.2))
        #expect(!update(2.1, queue: 0.2))
        #expect(!update(12, queue: 0.01))
        #expect(update(12.2, queue: 0.01))
    }

    @Test func `Evidence of other flows counts for three seconds, unless an overload ends it`() {
        var neighbor = Neighbor()
        func isDelayBased(_ seconds: Double, isEvident: Bool = false) -> Bool {
            neighbor.update(isEvident: isEvident, queue: 0.02, at: .zero + .seconds(seconds))
            return neighbor.isDelayBased
        }
        #expect(!isDelayBased(0))
        #expect(isDelayBased(1, isEvident: true) && isDelayBased(3.9))
        #expect(!isDelayBased(4.1))
        #expect(isDelayBased(5, isEvident: true))
        neighbor.forget()
        #expect(!neighbor.isDelayBased && !isDelayBased(5.1))
    }

    @Test func `The decrease grows with the share of the capacity, and comes once in a round trip and 300 ms`() {
        var neighbor = Neighbor()
        func decrease(_ seconds: Double, of share: Double) -> Double? {
            neighbor.decrease(of: share, roundTrip: 0.1, at: .zero + .seconds(seconds))
        }
        #expect(decrease(1, of: 0.5) == 0.08)
        #expect(decrease(1.35, of: 0.5) == nil)
        #expect(decrease(2, of: 1) == 0.16 && decrease(3, of: 0.05) == 0.02 && decrease(4, of: 4) == 0.3)
    }

    /// 1 Mbit/s at 30 frames a second is four packets of 8333 bits a frame; at half of the capacity it is 0.6 times
    /// GCC's increase.
    @Test func `The increase is half a packet in a response time, and larger for a smaller share`() {
        func increase(_ rate: Double, among capacity: Double) -> Double {
            Neighbor.increase(of: rate, among: capacity, roundTrip: 0.1)
        }
        #expect(abs(increase(1e6, among: 2e6) - 0.6 * 20_833) < 1)
        #expect(abs(increase(1e6, among: 1e6) - 0.3 * 20_833) < 1)
        #expect(abs(increase(1e6, among: 9e6) - 1.5 * 20_833) < 1)
        #expect(abs(Neighbor.increase(of: 1e4, among: 1e6, roundTrip: 0.3) - 1.5 * 4000) < 1)
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
