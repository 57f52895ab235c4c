import RillCore
import RillRTP
import Testing

@testable import RillReceive

@Suite struct StreamContinuityTests {
    private var continuity = StreamContinuity(capacity: 1024)

    private mutating func judge(
        _ sequence: Int, _ timestamp: Int, isEvidence: Bool = true, isAfterSilence: Bool = false, at time: MediaTime
    ) -> StreamContinuity.Outcome {
        continuity.judge(
            SequenceNumber(UInt16(truncatingIfNeeded: sequence)), RTPTimestamp(UInt32(truncatingIfNeeded: timestamp)),
            isEvidence: isEvidence, isAfterSilence: isAfterSilence, at: time)
    }

    @Test mutating func `Counters are unwrapped`() {
        #expect(judge(65_534, -10, at: .zero) == .fits(sequence: 65_534, timestamp: 4_294_967_286))
        #expect(judge(1, 10, at: .zero) == .fits(sequence: 65_537, timestamp: 4_294_967_306))
        #expect(judge(65_535, -10, at: .zero) == .fits(sequence: 65_535, timestamp: 4_294_967_286))
        #expect(continuity.newestSequence == 65_537)
    }

    @Test mutating func `What fits reaches over half the ring and ten seconds`() {
        _ = judge(10_000, 0, at: .zero)
        #expect(judge(10_512, 0, at: .zero) == .fits(sequence: 10_512, timestamp: 0))
        #expect(judge(10_000, 0, at: .zero) == .fits(sequence: 10_000, timestamp: 0))
        #expect(judge(11_025, 0, at: .zero) == .onProbation)
        #expect(judge(9_999, 900_000, at: .zero) == .onProbation)
        #expect(judge(10_512, 900_001, at: .zero) == .onProbation)
        #expect(judge(10_512, 900_000, at: .zero) == .fits(sequence: 10_512, timestamp: 900_000))
        #expect(judge(10_512, 900_000, at: .seconds(10)) == .fits(sequence: 10_512, timestamp: 900_000))
    }

    @Test mutating func `Two that agree are a jump`() {
        _ = judge(0, 0, at: .zero)
        #expect(judge(30_000, 1_000_000_000, at: .zero) == .onProbation)
        #expect(judge(20_000, 1_000_000_000, at: .zero) == .onProbation)
        // The same packet twice proves nothing.
        #expect(judge(20_000, 1_000_000_000, at: .zero) == .onProbation)
        let jump = StreamContinuity.Jump(keepsSequence: false, keepsTime: false)
        #expect(judge(20_001, 1_000_003_000, at: .zero) == .jumped(jump))
        #expect(judge(20_000, 1_000_000_000, at: .zero) == .fits(sequence: 20_000, timestamp: 1_000_000_000))
        #expect(judge(20_001, 1_000_003_000, at: .zero) == .fits(sequence: 20_001, timestamp: 1_000_003_000))
        #expect(judge(1, 3000, at: .zero) == .onProbation)
    }

    @Test mutating func `A long loss keeps the numbers`() {
        _ = judge(65_000, 0, at: .zero)
        #expect(judge(67_000, 900_000, at: .seconds(10)) == .onProbation)
        let jump = StreamContinuity.Jump(keepsSequence: true, keepsTime: true)
        #expect(judge(67_001, 903_000, at: .seconds(10)) == .jumped(jump))
        #expect(judge(67_000, 900_000, at: .seconds(10)) == .fits(sequence: 67_000, timestamp: 900_000))
    }

