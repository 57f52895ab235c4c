import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct PacketGroupsTests {
    private typealias Groups = DelayGradient.PacketGroups

    /// The deltas of packet groups, for send and arrival times in milliseconds.
    private func deltas(_ packets: [(sent: Double, arrived: Double)]) -> [Groups.Delta] {
        var groups = Groups()
        return packets.compactMap { packet in
            groups.add(.zero + .seconds(packet.sent / 1000), arrival: .zero + .seconds(packet.arrived / 1000))
        }
    }

    @Test func `Packets sent within 5 ms are a group, which a later packet ends`() {
        let found = deltas([(0, 50), (2, 54), (5, 58), (33, 83), (34, 90), (66, 120)])
        // The first group ends at 5 and 58 ms, the second at 34 and 90 ms.
        #expect(found == [Groups.Delta(send: .milliseconds(29), arrival: .milliseconds(32))])
    }

    @Test func `Packets that a queue releases together are one group, whenever they were sent`() {
        // Sent 10 ms apart, but held up until 100 ms.
        let found = deltas([(0, 50), (20, 100), (30, 101), (40, 102), (60, 110), (80, 130)])
        #expect(
            found == [
                Groups.Delta(send: .milliseconds(40), arrival: .milliseconds(52)),
                Groups.Delta(send: .milliseconds(20), arrival: .milliseconds(8)),
            ])
    }

    @Test func `A burst of more than 100 ms is cut`() {
        let burst = (0..<60).map { (sent: 20 + Double($0) * 10, arrived: 700 + Double($0) * 4) }
        let found = deltas([(0, 50)] + burst)
        #expect(found.count >= 2, "\(found)")
    }

    @Test func `A packet that was sent before its group is ignored`() {
        #expect(
            deltas([(10, 50), (0, 60), (30, 80), (60, 110)]) == [
                Groups.Delta(send: .milliseconds(20), arrival: .milliseconds(30))
            ])
    }
}
