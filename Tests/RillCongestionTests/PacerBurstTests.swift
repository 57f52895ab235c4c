import RillCongestion
import RillTestSupport
import Testing

@Suite struct PacerBurstTests {
    /// Packets of one priority and stream that left at one time.
    private struct Burst: Equatable {
        var time: MediaTime
        var tokens: [Int]
    }

    /// Runs a pacer until it is empty, and returns what left at each time.
    private func drain(_ pacer: inout Pacer, from start: MediaTime = .zero) -> [Burst] {
        var (now, bursts) = (start, [Burst]())
        while true {
            switch pacer.poll(at: now) {
            case .send(let token):
                if bursts.last?.time != now { bursts.append(Burst(time: now, tokens: [])) }
                bursts[bursts.count - 1].tokens.append(token)
            case .wait(until: .distantFuture): return bursts
            case .wait(until: let time): now = time
            }
        }
    }

    private func pacer(_ rate: Bitrate, limit: Int = 4) -> Pacer {
        var pacer = Pacer(rate: rate)
        pacer.setBurstLimit(limit)
        return pacer
    }

    /// Adds packets of 1250 bytes of one frame.
    private func add(
        _ tokens: Range<Int>, _ priority: PacketPriority = .deltaFrame, stream: Int = 0, byteCount: Int = 1250,
        at now: MediaTime = .zero, rate: Bitrate? = nil, to pacer: inout Pacer
    ) {
        for token in tokens {
            pacer.enqueue(token, priority, stream: stream, byteCount: byteCount, at: now, rate: rate)
        }
    }

