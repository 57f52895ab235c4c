import RillCongestion
import RillTestSupport
import Testing

@Suite struct FeedbackRoundTripTests {
    /// A packet every 10 ms; packets whose index is in `lost` do not arrive.
    private func run(
        count: Int, lost: Set<Int> = [], losingFeedback: Set<Int> = [], from start: Int = 0,
        delay: (Int) -> MediaDuration = { _ in .milliseconds(40) }
    ) throws -> FeedbackRoundTrip {
        let trip = FeedbackRoundTrip()
        for _ in 0..<start { _ = trip.history.record(.media, byteCount: 100, at: .zero) }
        trip.history.reset()
        var feedbackCount = 0
        for index in 0..<count + 40 {
            let now = MediaTime.zero + .milliseconds(10 * index)
            if index < count { trip.send(at: now, delay: lost.contains(index) ? nil : delay(index)) }
            guard trip.builder.dueTime <= now, let datagram = trip.feedback(at: now) else { continue }
            if !losingFeedback.contains(feedbackCount) { try trip.take(datagram) }
            feedbackCount += 1
        }
        return trip
    }

    @Test(arguments: [0, 1, 32_700, 65_500, 65_535, 131_000])
    func `Every packet gets its outcome once, across any wrap`(start: Int) throws {
        let lost: Set<Int> = [3, 17, 18, 50]
        let trip = try run(count: 100, lost: lost, from: start)
        for index in 0..<90 {
            let outcome = trip.outcomes[Int64(start + index)]
            if lost.contains(index) {
                #expect(outcome == .lost, "\(start): \(index)")
            } else {
                guard case .received = outcome else {
                    Issue.record("\(start): \(index) is \(String(describing: outcome))")
                    continue
                }
            }
        }
        #expect(trip.outcomeCount == trip.outcomes.count)
        #expect(trip.history.refusals.neverSent == 0 && trip.history.refusals.outdated == 0)
    }

    @Test func `Arrival times are exact to a quarter of a millisecond`() throws {
        let trip = try run(count: 200) { .microseconds(40_000 + 370 * ($0 % 7)) }
        for index in 1..<180 {
            let expected = MediaDuration.microseconds(10_000 + 370 * (index % 7 - (index - 1) % 7))
            let found = try #require(trip.spacing(Int64(index), after: Int64(index - 1)))
            #expect(abs((found - expected).nanoseconds) <= 250_000, "\(index)")
        }
    }

    @Test func `Two feedbacks in a row may be lost without losing a report`() throws {
        let trip = try run(count: 300, lost: [100], losingFeedback: [3, 4, 9, 10, 20])
        let known = (0..<280).filter { if case .received = trip.outcomes[Int64($0)] { true } else { false } }
        #expect(known.count == 279 && trip.outcomes[100] == .lost)
    }

    @Test func `Three lost feedbacks leave outcomes unknown, not lost`() throws {
        let trip = try run(count: 300, losingFeedback: [6, 7, 8])
        let unknown = (0..<280).filter { trip.outcomes[Int64($0)] == .unknown }
        #expect(!unknown.isEmpty && !trip.outcomes.values.contains(.lost))
    }

    @Test func `Reordered packets are received, not lost`() throws {
        let trip = try run(count: 200) { .milliseconds($0 % 5 == 0 ? 75 : 40) }
        let known = (0..<180).filter { if case .received = trip.outcomes[Int64($0)] { true } else { false } }
        #expect(known.count == 180)
        #expect(trip.spacing(5, after: 6) == .milliseconds(25))
    }

