import RillWireFuzzTargets

/// A datagram of twelve bytes in IPv4 and UDP, as it stands behind every head below.
private let internetPacket: [UInt8] = [
    0x45, 0x00, 0x00, 0x28, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 10, 0, 0, 1, 10, 0, 0, 2,
    0x0F, 0xA0, 0x13, 0x8C, 0x00, 0x14, 0x00, 0x00,
    0x80, 0x60, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xCA, 0xFE,
]

/// The same in IPv6, behind a header of hop-by-hop options.
private let internetPacketV6: [UInt8] =
    [0x60, 0, 0, 0, 0, 28, 0, 64] + [UInt8](repeating: 0, count: 15) + [1] + [UInt8](repeating: 0, count: 15) + [1]
    + [17, 0, 1, 4, 0, 0, 0, 0] + internetPacket.dropFirst(20)

private func little(_ value: Int, _ byteCount: Int = 4) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

private func big(_ value: Int, _ byteCount: Int = 4) -> [UInt8] { little(value, byteCount).reversed() }

func pcapSeeds() -> [FuzzTarget.Seed] {
    func pcap(_ magic: Int, _ linkType: Int, _ frame: [UInt8], _ number: (Int, Int) -> [UInt8]) -> [UInt8] {
        number(magic, 4) + number(2, 2) + number(4, 2) + number(0, 8) + number(65535, 4) + number(linkType, 4)
            + number(5, 4) + number(7, 4) + number(frame.count, 4) + number(frame.count + 3, 4) + frame
    }
    func block(_ type: Int, _ contents: [UInt8]) -> [UInt8] {
        let padded = contents + [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
        return little(type) + little(12 + padded.count) + padded + little(12 + padded.count)
    }
    let macs = [UInt8](repeating: 2, count: 12)
    let section = block(0x0A0D_0D0A, little(0x1A2B_3C4D) + little(1, 2) + little(0, 2) + little(-1, 8))
    // Nanoseconds since one second after 1970.
    let interface = block(
        1,
        little(101, 2) + little(0, 2) + little(0) + little(9, 2) + little(1, 2) + [9, 0, 0, 0] + little(14, 2)
            + little(8, 2) + little(1, 8) + little(0))
    let enhanced = block(
        6,
        little(0) + little(0) + little(1000) + little(internetPacket.count) + little(internetPacket.count)
            + internetPacket)
    let simple = block(3, little(internetPacketV6.count) + internetPacketV6)
    return [
        FuzzTarget.Seed("raw", bytes: pcap(0xA1B2_C3D4, 101, internetPacket, little)),
        FuzzTarget.Seed("nanoseconds-big-endian", bytes: pcap(0xA1B2_3C4D, 228, internetPacket, big)),
        FuzzTarget.Seed(
            "ethernet-vlan", bytes: pcap(0xA1B2_C3D4, 1, macs + [0x81, 0, 0, 5, 8, 0] + internetPacket, little)),
        FuzzTarget.Seed(
            "cooked",
            bytes: pcap(0xA1B2_C3D4, 113, [UInt8](repeating: 0, count: 14) + [0x86, 0xDD] + internetPacketV6, little)),
        FuzzTarget.Seed(
            "cooked-2",
            bytes: pcap(0xA1B2_C3D4, 276, [8, 0] + [UInt8](repeating: 0, count: 18) + internetPacket, little)),
        FuzzTarget.Seed("loopback", bytes: pcap(0xA1B2_C3D4, 0, [2, 0, 0, 0] + internetPacket, little)),
        FuzzTarget.Seed("pcapng", bytes: section + interface + enhanced + simple),
    ]
}

func rtpDumpSeeds() -> [FuzzTarget.Seed] {
    let packet = Array(internetPacket.dropFirst(28))
    let head =
        Array("#!rtpplay1.0 127.0.0.1/5004\n".utf8) + big(1_700_000_000) + big(5) + big(0x7F00_0001) + big(5004, 2) + [
            0, 0,
        ]
    let rtp = big(8 + packet.count, 2) + big(packet.count, 2) + big(20) + packet
    let rtcp = big(16, 2) + big(0, 2) + big(40) + [0x80, 201, 0, 1, 0, 0, 0xCA, 0xFE]
    return [FuzzTarget.Seed("packets", bytes: head + rtp + rtcp), FuzzTarget.Seed("empty", bytes: head)]
}
