import RillCongestion
import RillTestSupport
import Testing

@Suite struct PacerTests {
    /// Runs a pacer until it is empty, and returns the send time of each token.
    private func drain(_ pacer: inout Pacer, from start: MediaTime = .zero) -> [(token: Int, time: MediaTime)] {
        var (now, sent) = (start, [(token: Int, time: MediaTime)]())
        while true {
            switch pacer.poll(at: now) {
            case .send(let token): sent.append((token, now))
            case .wait(until: .distantFuture): return sent
            case .wait(until: let time): now = time
            }
        }
    }

    @Test(arguments: [100, 1000, 2500, 50_000])
    func `Packets leave at the rate, the first one at once`(kilobits: Int) {
        var pacer = Pacer(rate: .kilobits(kilobits))
        for token in 0..<100 { pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: 1250, at: .zero) }
        let sent = drain(&pacer)
        #expect(sent.map(\.token) == Array(0..<100) && sent[0].time == .zero)
        let seconds = (sent[99].time - sent[0].time).seconds
        #expect(abs(seconds - 99 * 1250 * 8 / (Double(kilobits) * 1000)) < 1e-4, "\(seconds)")
        #expect(pacer.count == 0 && pacer.byteCount == 0)
    }

    @Test func `A pause earns no burst credit`() {
        var pacer = Pacer(rate: .megabits(1))
        pacer.enqueue(0, .deltaFrame, stream: 0, byteCount: 1250, at: .zero)
        _ = drain(&pacer)
        let later = MediaTime.zero + .seconds(5)
        for token in 1...3 { pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: 1250, at: later) }
        let sent = drain(&pacer, from: later)
        #expect(sent.map { $0.time - later } == [.zero, .milliseconds(10), .milliseconds(20)])
    }

    @Test func `Higher priorities leave first, in any order of arrival`() {
        var pacer = Pacer(rate: .megabits(1))
        for priority in PacketPriority.allCases.reversed() {
            pacer.enqueue(Int(priority.rawValue), priority, stream: 0, byteCount: 100, at: .zero)
        }
        #expect(drain(&pacer).map(\.token) == Array(0..<PacketPriority.allCases.count))
    }

    @Test func `Streams of one priority alternate`() {
        var pacer = Pacer(rate: .megabits(1))
        for token in 0..<6 { pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: 1200, at: .zero) }
        for token in 10..<12 { pacer.enqueue(token, .deltaFrame, stream: 1, byteCount: 1200, at: .zero) }
        #expect(drain(&pacer).map(\.token) == [0, 10, 1, 11, 2, 3, 4, 5])
    }

    @Test func `Two queued streams get the same number of packets`() {
        var pacer = Pacer(rate: .megabits(1))
        for token in 0..<200 { pacer.enqueue(token, .deltaFrame, stream: token % 2, byteCount: 1200, at: .zero) }
        let first = drain(&pacer).prefix(100).filter { $0.token % 2 == 0 }
        #expect(first.count == 50)
    }

    @Test func `A queue beyond the time limit is full`() {
        var pacer = Pacer(rate: .megabits(1), queueLimit: .milliseconds(250))
        for token in 0..<25 { pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: 1250, at: .zero) }
        #expect(pacer.queueTime == .milliseconds(250) && pacer.isFull == false)
        pacer.enqueue(25, .deltaFrame, stream: 0, byteCount: 1250, at: .zero)
        #expect(pacer.isFull == true)
        pacer.setRate(.megabits(2))
        #expect(pacer.isFull == false)
    }

    @Test func `A useless frame is discarded whole, and the others stay`() {
        var pacer = Pacer(rate: .megabits(1))
        for token in 0..<10 { pacer.enqueue(token, .deltaFrame, stream: token % 2, byteCount: 1000, at: .zero) }
        pacer.enqueue(20, .keyFrame, stream: 0, byteCount: 1000, at: .zero)
        #expect(pacer.discard(.deltaFrame, stream: 0) == [0, 2, 4, 6, 8])
        #expect(pacer.discard(.deltaFrame, stream: 7).isEmpty)
        #expect(pacer.count == 6 && pacer.byteCount == 6000)
        #expect(drain(&pacer).map(\.token) == [20, 1, 3, 5, 7, 9])
    }

    @Test func `A packet of a probe cluster leaves at the cluster's rate`() {
        var pacer = Pacer(rate: .kilobits(100))
        for token in 0..<5 {
            pacer.enqueue(token, .padding, stream: 0, byteCount: 250, at: .zero, rate: .megabits(2))
        }
        pacer.enqueue(5, .padding, stream: 0, byteCount: 250, at: .zero)
        #expect(drain(&pacer).map { $0.time.seconds } == [0, 0.001, 0.002, 0.003, 0.004, 0.005])
        pacer.enqueue(6, .padding, stream: 0, byteCount: 250, at: .zero)
        #expect(drain(&pacer).map { $0.time.seconds } == [0.025])
    }

    @Test func `Any interleaving sends every packet once, in the order of its lane, and at most at the rate`() {
        var generator = SeededGenerator(seed: 31)
        var pacer = Pacer(rate: .kilobits(800))
        var (now, next, sent, bytes) = (MediaTime.zero, 0, [Int: Int](), 0)
        var last: [Int: Int] = [:]
        var lanes: [Int: Int] = [:]
        for _ in 0..<20_000 {
            now = now + .microseconds(.random(in: 0..<4000, using: &generator))
            if Int.random(in: 0..<3, using: &generator) == 0 {
                let priority = PacketPriority.allCases.randomElement(using: &generator) ?? .audio
                let stream = Int.random(in: 0..<3, using: &generator)
                lanes[next] = Int(priority.rawValue) * 10 + stream
                pacer.enqueue(
                    next, priority, stream: stream, byteCount: .random(in: 1...1500, using: &generator), at: now)
                next += 1
            }
            while case .send(let token) = pacer.poll(at: now) {
                sent[token, default: 0] += 1
                let lane = lanes[token] ?? -1
                #expect(token > last[lane] ?? -1)
                last[lane] = token
                bytes += 1
            }
        }
        while pacer.count > 0 {
            if case .wait(until: let time) = pacer.poll(at: now) { now = time } else { bytes += 1 }
        }
        #expect(bytes == next && sent.values.allSatisfy { $0 == 1 })
    }
}
