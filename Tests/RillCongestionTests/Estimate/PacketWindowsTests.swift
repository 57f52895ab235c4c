import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct PacketWindowsTests {
    /// The reference, packet by packet: the send times.
    private struct Reference {
        var times: [MediaTime] = []

        mutating func add(_ time: MediaTime) {
            while let first = times.first,
                first < time - .milliseconds(times.count > 32 ? 500 : 1500)
            {
                times.removeFirst()
            }
            times = (times + [time]).suffix(512)
        }

        /// The number of packets that left within a time before the last one.
        func count(within length: MediaDuration, atMost most: Int = .max) -> Int {
            let start = (times.last ?? .zero) - length
            return min(times.reversed().prefix { $0 >= start }.count, most)
        }
    }

    /// Packets 0 to `longest` in sequence. One of `disorder` is reported late; 0 for none.
    @Test(arguments: [(0, 8), (0, 100), (3, 8), (3, 100), (20, 8), (20, 4), (200, 8)])
    func `Windows equal those of packet-by-packet processing`(disorder: Int, longest: Int) {
        var generator = SeededGenerator(seed: UInt64(disorder * 1000 + longest))
        var (windows, packets, reference) = (
            PacketWindows(), Ring(capacity: 512, filler: ReceivedPacket()), Reference()
        )
        var (time, last) = (MediaTime.zero, MediaTime(nanoseconds: .min / 2))
        for _ in 0..<2000 {
            var isDisordered = false
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                time = time + .milliseconds(.random(in: 0...longest, using: &generator))
                var sent = time
                if disorder > 0, Int.random(in: 0..<disorder, using: &generator) == 0 {
                    sent = time - .milliseconds(.random(in: 0...400, using: &generator))
                }
                if sent < last { isDisordered = true }
                last = sent
                packets.append(ReceivedPacket(sendTime: sent))
                reference.add(sent)
            }
            packets.forget(before: windows.update(of: packets, isDisordered: isDisordered))
            let end = packets.end
            let found = [packets.count, end - windows.recent, end - windows.lastSix(of: packets)]
            let expected = [
                reference.times.count, reference.count(within: .milliseconds(200)),
                reference.count(within: .seconds(1), atMost: 6),
            ]
            #expect(found == expected)
        }
    }
}
