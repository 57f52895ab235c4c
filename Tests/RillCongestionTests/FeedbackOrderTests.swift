import RillCongestion
import RillPacketSupport
import RillTestSupport
import Testing

/// Feedback on packets in orders of low entropy. It is due only while there is something to report, and its reports
/// are correct.
@Suite struct FeedbackOrderTests {
    private static let seeds = isLongRun ? 0..<2000 : 0..<120

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `Late packets after a pause do not keep feedback due`(
        kind: StreamDescription.CongestionFeedback
    ) throws {
        var receiver = FeedbackReceiver(kind, limit: FeedbackBuilder.maximumByteCount)
        for step in ArrivalOrder.lateBehindRest(kind) { try receiver.take(step) }
        try receiver.rest()
        #expect(receiver.feedbackCount == 1)
    }

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `In any order feedback is due only while there is something to report, and its reports are correct`(
        kind: StreamDescription.CongestionFeedback
    ) throws {
        var (count, receivedCount) = (0, 0)
        for seed in FeedbackOrderTests.seeds {
            var generator = SeededGenerator(seed: UInt64(seed))
            let limit = [64, 200, 1100, FeedbackBuilder.maximumByteCount][seed % 4]
            var receiver = FeedbackReceiver(kind, limit: limit)
            let starts: [UInt16] = [0, 1, 127, 1000, 32_767, 32_768, 65_534, 65_535]
            let first = starts.randomElement(using: &generator) ?? 0
            for step in ArrivalOrder.packets(1000, from: first, using: &generator) { try receiver.take(step) }
            try receiver.rest()
            (count, receivedCount) = (count + receiver.feedbackCount, receivedCount + receiver.listedCount)
        }
        #expect(count > 15 * FeedbackOrderTests.seeds.count, "\(count) feedbacks")
        #expect(receivedCount > 1000 * FeedbackOrderTests.seeds.count / 2, "\(receivedCount) packets listed")
    }

    @Test func `Feedback on several streams in any order is correct`() throws {
        for seed in FeedbackOrderTests.seeds {
            var generator = SeededGenerator(seed: UInt64(1000 + seed))
            var receiver = FeedbackReceiver(.byStream, limit: seed % 2 == 0 ? 200 : FeedbackBuilder.maximumByteCount)
            let orders = (0..<3).map { _ in ArrivalOrder.packets(300, from: 1000, using: &generator) }
            for index in orders[0].indices {
                for (ssrc, order) in orders.enumerated() where index < order.count {
                    try receiver.take(order[index], of: SSRC(UInt32(ssrc)))
                }
            }
            try receiver.rest()
            #expect(receiver.feedbackCount > 5)
        }
    }

    @Test func `Two paused streams report late packets where no room is left to repeat`() throws {
        var receiver = FeedbackReceiver(.byStream, limit: FeedbackBuilder.maximumByteCount)
        for _ in 0..<3 {
            for index in 0..<2 * 400 {
                let number = receiver.next(of: SSRC(UInt32(index % 2)))
                try receiver.take(ArrivalOrder.Step(after: .microseconds(10), number), of: SSRC(UInt32(index % 2)))
            }
            try receiver.rest()
        }
        let count = receiver.feedbackCount
        for index in 0..<20 {
            let late = receiver.next(of: SSRC(0)).advanced(by: -100 - index)
            try receiver.take(ArrivalOrder.Step(after: .milliseconds(1100), late), of: SSRC(0))
            try receiver.rest()
        }
        #expect(receiver.feedbackCount >= count + 20)
    }

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `Feedback on reordered packets fits a datagram`(
        kind: StreamDescription.CongestionFeedback
    ) throws {
        var receiver = FeedbackReceiver(kind, limit: FeedbackBuilder.maximumByteCount)
        // Each pair is swapped: every second delta goes back in time and takes two bytes.
        for index in 0..<6000 {
            let number = SequenceNumber(UInt16(truncatingIfNeeded: index ^ 1))
            try receiver.take(ArrivalOrder.Step(after: .microseconds(260), number))
        }
        try receiver.rest()
        #expect(receiver.feedbackCount > 20 && receiver.longestByteCount > 1000, "\(receiver.longestByteCount) bytes")
    }
}

/// A receiver of packets, which knows what its feedback builder may report.
struct FeedbackReceiver: ~Copyable {
    private var transportWide: FeedbackBuilder
    private var byStream: StreamFeedbackBuilder
    private let kind: StreamDescription.CongestionFeedback
    private let limit: Int
    private var now = MediaTime.zero
    /// The newest number of each stream, and the arrivals of all its packets, extended in the order of creation.
    private var newest: [SSRC: Int64] = [:]
    private var arrivals: [SSRC: [Int64: [MediaTime]]] = [:]
    private(set) var feedbackCount = 0
    private(set) var listedCount = 0
    private(set) var longestByteCount = 0

