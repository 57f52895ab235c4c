import RillCore
import RillPacketSupport
import RillRTP
import Testing

@testable import RillReceive

/// Packets that may have been lost behind the newest one, before anything proves it.
@Suite struct NACKSuspicionTests {
    @Test(arguments: NACKGeneratorTests.starts)
    func `What is suspected is NACKed twice`(start: Int64) {
        let asker = NACKAsker(from: start)
        asker.arrive(0, at: 0)
        asker.suspect(1, at: 50)
        #expect(asker.generator.suspected == start + 1)
        let requests = asker.collectAll()
        #expect(requests.map(\.time) == [50, 155] && requests.allSatisfy { $0.packets == [1] })
        // It is unknown whether it was sent, so it breaks nothing.
        #expect(asker.arrivalDeadline(after: 0, through: 1) == .distantFuture)
    }

    @Test func `Only the next packet can be suspected`() {
        let asker = NACKAsker(from: 0)
        asker.suspect(0, at: 0)
        asker.arrive(0, at: 0)
        for packet in [0, 2, -1] as [Int64] { asker.suspect(packet, at: 1) }
        #expect(asker.generator.missingCount == 0 && asker.generator.suspected == nil)
    }

    @Test func `Later packets confirm the suspicion`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.suspect(1, at: 50)
        #expect(asker.collectAll().count == 2)
        asker.arrive(4, at: 400)
        #expect(asker.generator.suspected == nil)
        // No answer can come any more: it is missing since now, as the others are.
        #expect(asker.arrivalDeadline(after: 0, through: 1) == .milliseconds(400 + 3 * 105))
        #expect(asker.collect(at: 400) == [1, 2, 3])
        asker.arrive(1, .retransmission, at: 500)
        #expect(asker.generator.missingCount == 2 && asker.generator.falseAlarms == 0)
    }

    @Test func `A request for a suspect that may still be answered counts`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.suspect(1, at: 50)
        #expect(asker.collect(at: 50) == [1])
        asker.arrive(3, at: 100)
        #expect(asker.collect(at: 100) == [2])
        #expect(asker.arrivalDeadline(after: 0, through: 1) == .milliseconds(50 + 3 * 105))
        #expect(asker.next == 155)
    }

    /// A sender paused for a minute; of what it then sends something is lost that was suspected before.
    @Test func `What was suspected long ago is NACKed when it is lost`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.suspect(1, count: 4, at: 50)
        #expect(asker.collectAll().count == 2)
        asker.arrive(1, at: 60_000)
        asker.arrive(3, at: 60_000)
        #expect(asker.collect(at: 60_000) == [2])
        #expect(asker.arrivalDeadline(after: 0, through: 3) == .milliseconds(60_000 + 3 * 105))
        #expect(asker.next == 60_105 && asker.generator.suspected == 4)
    }

    @Test func `Packets without media are forgotten`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.arrive(5, at: 0)
        asker.arrive(7, at: 0)
        asker.generator.forget(from: 2, to: 4)
        #expect(asker.collect(at: 0) == [1, 4, 6])
        asker.generator.forget(from: 6, to: 6)
        asker.generator.forget(from: 9, to: 2)
        #expect(asker.generator.missingCount == 3)
        asker.generator.forget(from: 0, to: 7)
        #expect(asker.generator.missingCount == 0 && asker.next == nil)
    }

    @Test func `A suspect that arrives by itself was a false alarm`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        for packet in 1...6 as ClosedRange<Int64> {
            let time = Double(packet) * 200
            asker.suspect(packet, at: time)
            #expect(asker.collect(at: time) == [packet])
            asker.arrive(packet, at: time + 20)
            #expect(asker.generator.falseAlarms == min(Int(packet), 4))
            #expect(asker.reordering == 0 && asker.generator.missingCount == 0)
        }
        // Nothing was lost, so nothing is lossy; the stream goes on behind the last suspect.
        #expect(!asker.isLossy(at: 2000))
        asker.arrive(7, at: 2000)
        #expect(asker.next == nil)
        asker.suspect(8, at: 2100)
        _ = asker.collect(at: 2100)
        asker.arrive(8, .retransmission, at: 2200)
        #expect(asker.generator.falseAlarms == 0)
        #expect(asker.isLossy(at: 2200))
    }

    @Test(arguments: NACKGeneratorTests.starts)
    func `Many can be suspected, and later packets confirm each`(start: Int64) {
        let asker = NACKAsker(from: start)
        asker.arrive(0, at: 0)
        asker.suspect(1, count: 2, at: 50)
        #expect(asker.collect(at: 50) == [1, 2])
        asker.suspect(3, count: 3, at: 60)
        #expect(asker.collect(at: 60) == [3, 4, 5])
        #expect(asker.generator.suspected == start + 1 && asker.generator.suspectCount == 5)
        #expect(asker.generator.newest == start + 5)
        #expect(asker.arrivalDeadline(after: 0, through: 5) == .distantFuture)
        // An answer: what lies before it was sent for certain.
        asker.arrive(3, .retransmission, at: 100)
        #expect(asker.generator.suspected == start + 4 && asker.generator.suspectCount == 2)
        #expect(asker.arrivalDeadline(after: 0, through: 2) == .milliseconds(50 + 3 * 105))
        #expect(asker.arrivalDeadline(after: 2, through: 5) == .distantFuture)
        // Something behind all of them, and a gap before it.
        asker.arrive(8, at: 110)
        #expect(asker.generator.suspected == nil && asker.generator.suspectCount == 0)
        #expect(asker.collect(at: 110) == [6, 7])
        #expect(asker.generator.missingCount == 6)
    }

    @Test func `Only the first suspect indicates a false alarm`() {
        let asker = NACKAsker()
        asker.arrive(0, at: 0)
        asker.suspect(1, count: 3, at: 50)
        #expect(asker.collect(at: 50) == [1, 2, 3])
        asker.arrive(1, .retransmission, at: 150)
        // The next frame comes by itself: it was not late, but the frame before it shorter than was thought.
        asker.arrive(3, at: 160)
        #expect(asker.generator.falseAlarms == 0)
        #expect(asker.generator.suspected == nil && asker.generator.missingCount == 1)
    }

    @Test func `Suspects that are passed over are forgotten`() {
        let asker = NACKAsker(from: 0)
        asker.arrive(0, at: 0)
        asker.suspect(1, count: 4, at: 50)
        asker.generator.advance(to: 3)
        #expect(asker.generator.suspected == 3 && asker.generator.suspectCount == 2)
        asker.generator.advance(to: 5)
        #expect(asker.generator.suspected == nil && asker.next == nil)
        asker.suspect(5, at: 60)
        #expect(asker.collect(at: 60) == [5])
    }
}
