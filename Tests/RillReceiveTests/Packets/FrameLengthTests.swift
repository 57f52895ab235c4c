import Testing

@testable import RillReceive

@Suite struct FrameLengthTests {
    @Test func `Before the first frame one is expected`() {
        #expect(FrameLength().packetCount == 1)
    }

    @Test(arguments: [([3], 3), ([1, 2, 1, 2, 1, 1], 1), ([2, 2, 3, 2, 2, 1, 2], 2), ([40], 8), ([0], 1)])
    func `It is the mean of the last frames`(counts: [Int], expected: Int) {
        var length = FrameLength()
        for count in counts { length.note(packetCount: count) }
        #expect(length.packetCount == expected, "\(counts)")
    }

    @Test func `One long frame changes little and many do`() {
        var length = FrameLength()
        for _ in 0..<20 { length.note(packetCount: 2) }
        length.note(packetCount: 5)
        #expect(length.packetCount == 2)
        for _ in 0..<30 { length.note(packetCount: 5) }
        #expect(length.packetCount == 5)
    }
}