    init(_ kind: StreamDescription.CongestionFeedback, limit: Int) {
        (self.kind, self.limit) = (kind, limit)
        transportWide = FeedbackBuilder(limit: limit)
        byStream = StreamFeedbackBuilder(limit: limit)
    }

    private var dueTime: MediaTime { kind == .transportWide ? transportWide.dueTime : byStream.dueTime }

    /// The number after the newest of a stream.
    func next(of ssrc: SSRC) -> SequenceNumber {
        SequenceNumber(UInt16(truncatingIfNeeded: (newest[ssrc] ?? 999) + 1))
    }

    /// Waits, writes the due feedback, and receives a packet.
    mutating func take(_ step: ArrivalOrder.Step, of ssrc: SSRC = SSRC(1)) throws {
        try wait(step.delay)
        let extended = extend(step.number, of: ssrc)
        newest[ssrc] = max(newest[ssrc] ?? .min, extended)
        arrivals[ssrc, default: [:]][extended, default: []].append(now)
        switch kind {
        case .transportWide: transportWide.record(step.number, byteCount: 1200, arrival: now)
        case .byStream: byStream.record(step.number, of: ssrc, byteCount: 1200, arrival: now)
        }
    }

    /// Writes the feedback that becomes due in the next seconds.
    mutating func rest() throws { try wait(.seconds(3)) }

    private mutating func wait(_ delay: MediaDuration) throws {
        let end = now + delay
        for _ in 0..<1000 {
            let due = dueTime
            guard due <= end else {
                now = end
                return
            }
            now = max(now, due)
            try write()
            // It is not due again before the next packet.
            try #require(dueTime == .distantFuture, "after feedback at \(now)")
        }
        Issue.record("feedback stays due")
        throw TestFailure("feedback stays due")
    }

    private mutating func write() throws {
        let prepared = kind == .transportWide ? transportWide.prepare() : byStream.prepare()
        let byteCount = try #require(prepared, "feedback is due at \(now), and there is nothing to report")
        #expect(byteCount <= limit)
        let datagram = [UInt8](capacity: byteCount) { output in
            switch kind {
            case .transportWide: transportWide.write(from: SSRC(9), about: SSRC(1), at: now, into: &output)
            case .byStream: byStream.write(from: SSRC(9), timestamp: .zero, at: now, into: &output)
            }
        }
        feedbackCount += 1
        longestByteCount = max(longestByteCount, datagram.count)
        let packet = try RTCPPacket(parsing: datagram.span)
        let listed =
            switch kind {
            case .transportWide: try checkTransportWide(TransportFeedback(parsing: packet))
            case .byStream: try checkByStream(CongestionControlFeedback(parsing: packet))
            }
        try #require(listed > 0, "a feedback at \(now) lists no packet that arrived")
        listedCount += listed
    }

    private func extend(_ number: SequenceNumber, of ssrc: SSRC) -> Int64 {
        guard let newest = newest[ssrc] else { return Int64(number.rawValue) }
        return newest + Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: newest)))
    }

    /// Packets that are listed as received arrived at that time. The others did not arrive.
    private func checkTransportWide(_ feedback: borrowing TransportFeedback) throws -> Int {
        var packets = feedback.packets
        var count = 0
        while let packet = packets.next() {
            let extended = extend(packet.sequenceNumber, of: SSRC(1))
            let known = arrivals[SSRC(1)]?[extended] ?? []
            guard let arrival = packet.arrival else {
                try #require(known.isEmpty, "\(extended) is listed as lost, and arrived at \(known)")
                continue
            }
            count += 1
            try #require(
                known.contains { $0.nanoseconds / 250_000 == arrival },
                "\(extended) arrived at \(known), not \(arrival)")
        }
        return count
    }

    private func checkByStream(_ feedback: borrowing CongestionControlFeedback) throws -> Int {
        var reports = feedback.reports
        var count = 0
        while let report = reports.next() {
            for index in report.packets.indices {
                let extended = extend(report.number(at: index), of: report.ssrc)
                let known = arrivals[report.ssrc]?[extended] ?? []
                guard case .received(let age, _) = report.packets[index] else {
                    try #require(known.isEmpty, "\(extended) is listed as lost, and arrived at \(known)")
                    continue
                }
                count += 1
                try #require(
                    known.contains { .init(nanoseconds: (now - $0).nanoseconds) == age },
                    "\(extended) arrived at \(known), not \(age) before \(now)")
            }
        }
        return count
    }
}
