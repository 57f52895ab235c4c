import RillCore
import Testing

@testable import RillRTP

@Suite struct TransportFeedbackEncoderTests {
    private typealias Encoder = TransportFeedbackEncoder

    /// The feedback from a list of statuses, made from the same times.
    private func reference(_ arrivals: [Int64], _ numbers: ClosedRange<Int64>) -> [UInt8]? {
        let mask = arrivals.count - 1
        func ticks(_ number: Int64) -> Int64 { arrivals[Int(number) & mask] }
        guard let received = numbers.first(where: { ticks($0) != Encoder.notReceived }) else { return nil }
        let time = ticks(received) >> 8
        var (last, statuses) = (time << 8, [TransportFeedback.PacketStatus]())
        for number in numbers {
            guard ticks(number) != Encoder.notReceived else {
                statuses.append(.notReceived)
                continue
            }
            guard let delta = Int16(exactly: ticks(number) - last) else { break }
            statuses.append(.received(delta: delta))
            last = ticks(number)
        }
        let feedback = TransportFeedback(
            sender: SSRC(1), media: SSRC(2),
            baseSequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: numbers.lowerBound)),
            referenceTime: Int32(truncatingIfNeeded: (time << 40) >> 40), feedbackCount: 7, packets: statuses.span)
        return written(feedback.byteCount) { output in feedback.write(into: &output) }
    }

    private func encoded(
        _ encoder: inout Encoder, _ arrivals: [Int64], _ numbers: ClosedRange<Int64>, isContinued: Bool = false
    ) -> [UInt8]? {
        guard encoder.encode(arrivals.span, numbers, isContinued: isContinued) else { return nil }
        return written(encoder.byteCount) { output in
            encoder.write(sender: SSRC(1), media: SSRC(2), feedbackCount: 7, into: &output)
        }
    }

    @Test func `Feedback that repeats most of the one before it is the same as one that is encoded again`() {
        var random = SeededGenerator(seed: 16)
        var (continued, fresh) = (Encoder(), Encoder())
        var arrivals = [Int64](repeating: Encoder.notReceived, count: Encoder.maximumCount)
        var (starts, next, time) = ([Int64(0), 0, 0], Int64(0), Int64(1000))
        var (isContinued, count, byteCount) = (false, 0, 0)
        for _ in 0..<20_000 {
            // Mostly a dozen packets; losses in rows, deltas of all sizes, sometimes above 8 s.
            let scale = Int64(1) << Int64.random(in: 0...9, using: &random)
            let loss = Int.random(in: 0...3, using: &random) == 0 ? Int.random(in: 0...100, using: &random) : 0
            for _ in 0..<Int.random(in: 0...(count % 100 == 0 ? 300 : 24), using: &random) {
                if Int.random(in: 0..<4000, using: &random) == 0 { time += 50_000 }
                time += Int64.random(in: -scale / 8...scale, using: &random)
                let isLost = Int.random(in: 1...100, using: &random) <= loss
                arrivals[Int(next) & 1023] = isLost ? Encoder.notReceived : time
                next += 1
            }
            let first = max(starts[0], next - 1024)
            guard first < next else { continue }
            let found = encoded(&continued, arrivals, first...next - 1, isContinued: isContinued)
            #expect(found == encoded(&fresh, arrivals, first...next - 1))
            isContinued = found != nil
            (count, byteCount) = (count + 1, byteCount + (found?.count ?? 0))
            // One that is prepared again, with more packets, begins at the same one.
            if Int.random(in: 0..<5, using: &random) > 0 { starts = [starts[1], starts[2], next] }
        }
        #expect(count > 15_000 && byteCount > 500_000, "\(count), \(byteCount)")
    }

    @Test func `It writes the same bytes as a list of the same packets`() {
        var random = SeededGenerator(seed: 15)
        var encoder = Encoder()
        var (count, chunkKinds) = (0, Set<UInt8>())
        for turn in 0..<5000 {
            var arrivals = [Int64](repeating: Encoder.notReceived, count: Encoder.maximumCount)
            let start = Int64.random(in: 0...1 << 40, using: &random)
            let numbers = start...start + Int64.random(in: 0..<(turn % 50 == 0 ? 1024 : 100), using: &random)
            var time = Int64.random(in: -(1 << 33)...1 << 33, using: &random)
            let (loss, reach) = (Int.random(in: 0...4, using: &random), Int64.random(in: 1...6, using: &random))
            var hasBurst = false
            for number in numbers {
                // Losses in bursts, deltas of all sizes, sometimes backwards or above 8 s.
                if Int.random(in: 0..<20, using: &random) == 0 { hasBurst.toggle() }
                if hasBurst, loss > Int.random(in: 0..<4, using: &random) { continue }
                let scale = Int64(1) << (2 * Int64.random(in: 0...reach, using: &random))
                time += Int64.random(in: -scale / 4...scale, using: &random)
                if Int.random(in: 0..<2000, using: &random) == 0 { time += 50_000 }
                arrivals[Int(number) & 1023] = time
            }
            let expected = reference(arrivals, numbers)
            let found = encoded(&encoder, arrivals, numbers)
            #expect(found == expected, "turn \(turn): \(numbers.count) packets")
            count += expected == nil ? 0 : 1
            if let found { chunkKinds.insert(found[20] >> 6) }
        }
        #expect(count > 4000 && chunkKinds.isSuperset(of: [0, 2, 3]), "\(count) encoded, \(chunkKinds)")
    }

    @Test(arguments: [1, 13, 14, 15, 63, 64, 65, 127, 128, 129, 1023, 1024])
    func `Runs end where they end`(count: Int) {
        var encoder = Encoder()
        for start in [Int64(0), 1, 63, 1023, 65_530] {
            let numbers = start...start + Int64(count) - 1
            var arrivals = [Int64](repeating: 512, count: Encoder.maximumCount)
            #expect(encoded(&encoder, arrivals, numbers) == reference(arrivals, numbers))
            // All lost but the last, or all but the first.
            for kept in [numbers.upperBound, numbers.lowerBound] {
                arrivals = [Int64](repeating: Encoder.notReceived, count: Encoder.maximumCount)
                arrivals[Int(kept) & 1023] = 100_000
                #expect(encoded(&encoder, arrivals, numbers) == reference(arrivals, numbers))
            }
            // Large deltas throughout.
            for number in numbers { arrivals[Int(number) & 1023] = (number - start) * 256 }
            #expect(encoded(&encoder, arrivals, numbers) == reference(arrivals, numbers))
        }
    }

    @Test func `Nothing is encoded where nothing has arrived`() {
        var encoder = Encoder()
        let arrivals = [Int64](repeating: Encoder.notReceived, count: Encoder.maximumCount)
        #expect(encoded(&encoder, arrivals, 7...1030) == nil)
    }
}
