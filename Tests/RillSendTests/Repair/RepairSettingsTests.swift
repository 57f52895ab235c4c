import RillCore
import RillRTP
import RillSend
import Testing

@Suite struct RepairSettingsTests {
    @Test func `Random numbers of a retransmission stream come from the generator alone`() {
        var (first, second) = (SeededGenerator(seed: 4), SeededGenerator(seed: 4))
        let one = RetransmissionSettings(payloadType: PayloadType(97), using: &first)
        let other = RetransmissionSettings(payloadType: PayloadType(97), using: &second)
        let third = RetransmissionSettings(payloadType: PayloadType(97), using: &first)
        #expect(one == other && one != third)
        #expect(one.firstSequenceNumber.rawValue < 32768)
    }

    @Test(arguments: [
        (false, false, false, 0), (true, false, false, 2), (false, true, false, 1), (true, true, false, 3),
        (false, true, true, 19), (true, true, true, 19), (false, false, true, 18),
    ])
    func `Room is left for the largest of the packets that come of one`(
        usesRTX: Bool, usesRED: Bool, usesULPFEC: Bool, byteCount: Int
    ) {
        let overhead = RepairOverhead(usesRTX: usesRTX, usesRED: usesRED, usesULPFEC: usesULPFEC)
        #expect(overhead.byteCount == byteCount)
    }
}
