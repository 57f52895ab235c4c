import RillCore
import RillSend
import Testing

struct RepairPolicyTests {
    /// The cases of the table, and what showed more frames.
    @Test(arguments: [
        (0.0, 400, 7.0, 0), (0.01, 20, 7, 0), (0.02, 400, 7, 0), (0.05, 400, 7, 0), (0.1, 20, 7, 0), (0.1, 100, 7, 0),
        (0.1, 200, 7, 10), (0.1, 400, 7, 34), (0.1, 400, 2, 0), (0.05, 200, 2, 0), (0.01, 400, 1, 10),
        (0.02, 400, 1, 10),
        (0.02, 100, 1, 0), (0.05, 400, 1, 0), (0.1, 400, 1, 0), (0, 400, 1, 0),
    ])
    func `FEC is used where it shows more frames`(loss: Double, milliseconds: Int, packets: Double, percent: Int) {
        var policy = RepairPolicy()
        let percentage = policy.update(loss: loss, roundTrip: .milliseconds(milliseconds), packetsPerFrame: packets)
        #expect(percentage == .percent(percent), "loss \(loss), \(milliseconds) ms, \(packets) packets: \(percentage)")
        #expect(policy.percentage == percentage)
    }

    @Test func `Figures that scatter do not toggle it`() {
        var policy = RepairPolicy()
        var changes = 0
        for step in 0..<100 {
            let before = policy.percentage
            let isHigh = step % 2 == 0
            policy.update(
                loss: isHigh ? 0.085 : 0.065, roundTrip: .milliseconds(isHigh ? 160 : 140), packetsPerFrame: 7)
            if policy.percentage != before { changes += 1 }
        }
        #expect(changes == 1)
        policy.update(loss: 0.05, roundTrip: .milliseconds(160), packetsPerFrame: 7)
        #expect(policy.percentage == .zero)
    }

    @Test func `Any numbers give an answer`() {
        var policy = RepairPolicy()
        for loss in [-1, 0, 2, Double.nan, .infinity] {
            for packets in [-1, 0, Double.nan, .infinity] {
                policy.update(loss: loss, roundTrip: .milliseconds(-5), packetsPerFrame: packets)
                #expect(policy.percentage == .zero)
            }
        }
    }
}
