import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

@Suite struct NACKGeneratorTests {
    /// Where the numbers begin that are to wrap on the wire.
    static let starts: [Int64] = [0, 1, 127, 128, 32767, 32768, 65534, 65535, 1 << 40]

    private static let expired = MediaTime(nanoseconds: .min)

    // MARK: Asking

    @Test(arguments: starts)
    func `A gap is NACKed at once and then once per round trip`(start: Int64) {
        let asker = NACKAsker(from: start)
        asker.arrive(0, at: 0)
        #expect(asker.next == nil)
        asker.arrive(3, at: 10)
        #expect(asker.next == 10)
        #expect(asker.collect(at: 10) == [1, 2])
        // The answer may take five milliseconds more than the round trip.
        #expect(asker.next == 115)
        #expect(asker.collect(at: 114.9) == [])
        asker.arrive(1, .retransmission, at: 114.9)
        #expect(asker.collect(at: 115) == [2])
        #expect(asker.next == 220)
        asker.arrive(2, .retransmission, at: 116)
        #expect(asker.next == nil)
        #expect(asker.generator.missingCount == 0)
    }

    @Test(arguments: starts)
    func `Every number of a long stream is NACKed when it is missing`(start: Int64) {
        let asker = NACKAsker(from: start)
        var asked: [Int64] = []
        for packet in 0..<2000 as Range<Int64> where packet % 7 != 3 {
            asker.arrive(packet, at: Double(packet))
            let missing = asker.collect(at: Double(packet))
            asked += missing
            for number in missing { asker.arrive(number, .retransmission, at: Double(packet) + 0.5) }
        }
        #expect(asked == (0..<1999).filter { $0 % 7 == 3 }, "from \(start)")
    }

    @Test func `What scatters is given longer to answer`() {
        let asker = NACKAsker()
        asker.generator.jitter = .milliseconds(40)
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        _ = asker.collect(at: 0)
        #expect(asker.next == 140)
    }