    @Test mutating func `Retransmitted packets are not evidence of a jump`() {
        _ = judge(10_000, 0, at: .zero)
        for step in 0..<5 {
            #expect(judge(30_000 + step, 900_000_000, isEvidence: false, at: .zero) == .straggler)
            #expect(judge(10_001 + step, 900_000_000, isEvidence: false, isAfterSilence: true, at: .zero) == .straggler)
        }
        // It does not stand in for one of the two that make a jump either, nor between them.
        #expect(judge(30_005, 900_000_000, at: .zero) == .onProbation)
        #expect(judge(20_000, 0, isEvidence: false, at: .zero) == .straggler)
        let jump = StreamContinuity.Jump(keepsSequence: false, keepsTime: false)
        #expect(judge(30_006, 900_000_000, at: .zero) == .jumped(jump))
        // What fits is of the stream, however it came.
        #expect(
            judge(30_004, 900_000_000, isEvidence: false, at: .zero) == .fits(sequence: 30_004, timestamp: 900_000_000))
    }

    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535])
    mutating func `The stream's own past is not a jump`(start: Int) {
        continuity = StreamContinuity(capacity: 16)
        _ = judge(start, 90_000, at: .seconds(1))
        for back in [9, 10, 600, 32_766] {
            #expect(judge(start - back, 90_000 - 90 * back % 90_000, at: .seconds(1)) == .straggler, "\(back) back")
            #expect(judge(start - back - 1, 90_000, at: .seconds(1)) == .straggler, "\(back) back")
        }
        // A sender that restarts with lower numbers goes on in time.
        #expect(judge(start - 600, 93_000, at: .seconds(1)) == .onProbation)
        let jump = StreamContinuity.Jump(keepsSequence: false, keepsTime: true)
        #expect(judge(start - 599, 93_000, at: .seconds(1)) == .jumped(jump))
    }

    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535], [2, 50, 400, 511])
    mutating func `Two packets with lower numbers and later timestamps are a restart`(start: Int, back: Int) {
        continuity = StreamContinuity(capacity: 1024)
        _ = judge(start, 90_000, at: .seconds(1))
        #expect(judge(start - back, 93_000, at: .seconds(1)) == .onProbation)
        let jump = StreamContinuity.Jump(keepsSequence: false, keepsTime: true)
        #expect(judge(start - back + 1, 93_000, at: .seconds(1)) == .jumped(jump))
        let begin = Int64((start - back + 65_536) % 65_536)
        #expect(judge(start - back + 2, 96_000, at: .seconds(1)) == .fits(sequence: begin + 2, timestamp: 96_000))
    }

    @Test mutating func `One packet with a lower number and a later timestamp moves nothing`() {
        _ = judge(1000, 90_000, at: .seconds(1))
        #expect(judge(900, 93_000, at: .seconds(1)) == .onProbation)
        for index in 1...100 {
            let expected = StreamContinuity.Outcome.fits(
                sequence: Int64(1000 + index), timestamp: Int64(90_000 + 3000 * index))
            #expect(judge(1000 + index, 90_000 + 3000 * index, at: .frame(30 + index)) == expected)
        }
    }

    /// The stream's past again, in its own time: a sender that restarted with lower numbers and earlier timestamps.
    @Test(arguments: [50, 400, 2000, 20_000])
    mutating func `A past that arrives for half a second as a stream is a restart`(back: Int) {
        _ = judge(30_000, 900_000, at: .seconds(10))
        var jumps: [Int] = []
        for index in 0..<30 {
            let outcome = judge(30_000 - back + index, 700_000 + 3000 * index, at: .frame(300 + index))
            if case .jumped(let jump) = outcome {
                #expect(!jump.keepsSequence && !jump.keepsTime)
                jumps.append(index)
            }
        }
        // Half a second of frames, and the two that prove it.
        #expect(jumps == [16])
    }

    @Test mutating func `A past that another path delayed, or that is retransmitted, is not a restart`() {
        // All at once.
        _ = judge(30_000, 900_000, at: .seconds(10))
        for index in 0..<300 {
            let outcome = judge(29_700 + index, 600_000 + 1000 * index, at: .milliseconds(10_000 + Double(index)))
            #expect(outcome == .fits(sequence: Int64(29_700 + index), timestamp: Int64(600_000 + 1000 * index)))
        }
        // For long, while the stream goes on.
        for index in 0..<300 {
            #expect(judge(30_001 + index, 903_000 + 3000 * index, at: .frame(300 + index)).isFitting)
            #expect(judge(29_901 + index, 603_000 + 3000 * index, at: .frame(300 + index)).isFitting)
        }
        // Packets of two frames, for longer than half a second.
        for index in 0..<40 {
            let outcome = judge(30_200 + index, 1_700_000 + index / 20 * 3000, at: .frame(600 + index))
            #expect(outcome.isFitting)
        }
    }

    @Test func `Timestamps that drift away are corrected`() {
        // Each packet comes ten seconds further ahead of its time than the one before, as far as it may.
        var continuity = StreamContinuity(capacity: 1024, timestampLimit: 1 << 33)
        var largest: Int64 = 0
        var jumps = 0
        for index in 0..<20_000 {
            let outcome = continuity.judge(
                SequenceNumber(UInt16(truncatingIfNeeded: index)),
                RTPTimestamp(UInt32(truncatingIfNeeded: index * 900_000)), at: .zero)
            switch outcome {
            case .fits(_, let timestamp): largest = max(largest, timestamp)
            case .onProbation, .resumed, .straggler: break
            case .jumped(let jump):
                #expect(!jump.keepsTime)
                jumps += 1
            }
        }
        #expect(largest < 1 << 33 && largest > 1 << 32)
        #expect(jumps >= 2)
    }

    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535])
    mutating func `After a silence a continuing number alone is accepted`(start: Int) {
        _ = judge(start, 7000, at: .zero)
        // The media clock stood still for a minute.
        let packet = (start + 1, 10_000)
        #expect(judge(packet.0, packet.1, at: .seconds(60)) == .onProbation)
        continuity = StreamContinuity(capacity: 1024)
        _ = judge(start, 7000, at: .zero)
        let jump = StreamContinuity.Jump(keepsSequence: true, keepsTime: false)
        #expect(judge(packet.0, packet.1, isAfterSilence: true, at: .seconds(60)) == .resumed(jump))
        let sequence = Int64(start + 1)
        #expect(judge(packet.0, packet.1, at: .seconds(60)) == .fits(sequence: sequence, timestamp: 10_000))
        #expect(judge(start + 2, 13_000, at: .seconds(60)) == .fits(sequence: sequence + 1, timestamp: 13_000))
    }

    @Test(arguments: [0, -1, -600, 513, 20_000])
    mutating func `After a silence a jumped number alone is not accepted`(step: Int) {
        _ = judge(10_000, 7000, at: .zero)
        #expect(judge(10_000 + step, 10_000, isAfterSilence: true, at: .seconds(60)) == .onProbation)
    }

    @Test mutating func `After a silence timestamps that continue are not a jump`() {
        _ = judge(10_000, 7000, at: .zero)
        let fits = StreamContinuity.Outcome.fits(sequence: 10_001, timestamp: 7000 + 60 * 90_000)
        #expect(judge(10_001, 7000 + 60 * 90_000, isAfterSilence: true, at: .seconds(60)) == fits)
    }
}

extension StreamContinuity.Outcome {
    fileprivate var isFitting: Bool { if case .fits = self { true } else { false } }
}
