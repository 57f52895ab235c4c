import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// Sums over frames, by their W3C names.
@Suite struct InboundStatisticsTests {
    @Test func `Times are summed over frames`() {
        var stream = SyntheticStream()
        let receiver = VirtualReceiver()
        let key = stream.frame(isKey: true, packets: 3)
        for (index, packet) in key.packets.enumerated() {
            receiver.insert(packet, at: .milliseconds(Double(10 * index)))
        }
        receiver.insert(stream.frame(), at: .milliseconds(40))
        receiver.pass(until: .seconds(1))
        let statistics = receiver.statistics
        #expect(statistics.framesReceived == 2 && statistics.keyFramesReceived == 1)
        #expect(statistics.framesAssembledFromMultiplePackets == 1)
        #expect(statistics.totalAssemblyTime == .milliseconds(20))
        #expect(statistics.jitterBufferEmittedCount == 2)
        // The key frame from 0 to 120 ms; the other came 40 ms in and is played out 33.3 ms and the smaller transit,
        // that of itself, later than its timestamp: at 40 + 100.
        #expect(statistics.jitterBufferDelay == .milliseconds(120 + 100))
        #expect(statistics.jitterBufferTargetDelay == .milliseconds(200))
        #expect(statistics.framesDropped == 0)
    }

    /// Senders probe the network with retransmissions of what was not lost.
    @Test func `Only retransmissions of missing packets are counted as such`() {
        var stream = SyntheticStream()
        let receiver = VirtualReceiver()
        let frames = (0..<10).map { stream.frame(isKey: $0 == 0, packets: 2) }
        for (index, frame) in frames.enumerated() {
            for (part, packet) in frame.packets.enumerated() where (index, part) != (5, 1) && index != 7 {
                receiver.insert(packet, at: .frame(index))
            }
            if index == 6 { receiver.insert(frames[5].packets[1], .retransmission, at: .frame(index)) }
        }
        // Probes: a packet that is there, one that was shown long ago, and one that comes twice.
        receiver.insert(frames[9].packets[0], .retransmission, at: .frame(9))
        receiver.insert(frames[0].packets[0], .retransmission, at: .frame(9))
        receiver.insert(frames[7].packets[0], .retransmission, at: .frame(9))
        receiver.insert(frames[7].packets[0], .retransmission, at: .frame(9))
        receiver.insert(frames[7].packets[1], .fec, at: .frame(9))
        receiver.pass(until: .seconds(1))
        #expect(receiver.shown.count == 10)
        #expect(receiver.statistics.packetsRetransmitted == 2)
    }

    @Test func `Every frame received is released, dropped or held`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var stream = SyntheticStream()
            let receiver = VirtualReceiver()
            var seen = 0
            for index in 0..<300 {
                let frame = stream.frame(isKey: index % 50 == 0, packets: 2)
                let packets = frame.packets.filter { _ in generator.unitInterval() > 0.1 }
                if !packets.isEmpty { seen += 1 }
                for packet in packets { receiver.insert(packet, at: .frame(index)) }
            }
            let statistics = receiver.statistics
            #expect(
                statistics.jitterBufferEmittedCount + statistics.drops.total + receiver.buffer.occupancy.frames == seen,
                "seed \(seed)")
            #expect(statistics.drops.incomplete > 0 && statistics.drops.undecodable > 0, "seed \(seed)")
        }
    }
}
