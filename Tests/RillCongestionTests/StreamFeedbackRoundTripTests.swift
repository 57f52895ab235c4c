import RillCongestion
import RillTestSupport
import Testing

/// Feedback by stream (RFC 8888), from the receiver's builder to the sender's history.
@Suite struct StreamFeedbackRoundTripTests {
    /// A packet every 10 ms, of one of two streams in a ratio of 2 : 1; packets whose index is in `lost` do not
    /// arrive.
    private func run(
        count: Int, lost: Set<Int> = [], losingFeedback: Set<Int> = [], from start: UInt16 = 0,
        delay: (Int) -> MediaDuration = { _ in .milliseconds(40) }
    ) throws -> StreamFeedbackRoundTrip {
        let trip = StreamFeedbackRoundTrip()
        trip.start = start
        var feedbackCount = 0
        for index in 0..<count + 40 {
            let now = MediaTime.zero + .milliseconds(10 * index)
            if index < count { trip.send(at: now, delay: lost.contains(index) ? nil : delay(index)) }
            if index < count, index % 2 == 0 { trip.send(2, at: now, delay: .milliseconds(41)) }
            guard trip.isDue(at: now), let datagram = trip.feedback(at: now) else { continue }
            if !losingFeedback.contains(feedbackCount) { try trip.take(datagram) }
            feedbackCount += 1
        }
        return trip
    }

