import Foundation

/// Datagrams as a pcap file of raw IP, for other programs to look at: each as UDP from 127.0.0.1:40000 to a port.
package struct Capture {
    private var bytes: [UInt8]

    /// No datagrams.
    package init() {
        // Magic, version 2.4, no time zone, no accuracy, 65535 bytes at most, LINKTYPE_RAW; all little-endian.
        bytes = Capture.words(0xA1B2_C3D4, 4 << 16 | 2, 0, 0, 65535, 101)
    }

    /// Adds a datagram; they come a millisecond apart.
    package mutating func append(_ datagram: [UInt8], port: UInt16) {
        let (udpCount, ipCount) = (8 + datagram.count, 28 + datagram.count)
        var packet: [UInt8] = [0x45, 0] + Capture.bigEndian(UInt16(ipCount)) + [0, 0, 0, 0, 64, 17, 0, 0]
        packet += [127, 0, 0, 1, 127, 0, 0, 1]
        packet += Capture.bigEndian(40000) + Capture.bigEndian(port) + Capture.bigEndian(UInt16(udpCount)) + [0, 0]
        packet += datagram
        count += 1
        bytes += Capture.words(count / 1000, count % 1000 * 1000, UInt32(packet.count), UInt32(packet.count)) + packet
    }

    /// How many datagrams there are.
    package private(set) var count: UInt32 = 0

    /// Writes the file.
    package func write(to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
    }

    private static func bigEndian(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