    @Test func `A shorter round trip hastens the second request`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        _ = asker.collect(at: 0)
        #expect(asker.next == 105)
        asker.generator.roundTripTime = .milliseconds(20)
        #expect(asker.next == 25)
        #expect(asker.collect(at: 25) == [1])
    }

    @Test func `The first request waits as long as configured`() {
        let asker = NACKAsker { $0.firstRequestDelay = .milliseconds(30) }
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 5)
        #expect(asker.collect(at: 34.9) == [])
        #expect(asker.collect(at: 35) == [1])
        #expect(asker.arrivalDeadline(after: 0, through: 2) == .milliseconds(35 + 3 * 105))
    }

    @Test func `Without settings nothing is NACKed`() {
        var generator = NACKGenerator(nil, roundTripTime: .milliseconds(100))
        generator.noteArrival(1, origin: .network, at: .zero)
        generator.noteArrival(9, origin: .network, at: .zero)
        generator.suspect(10, at: .zero)
        let next = generator.nextAction
        let count = generator.collect(at: .seconds(1))
        let deadline = generator.arrivalDeadline(after: 0, through: 20)
        #expect(next == .distantFuture && count == 0 && deadline == nil)
    }

    // MARK: Giving up

    @Test func `A packet is NACKed so often and no more`() {
        let asker = NACKAsker { $0.maximumRequestCount = 4 }
        asker.arrive(0, at: 0)
        asker.arrive(3, at: 0)
        let requests = asker.collectAll()
        #expect(requests.map(\.time) == [0, 105, 210, 315])
        #expect(requests.allSatisfy { $0.packets == [1, 2] })
        #expect(asker.arrivalDeadline(after: 0, through: 3) == Self.expired)
        // It may come all the same.
        asker.arrive(1, .retransmission, at: 500)
        asker.arrive(2, at: 501)
        #expect(asker.arrivalDeadline(after: 0, through: 3) == nil)
    }

    @Test func `A packet is NACKed up to the time limit`() {
        let asker = NACKAsker { $0.maximumAge = .milliseconds(250) }
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        #expect(asker.collectAll().map(\.time) == [0, 105, 210])
        #expect(asker.arrivalDeadline(after: 0, through: 2) == Self.expired)
    }

    @Test(arguments: [(100, true), (101, false)])
    func `A gap that is too long is not NACKed`(length: Int64, isAskedFor: Bool) {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.arrive(1 + length, at: 1)
        #expect(asker.collect(at: 1) == (isAskedFor ? Array(1...length) : []))
        #expect((asker.arrivalDeadline(after: 0, through: length) == Self.expired) == !isAskedFor)
        // Behind the gap the stream goes on.
        #expect(asker.arrivalDeadline(after: length, through: length + 10) == nil)
        asker.arrive(3 + length, at: 2)
        #expect(asker.collect(at: 2) == [2 + length])
    }

    @Test func `Of too many missing packets the oldest are given up`() {
        let asker = NACKAsker { $0.maximumGap = 1000 }
        asker.arrive(0, at: 0)
        asker.arrive(1001, at: 0)
        asker.arrive(1102, at: 0)
        #expect(asker.generator.missingCount == NACKGenerator.capacity)
        // 1100 are missing, so the first 76 have expired.
        let asked = asker.collect(at: 0)
        #expect(asked.first == 77 && asked.count == 1024)
        #expect(asker.arrivalDeadline(after: 0, through: 76) == Self.expired)
        #expect(asker.arrivalDeadline(after: 76, through: 2000) == .milliseconds(315))
    }

    @Test func `Packets that are no longer useful are not NACKed`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.arrive(3, at: 0)
        asker.arrive(6, at: 0)
        asker.generator.advance(to: 4)
        #expect(asker.collect(at: 0) == [4, 5])
        asker.generator.advance(to: 100)
        #expect(asker.next == nil && asker.generator.missingCount == 0)
    }

    @Test func `After a jump nothing of before is missing`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.arrive(500, at: 0)
        asker.arrive(503, at: 0)
        asker.suspect(504, at: 1)
        asker.generator.restart(at: 9000)
        #expect(asker.next == nil && asker.generator.missingCount == 0 && asker.generator.suspected == nil)
        #expect(asker.arrivalDeadline(after: 0, through: 9000) == nil)
        asker.arrive(9002, at: 2)
        #expect(asker.collect(at: 2) == [9001])
    }

    // MARK: Deadlines

    @Test func `A missing packet may arrive until three requests have timed out`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 10)
        #expect(asker.arrivalDeadline(after: 0, through: 2) == .milliseconds(10 + 3 * 105))
        _ = asker.collect(at: 20)
        #expect(asker.arrivalDeadline(after: 0, through: 2) == .milliseconds(20 + 3 * 105))
        // It counts from the first request.
        _ = asker.collect(at: 125)
        #expect(asker.arrivalDeadline(after: 0, through: 2) == .milliseconds(20 + 3 * 105))
        #expect(asker.arrivalDeadline(after: 1, through: 2) == nil)
        #expect(asker.arrivalDeadline(after: -1, through: 0) == nil)
        // The first to be given up decides.
        asker.arrive(4, at: 130)
        _ = asker.collect(at: 130)
        #expect(asker.arrivalDeadline(after: 0, through: 4) == .milliseconds(20 + 3 * 105))
        #expect(asker.arrivalDeadline(after: 2, through: 4) == .milliseconds(130 + 3 * 105))
    }

    // MARK: Packets that overtake each other

    @Test func `What packets overtake each other by is learnt and forgotten`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        asker.arrive(1, at: 10)
        // It may have been one of the faster ones: three times as long.
        #expect(asker.reordering == 30)
        asker.arrive(4, at: 20)
        #expect(asker.next == 50)
        #expect(asker.arrivalDeadline(after: 2, through: 4) == .milliseconds(50 + 3 * 105))
        #expect(asker.collect(at: 49.9) == [])
        #expect(asker.collect(at: 50) == [3])
        asker.arrive(3, .retransmission, at: 150)
        // After ten seconds it is forgotten.
        _ = asker.collect(at: 10_010)
        #expect(asker.reordering == 30)
        _ = asker.collect(at: 10_010.1)
        #expect(asker.reordering == 0)
    }

    @Test func `Only packets that arrive without a request count as reordered`() {
        // At 30 ms no answer can have come; at 60 ms it is likelier that one has.
        for (time, reordering) in [(49.0, 147.0), (60, 0)] {
            let asker = NACKAsker(from: 0)
            asker.arrive(0, at: 0)
            asker.arrive(2, at: 0)
            _ = asker.collect(at: 0)
            asker.arrive(1, at: time)
            #expect(asker.reordering == reordering, "\(time)")
            #expect(asker.isLossy(at: time) == (reordering == 0), "\(time)")
        }
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        asker.arrive(1, .fec, at: 5)
        #expect(asker.reordering == 0)
    }

    @Test func `A packet that arrives after its retransmission was reordered, not lost`() {
        for answer in [PacketOrigin.retransmission, .network] {
            let asker = NACKAsker(from: 0)
            asker.arrive(0, at: 0)
            asker.arrive(2, at: 0)
            #expect(asker.collect(at: 0) == [1])
            asker.arrive(1, answer, at: 110)
            #expect(asker.isLossy(at: 110) && asker.reordering == 0)
            // Another retransmission says nothing.
            asker.arrive(1, .retransmission, at: 120)
            if answer == .retransmission {
                #expect(asker.isLossy(at: 120) && asker.reordering == 0)
                asker.arrive(1, at: 130)
            }
            // Without a stream of retransmissions the first one may have been the original.
            #expect(!asker.isLossy(at: 130) && asker.reordering == (answer == .network ? 330 : 390))
            // A third copy is a duplicate.
            asker.arrive(1, at: 140)
            #expect(asker.generator.meterCount == 1)
        }
    }

    @Test func `The wait for reordered packets is limited`() {
        let asker = NACKAsker { $0.firstRequestDelay = .seconds(1) }
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        asker.arrive(1, at: 700)
        #expect(asker.reordering == 500)
    }

    /// One packet in twenty is 40 ms late, and one in 200 by 300 ms: for those nobody waits.
    @Test func `One packet in a hundred may be NACKed needlessly`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        var late: [(packet: Int64, time: Double)] = []
        for packet in 1...4000 as ClosedRange<Int64> {
            let time = Double(packet) * 5
            while let next = late.first, next.time <= time { asker.arrive(late.removeFirst().packet, at: next.time) }
            switch packet % 200 {
            case 77: late.append((packet, time + 305))
            case 10, 30, 50, 90, 110, 130, 150, 170, 190:
                late.append((packet, time + 45))
                late.sort { $0.time < $1.time }
            default: asker.arrive(packet, at: time)
            }
        }
        #expect(asker.reordering == 44)
        // Where packets arrive in order again, nothing is awaited after ten seconds.
        for packet in 4001...6100 as ClosedRange<Int64> { asker.arrive(packet, at: Double(packet) * 5) }
        _ = asker.collect(at: 30_500)
        #expect(asker.reordering == 0)
    }

    @Test func `A repair makes the next minute lossy`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.arrive(2, at: 0)
        #expect(!asker.isLossy(at: 0))
        asker.arrive(1, .retransmission, at: 100)
        #expect(asker.isLossy(at: 60_100))
        #expect(!asker.isLossy(at: 60_101))
    }

    // MARK: Asking once more

    @Test(arguments: starts)
    func `What was NACKed of late and has not come is known`(start: Int64) {
        let asker = NACKAsker(from: start)
        asker.arrive(0, at: 0)
        asker.arrive(3, at: 0)
        // Not asked for yet.
        #expect(asker.unanswered(since: -1000).packets == [])
        #expect(asker.collect(at: 0) == [1, 2])
        asker.arrive(5, at: 40)
        #expect(asker.collect(at: 40) == [4])
        #expect(asker.unanswered(since: 0) == ([1, 2, 4], false))
        #expect(asker.unanswered(since: 0.1) == ([4], false))
        asker.arrive(1, .retransmission, at: 100)
        #expect(asker.unanswered(since: 0) == ([2, 4], false))
        #expect(asker.collect(at: 105) == [2])
        #expect(asker.unanswered(since: 50) == ([2], true))
        #expect(asker.generator.missingCount == 2, "to look changes nothing")
    }
}