    @Test(arguments: 1...4, 1...40)
    func `A frame leaves in bursts up to the limit, its last packet alone, and in its usual time`(
        limit: Int, count: Int
    ) throws {
        var pacer = pacer(.megabits(10), limit: limit)
        add(0..<count, to: &pacer)
        let bursts = drain(&pacer)
        #expect(bursts.flatMap(\.tokens) == Array(0..<count))
        #expect(bursts.allSatisfy { $0.tokens.count <= limit })
        #expect(bursts.dropLast(2).allSatisfy { $0.tokens.count == limit })
        // Each burst leaves when its first packet would without bursts.
        for burst in bursts { #expect(burst.time == .zero + .milliseconds(burst.tokens[0])) }
        #expect(try #require(bursts.last).tokens == [count - 1])
        #expect(bursts.count == 1 + (count - 1 + limit - 1) / limit)
    }

    @Test(arguments: [(2000, 2), (2500, 3), (3300, 3), (3400, 4), (20_000, 4)])
    func `A burst takes at most 12 ms at the pacing rate`(kilobits: Int, length: Int) {
        var pacer = pacer(.kilobits(kilobits))
        add(0..<13, to: &pacer)
        let bursts = drain(&pacer)
        #expect(bursts[0].tokens.count == length && bursts.allSatisfy { $0.tokens.count <= length })
    }

    @Test(arguments: [30, 300, 900, 1000])
    func `At low rates each packet leaves for itself, however small`(kilobits: Int) {
        var pacer = pacer(.kilobits(kilobits))
        add(0..<20, byteCount: 60, to: &pacer)
        #expect(drain(&pacer).allSatisfy { $0.tokens.count == 1 })
    }

    @Test func `A change of the rate or the limit changes the next burst`() {
        var pacer = pacer(.megabits(10))
        add(0..<40, to: &pacer)
        #expect(nextBurst(&pacer) == 4)
        pacer.setRate(.megabits(1))
        #expect(nextBurst(&pacer) == 1)
        pacer.setRate(.megabits(10))
        #expect(nextBurst(&pacer) == 4)
        pacer.setBurstLimit(2)
        #expect(nextBurst(&pacer) == 2)
        pacer.setBurstLimit(1)
        #expect(nextBurst(&pacer) == 1)
    }

    /// The number of packets that leave when the next may.
    private func nextBurst(_ pacer: inout Pacer) -> Int {
        var (now, count) = (MediaTime.zero, 0)
        while true {
            switch pacer.poll(at: now) {
            case .send: count += 1
            case .wait(until: let time):
                if count > 0 { return count }
                now = time
            }
        }
    }

    @Test func `Packets of two frames, and of two streams, do not leave together`() {
        var pacer = pacer(.megabits(10))
        add(0..<3, to: &pacer)
        add(3..<6, at: .zero + .milliseconds(1), to: &pacer)
        #expect(drain(&pacer, from: .zero + .milliseconds(1)).map(\.tokens) == [[0, 1, 2], [3, 4], [5]])

        // The stream that was served longest ago is next.
        add(10..<19, stream: 1, at: .zero + .seconds(1), to: &pacer)
        add(0..<9, at: .zero + .seconds(1), to: &pacer)
        let tokens = drain(&pacer, from: .zero + .seconds(1)).map(\.tokens)
        #expect(tokens == [[10, 11, 12, 13], [0, 1, 2, 3], [14, 15, 16, 17], [4, 5, 6, 7], [18], [8]])
    }

    @Test func `Higher priorities leave first, and only frames form bursts`() {
        var pacer = pacer(.megabits(10))
        for priority in PacketPriority.allCases.reversed() {
            let first = 10 * Int(priority.rawValue)
            add(first..<first + 4, priority, to: &pacer)
        }
        let bursts = drain(&pacer).map(\.tokens)
        let order = PacketPriority.allCases.flatMap { 10 * Int($0.rawValue)..<10 * Int($0.rawValue) + 4 }
        #expect(bursts.flatMap { $0 } == order)
        for burst in bursts where burst.count > 1 {
            #expect([[30, 31, 32], [40, 41, 42]].contains(burst))
        }
    }

    @Test func `A retransmission that comes during a burst ends it, and leaves next`() {
        var pacer = pacer(.megabits(10))
        add(0..<9, to: &pacer)
        #expect(pacer.poll(at: .zero) == .send(0) && pacer.poll(at: .zero) == .send(1))
        add(100..<101, .retransmission, to: &pacer)
        #expect(drain(&pacer).map(\.tokens) == [[100], [2, 3, 4, 5], [6, 7], [8]])
    }

    @Test func `A frame that is discarded during a burst ends it`() {
        var pacer = pacer(.megabits(10))
        add(0..<9, to: &pacer)
        #expect(pacer.poll(at: .zero) == .send(0))
        #expect(pacer.discard(.deltaFrame, stream: 0) == Array(1..<9) && pacer.count == 0)
        add(10..<12, to: &pacer)
        #expect(pacer.poll(at: .zero) == .wait(until: .zero + .milliseconds(1)))
        #expect(drain(&pacer).map(\.tokens) == [[10], [11]])
    }

    @Test func `Probes of their own rate form no bursts`() {
        var pacer = pacer(.megabits(10))
        add(0..<5, rate: .megabits(20), to: &pacer)
        #expect(drain(&pacer).map(\.tokens) == [[0], [1], [2], [3], [4]])
    }

    @Test(arguments: [1500, 2500, 4000, 8000])
    func `Over 50 ms no more than the rate and one burst leaves, and not less while packets wait`(kilobits: Int) {
        var generator = SeededGenerator(seed: UInt64(kilobits))
        var pacer = pacer(.kilobits(kilobits))
        var (sent, sizes) = ([(time: MediaTime, bits: Double)](), [Int]())
        // Frames of 40 packets.
        for token in 0..<4000 {
            sizes.append(.random(in: 900...1250, using: &generator))
            let frame = MediaTime.zero + .milliseconds(token / 40)
            pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: sizes[token], at: frame)
        }
        for burst in drain(&pacer, from: .zero + .milliseconds(100)) {
            sent.append((burst.time, burst.tokens.reduce(0) { $0 + 8 * Double(sizes[$1]) }))
        }
        let rate = Double(kilobits) * 1000
        var (end, bits) = (0, 0.0)
        for start in sent.indices {
            while end < sent.count, sent[end].time - sent[start].time < .milliseconds(50) {
                bits += sent[end].bits
                end += 1
            }
            // A burst of 12 ms may straddle each end of the window.
            if end < sent.count { #expect(abs(bits - 0.05 * rate) <= 0.012 * rate + 1) }
            bits -= sent[start].bits
        }
    }
}