    @Test(arguments: [0, 1, 127, 128, 32_700, 32_768, 65_500, 65_535] as [UInt16])
    func `Every packet gets its outcome once, across any wrap`(start: UInt16) throws {
        let lost: Set<Int> = [3, 17, 18, 50]
        let trip = try run(count: 100, lost: lost, from: start)
        for index in 0..<90 {
            let (outcome, isReceived) = (trip.outcome(1, index), trip.isReceived(1, index))
            #expect(lost.contains(index) ? outcome == .lost : isReceived, "\(start): \(index)")
        }
        let count = (0..<45).count { trip.isReceived(2, $0) }
        #expect(count == 45)
        #expect(trip.outcomeCount == trip.outcomes.count)
        let refusals = trip.history.refusals
        #expect(
            refusals.neverSent == 0 && refusals.outdated == 0 && refusals.unknownStream == 0 && refusals.forgotten == 0)
    }

    @Test func `Outcomes of several streams come in the order of sending`() throws {
        let trip = try run(count: 300, lost: [7, 100])
        #expect(trip.order.allSatisfy { $0 == $0.sorted() } && trip.order.contains { $0.count > 5 })
    }

    @Test func `Arrival times are exact to a millisecond, across a wrap of the wall clock`() throws {
        let trip = try run(count: 5000) { .microseconds(40_000 + 370 * ($0 % 7)) }
        for index in 1..<4980 {
            let expected = MediaDuration.microseconds(10_000 + 370 * (index % 7 - (index - 1) % 7))
            let spacing = trip.spacing(index, after: index - 1)
            let found = try #require(spacing)
            #expect(abs((found - expected).nanoseconds) <= 1_000_000, "\(index)")
        }
    }

    @Test func `Two feedbacks in a row may be lost without losing a report`() throws {
        let trip = try run(count: 300, lost: [100], losingFeedback: [3, 4, 9, 10, 20])
        let count = (0..<280).count { trip.isReceived(1, $0) }
        let outcome = trip.outcome(1, 100)
        #expect(count == 279 && outcome == .lost)
    }

    @Test func `Three lost feedbacks leave outcomes unknown, not lost`() throws {
        let trip = try run(count: 300, losingFeedback: [6, 7, 8])
        let unknown = trip.outcomes.values.count { $0 == .unknown }
        let lost = trip.outcomes.values.count { $0 == .lost }
        #expect(unknown > 0 && lost == 0)
    }

    @Test func `Reordered packets are received, not lost`() throws {
        let trip = try run(count: 200) { .milliseconds($0 % 5 == 0 ? 75 : 40) }
        // The first packet arrives after a feedback that begins with the second: its outcome is unknown.
        let count = (1..<180).count { trip.isReceived(1, $0) }
        let first = trip.outcome(1, 0)
        #expect(count == 179 && first == .unknown)
        let spacing = trip.spacing(5, after: 6)?.milliseconds ?? 0
        #expect(abs(spacing - 25) <= 1)
    }

    @Test func `The last packets of a stream are lost once later ones of another stream have arrived`() throws {
        let trip = StreamFeedbackRoundTrip()
        trip.send(2, at: .zero, delay: .milliseconds(20))
        trip.send(2, at: .zero + .milliseconds(1), delay: nil)
        trip.send(2, at: .zero + .milliseconds(2), delay: nil)
        for index in 0..<100 {
            let now = MediaTime.zero + .milliseconds(10 * index + 10)
            trip.send(at: now, delay: .milliseconds(20))
            if trip.isDue(at: now), let datagram = trip.feedback(at: now) { try trip.take(datagram) }
        }
        let found = (0..<3).map { trip.outcome(2, $0) }
        let inFlight = trip.history.bytesInFlight
        #expect(found[1] == .lost && found[2] == .lost && found[0] != nil && inFlight < 30 * 1228)
    }

    @Test func `ECN marks come with the outcome, and a copy's mark of congestion counts`() throws {
        let trip = StreamFeedbackRoundTrip()
        trip.send(at: .zero, delay: .milliseconds(20), mark: .capable1)
        let number = trip.send(at: .zero + .milliseconds(1), delay: .milliseconds(20), mark: .capable0)
        trip.deliver(at: .zero + .milliseconds(25))
        trip.builder.record(
            number, of: SSRC(1), mark: .congestionExperienced, byteCount: 100, arrival: .zero + .milliseconds(30))
        trip.send(at: .zero + .milliseconds(2), delay: .milliseconds(20))
        let made = trip.feedback(at: .zero + .milliseconds(60))
        try trip.take(try #require(made))
        let marks = (0..<3).map { trip.mark(1, $0) }
        #expect(marks == [.capable1, .congestionExperienced, .notCapable])
        // The arrival is that of the first copy.
        let spacing = trip.spacing(1, after: 0)?.milliseconds ?? 9
        #expect(abs(spacing - 1) <= 1)
    }

    @Test func `Two packets with one sequence number have unknown outcomes`() throws {
        var history = SentPacketHistory()
        var outcomes: [Int64: PacketOutcome] = [:]
        var builder = StreamFeedbackBuilder()
        history.record(.media, of: SSRC(1), SequenceNumber(0), byteCount: 1228, at: .zero)
        history.record(.retransmission, of: SSRC(1), SequenceNumber(0), byteCount: 1228, at: .zero + .milliseconds(1))
        builder.record(SequenceNumber(0), of: SSRC(1), byteCount: 1228, arrival: .zero + .milliseconds(2))
        for index in 1..<100 {
            let now = MediaTime.zero + .milliseconds(10 * index)
            let number = SequenceNumber(UInt16(index))
            history.record(.media, of: SSRC(1), number, byteCount: 1228, at: now)
            builder.record(number, of: SSRC(1), byteCount: 1228, arrival: now)
            guard builder.dueTime <= now else { continue }
            let prepared = builder.prepare()
            let byteCount = try #require(prepared, "due, with nothing to report")
            let datagram = [UInt8](capacity: byteCount) { output in
                builder.write(
                    from: SSRC(9), timestamp: NTPShort(nanoseconds: now.nanoseconds), at: now, into: &output)
            }
            let feedback = try CongestionControlFeedback(parsing: RTCPPacket(parsing: datagram.span))
            history.take(feedback) { packet, outcome in outcomes[packet.number] = outcome }
        }
        let found = (0..<3).map { outcomes[$0] }
        #expect(found[0] == .unknown && found[1] == .unknown && found[2] != .unknown && outcomes.count > 50)
    }

    @Test func `Bytes in flight are those with an open outcome`() throws {
        let trip = StreamFeedbackRoundTrip()
        for index in 0..<10 { trip.send(at: .zero + .milliseconds(index), delay: .milliseconds(20), byteCount: 1000) }
        #expect(trip.history.bytesInFlight == 10_000)
        let made = trip.feedback(at: .zero + .milliseconds(60))
        let datagram = try #require(made)
        try trip.take(datagram)
        #expect(trip.history.bytesInFlight == 0)
        try trip.take(datagram)
        #expect(trip.history.bytesInFlight == 0 && trip.outcomeCount == 10 && trip.history.refusals.repeated == 10)
        trip.send(at: .zero + .seconds(1), delay: nil)
        trip.history.reset()
        #expect(trip.history.bytesInFlight == 0)
    }

    @Test(arguments: [20, 60, 130, 500, 2500])
    func `Feedback takes 5 % of the received bitrate at most, and is due every 50 ms at most`(kilobits: Int) throws {
        let trip = StreamFeedbackRoundTrip()
        let spacing = MediaDuration(nanoseconds: Int64(300 * 8) * 1_000_000 / Int64(kilobits))
        var (now, bytes, times) = (MediaTime.zero, 0, [MediaTime]())
        while now < .zero + .seconds(60) {
            trip.send(at: now, delay: .milliseconds(20), byteCount: 300)
            now = now + spacing
            while trip.isDue(at: now) {
                let due = trip.builder.dueTime
                let made = trip.feedback(at: due)
                let datagram = try #require(made)
                bytes += datagram.count + 48
                times.append(due)
                try trip.take(datagram)
            }
        }
        #expect(Double(bytes * 8) / 60_000 <= Double(kilobits) * 0.055 + 0.3, "\(bytes) bytes, \(times.count) times")
        let shortest = zip(times, times.dropFirst()).map { $1 - $0 }.min() ?? .zero
        #expect(shortest >= .milliseconds(50), "\(shortest)")
        if kilobits >= 500 { #expect(times.count >= 60_000 / 110, "\(times.count)") }
    }

    @Test(arguments: [100, 400, 1000, 4000])
    func `Feedback fits a datagram, at any rate`(packetsPerInterval: Int) throws {
        var builder = StreamFeedbackBuilder()
        var next = [UInt16](repeating: 0, count: 4)
        var listed: [UInt64: Int] = [:]
        for step in 0..<40 {
            let now = MediaTime.zero + .milliseconds(50 * step)
            for index in 0..<packetsPerInterval {
                builder.record(
                    SequenceNumber(next[index % 4]), of: SSRC(UInt32(index % 4)), byteCount: 1200,
                    arrival: now - .milliseconds(1))
                next[index % 4] &+= 1
            }
            let prepared = builder.prepare()
            let byteCount = try #require(prepared)
            #expect(byteCount <= StreamFeedbackBuilder.maximumByteCount)
            let datagram = [UInt8](capacity: byteCount) { output in
                builder.write(from: SSRC(1), timestamp: .zero, at: now, into: &output)
            }
            var reports = try CongestionControlFeedback(parsing: RTCPPacket(parsing: datagram.span)).reports
            while let report = reports.next() {
                for index in report.packets.indices {
                    let key = UInt64(report.ssrc.rawValue) << 32 | UInt64(report.number(at: index).rawValue)
                    listed[key, default: 0] += 1
                }
            }
        }
        // Three times each, or twice, or once where there is no more room. Of 4000 in 50 ms only the newest.
        let sent = 37 * packetsPerInterval
        let share = Double(listed.values.reduce(0, +)) / Double(sent)
        switch packetsPerInterval {
        case 100: #expect(share > 2.9)
        case 400: #expect(share > 0.99)
        case 1000: #expect(share > 0.5)
        default: #expect(share > 0.12 && listed.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `The stream that has been silent longest makes room for another`() throws {
        var builder = StreamFeedbackBuilder()
        let limit = UInt32(StreamFeedbackBuilder.maximumStreamCount)
        for ssrc in 0..<3 * limit {
            let now = MediaTime.zero + .milliseconds(Int(ssrc))
            builder.record(SequenceNumber(0), of: SSRC(ssrc), byteCount: 1200, arrival: now)
            // The first one continues.
            builder.record(SequenceNumber(UInt16(ssrc)), of: SSRC(0), byteCount: 1200, arrival: now)
        }
        let prepared = builder.prepare()
        let byteCount = try #require(prepared)
        let datagram = [UInt8](capacity: byteCount) { output in
            builder.write(from: SSRC(1), timestamp: .zero, at: .zero + .seconds(1), into: &output)
        }
        var found: Set<UInt32> = []
        var reports = try CongestionControlFeedback(parsing: RTCPPacket(parsing: datagram.span)).reports
        while let report = reports.next() { found.insert(report.ssrc.rawValue) }
        #expect(found == Set([0] + (2 * limit + 1..<3 * limit)))
    }

    @Test func `Streams beyond the limit, and a flood, forget the oldest packets`() throws {
        var history = SentPacketHistory()
        for index in 0..<3 * SentPacketHistory.maximumCapacity {
            let ssrc = SSRC(UInt32(index % (2 * SentPacketHistory.maximumStreamCount)))
            history.record(
                .media, of: ssrc, SequenceNumber(UInt16(truncatingIfNeeded: index / 128)), byteCount: 1000,
                at: .zero + .microseconds(index))
        }
        #expect(history.bytesInFlight == 1000 * SentPacketHistory.maximumCapacity)
    }
}