    @Test func `Bytes in flight are those with an open outcome`() throws {
        let trip = FeedbackRoundTrip()
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

    @Test func `Overdue packets do not count as in flight, and late feedback still resolves them`() throws {
        let trip = FeedbackRoundTrip()
        for index in 0..<10 {
            trip.send(at: .zero + .milliseconds(100 * index), delay: .milliseconds(20), byteCount: 1000)
        }
        trip.history.expire(sentBefore: .zero + .milliseconds(450))
        #expect(trip.history.bytesInFlight == 5000)
        trip.history.expire(sentBefore: .zero + .milliseconds(450))
        #expect(trip.history.bytesInFlight == 5000)
        let made = trip.feedback(at: .zero + .seconds(1))
        try trip.take(try #require(made))
        #expect(trip.outcomeCount == 10 && trip.history.bytesInFlight == 0)
    }

    @Test(arguments: [20, 60, 130, 500, 2500])
    func `Feedback takes 5 % of the received bitrate at most, and is due every 50 ms at most`(kilobits: Int) throws {
        let trip = FeedbackRoundTrip()
        let spacing = MediaDuration(nanoseconds: Int64(1228 * 8) * 1_000_000 / Int64(kilobits))
        var (now, bytes, times) = (MediaTime.zero, 0, [MediaTime]())
        while now < .zero + .seconds(60) {
            trip.send(at: now, delay: .milliseconds(20))
            now = now + spacing
            while trip.builder.dueTime <= now {
                let due = trip.builder.dueTime
                let made = trip.feedback(at: due)
                let datagram = try #require(made)
                bytes += datagram.count + 48
                times.append(due)
                try trip.take(datagram)
            }
        }
        #expect(Double(bytes * 8) / 60_000 <= Double(kilobits) * 0.055 + 1, "\(bytes) bytes, \(times.count) times")
        let shortest = zip(times, times.dropFirst()).map { $1 - $0 }.min() ?? .zero
        #expect(shortest >= .milliseconds(50), "\(shortest)")
        if kilobits >= 500 { #expect(times.count >= 60_000 / 110, "\(times.count)") }
    }

    @Test func `After a pause feedback is as frequent as before`() throws {
        let trip = FeedbackRoundTrip()
        var times = [MediaTime]()
        for start in [0.0, 20] {
            for index in 0..<100 {
                let now = MediaTime.zero + .seconds(start) + .milliseconds(10 * index)
                trip.send(at: now, delay: .milliseconds(20))
                while trip.builder.dueTime <= now {
                    let due = trip.builder.dueTime
                    let made = trip.feedback(at: due)
                    try trip.take(#require(made))
                    times.append(due)
                }
            }
        }
        let returned = times.filter { $0 >= .zero + .seconds(20) }
        let spacings = zip(returned, returned.dropFirst()).map { $1 - $0 }
        #expect(spacings.count >= 8)
        #expect((spacings.max() ?? .seconds(9)) <= .milliseconds(110), "\(spacings)")
    }

    /// Deltas reach over 8 s: after that, feedback cannot repeat earlier packets.
    @Test(arguments: [1, 8, 9, 12, 3600])
    func `Packets after a pause are reported at once`(seconds: Int) throws {
        let trip = FeedbackRoundTrip()
        var (now, count) = (MediaTime.zero, 0)
        // The second pause starts before a feedback could repeat the packets of the first.
        for _ in 0..<3 {
            for _ in 0..<2 {
                trip.send(at: now, delay: .milliseconds(20))
                count += 1
            }
            now = trip.builder.dueTime
            try trip.take(#require(trip.feedback(at: now)))
            #expect(trip.outcomes.count == count, "\(seconds) s")
            now += .seconds(seconds)
        }
    }

    @Test func `A flood beyond the capacity forgets the oldest packets`() {
        var history = SentPacketHistory()
        for index in 0..<3 * SentPacketHistory.maximumCapacity {
            _ = history.record(.media, byteCount: 1000, at: .zero + .microseconds(index))
        }
        #expect(history.bytesInFlight == 1000 * SentPacketHistory.maximumCapacity)
    }

    @Test func `Mutated feedback resolves sent packets only`() throws {
        var generator = SeededGenerator(seed: 29)
        let trip = try run(count: 50)
        let sent = Int64(50)
        trip.send(at: .zero + .seconds(2), delay: .milliseconds(20))
        let made = trip.feedback(at: .zero + .milliseconds(2100))
        let genuine = try #require(made)
        var (takenCount, refusedCount) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = genuine
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            do throws(RTPError) {
                try trip.take(bytes)
                takenCount += 1
            } catch {
                refusedCount += 1
            }
        }
        #expect(takenCount > 5000 && refusedCount > 1000, "\(takenCount) taken, \(refusedCount) refused")
        #expect(trip.history.refusals.neverSent > 10_000, "\(trip.history.refusals)")
        #expect(trip.outcomes.keys.allSatisfy { (0...sent).contains($0) })
        #expect(trip.outcomeCount == trip.outcomes.count && trip.history.bytesInFlight >= 0)
    }

    @Test func `Any order of numbers leaves the builder consistent`() throws {
        var generator = SeededGenerator(seed: 30)
        var builder = FeedbackBuilder()
        for step in 0..<20_000 {
            let now = MediaTime.zero + .milliseconds(step)
            let number = SequenceNumber(.random(in: 0 ... .max, using: &generator))
            builder.record(number, byteCount: 1000, arrival: now)
            guard builder.dueTime <= now else { continue }
            let prepared = builder.prepare()
            let byteCount = try #require(prepared, "due, with nothing to report")
            let datagram = [UInt8](capacity: byteCount) { output in
                builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
            }
            let feedback = try TransportFeedback(parsing: RTCPPacket(parsing: datagram.span))
            #expect(feedback.count <= FeedbackBuilder.window)
        }
    }
}
