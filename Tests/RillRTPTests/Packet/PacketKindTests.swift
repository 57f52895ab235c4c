import RillRTP
import Testing

@Suite struct PacketKindTests {
    @Test(
        arguments: [
            ([], .other), ([0x80], .other), ([0x80, 0x60], .rtp), ([0x80, 0xE0], .rtp), ([0x80, 200], .rtcp),
            ([0x81, 201], .rtcp), ([0x8F, 206], .rtcp), ([0x80, 191], .rtp), ([0x80, 192], .rtcp),
            ([0x80, 223], .rtcp),
            ([0x80, 224], .rtp), ([0x00, 200], .other), ([0x16, 0xFE], .other),
        ] as [([UInt8], PacketKind)])
    func `The first two bytes distinguish RTP from RTCP`(bytes: [UInt8], kind: PacketKind) {
        #expect(PacketKind(of: bytes.span) == kind, "\(bytes)")
    }
}
