import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

@Suite struct NACKSchedulerTests {
    /// One NACK: when it was due, in milliseconds, and the numbers in it.
    private struct NACK: Equatable {
        var time: Double
        var numbers: [UInt16]
    }

    /// The NACKs of 400 ms after packets 1 and 2 of four went missing; `answered` come at that time.
    private func nacks(
        copies: Int, roundTrip: Int = 100, answered: [Int64] = [], at answer: Double = 1000
    ) -> [NACK] {
        var settings = NACKSettings()
        settings.copies = copies
        var scheduler = NACKScheduler(settings, roundTripTime: .milliseconds(roundTrip))
        for packet in [0, 3] as [Int64] { scheduler.generator.noteArrival(packet, origin: .network, at: .zero) }
        var (nacks, numbers, isAnswered): ([NACK], [SequenceNumber], Bool) = ([], [], false)
        while true {
            let now = min(scheduler.nextRequest, scheduler.nextRepetition)
            guard now < .milliseconds(400) else { break }
            if !isAnswered, now >= .milliseconds(answer) {
                for packet in answered { scheduler.generator.noteArrival(packet, origin: .retransmission, at: now) }
                isAnswered = true
                continue
            }
            let isNew = scheduler.nextRequest <= now && scheduler.isRequestDue(at: now, jitter: .zero)
            guard scheduler.isRepetitionDue(at: now) || isNew else { continue }
            scheduler.collectUnanswered(at: now, jitter: .zero, into: &numbers)
            guard !numbers.isEmpty else { continue }
            nacks.append(NACK(time: (now - .zero).milliseconds, numbers: numbers.map(\.rawValue)))
        }
        return nacks
    }

    @Test func `Without copies there is one NACK in a round trip`() {
        #expect(nacks(copies: 0).map(\.time) == [0, 105, 210, 315])
    }

    @Test func `A NACK is repeated over five eighths of a round trip, in the next one twice as often`() {
        let times = nacks(copies: 5).map(\.time)
        #expect(Array(times.prefix(6)) == [0, 12.5, 25, 37.5, 50, 62.5])
        #expect(Array(times.dropFirst(6).prefix(4)) == [105, 111.25, 117.5, 123.75])
    }

    @Test func `Every NACK names all that is missing, and no more than that`() {
        #expect(nacks(copies: 5).allSatisfy { $0.numbers == [1, 2] })
        let nacks = nacks(copies: 5, answered: [1], at: 30)
        #expect(nacks.prefix(3).allSatisfy { $0.numbers == [1, 2] })
        #expect(nacks.count > 6 && nacks.dropFirst(3).allSatisfy { $0.numbers == [2] })
    }

    @Test func `When everything has arrived nothing is repeated`() {
        #expect(nacks(copies: 8, answered: [1, 2], at: 20).allSatisfy { $0.time < 20 })
    }

    @Test func `A jitter buffer alone decides when to repeat, and what`() {
        var stream = SyntheticStream()
        var buffer = JitterBuffer(JitterBufferSettings(payloadType: PayloadType(96)))
        var (payload, nacks): ([UInt8], [NACK]) = ([], [])
        for index in 0..<3 {
            let frame = stream.frame(isKey: index == 0, packets: 3)
            for (place, packet) in frame.packets.enumerated() where index != 1 || place != 1 {
                _ = buffer.insert(packet.span, at: .frame(index))
            }
        }
        var now = MediaTime.frame(2)
        while now < .frame(2) + .milliseconds(100) {
            switch buffer.poll(at: now, into: &payload) {
            case .requestPackets:
                nacks.append(
                    NACK(time: (now - .frame(2)).milliseconds, numbers: buffer.requestedPackets.map(\.rawValue)))
            case .wait(let time): now = time
            case .frame, .requestKeyFrame: continue
            }
        }
        // 100 ms is what it takes the round trip for.
        #expect(nacks.map(\.time) == (0...8).map { Double($0) * 7.8125 })
        #expect(Set(nacks.map(\.numbers)).count == 1 && nacks.first?.numbers.count == 1)
        #expect(buffer.statistics.nackCount == 1)
    }
}
