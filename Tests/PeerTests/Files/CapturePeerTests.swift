import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

/// Captures of Wireshark's tools in our reader, ours in Wireshark.
@Suite struct CapturePeerTests {
    let folder = TemporaryFolder()
    private static let areInstalled = [Peer.tshark, .text2pcap, .editcap, .mergecap].allSatisfy(\.isInstalled)
    private static let reason: Comment = "Wireshark's tools are not installed"
    private let rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 7, 8]
    private let rtcp: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
    private let date = MediaTime.zero + .seconds(1_700_000_000) + MediaDuration(nanoseconds: 123_456_789)

    private static let sender = UDPAddress(.v4(0x0A00_0001), port: 4000)
    private static let receiver = UDPAddress(.v4(0x0A00_0002), port: 5004)
    private static let senderV6 = UDPAddress(.v6(0x2001_0DB8_0000_0000_0000_0000_0000_0001, zone: 0), port: 4000)
    private static let receiverV6 = UDPAddress(.v6(0x2001_0DB8_0000_0000_0000_0000_0000_0002, zone: 0), port: 5004)

    private static let settings: [CaptureWriter.Settings] = [LinkType.rawIP, .ethernet].flatMap { link in
        ByteOrder.allCases.flatMap { order in
            [false, true].map { isInMicroseconds in
                var settings = CaptureWriter.Settings()
                (settings.linkType, settings.byteOrder, settings.isInMicroseconds) = (link, order, isInMicroseconds)
                return settings
            }
        }
    }

    /// A datagram in its Internet packet.
    private func packet(_ datagram: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        InternetPacket.appendHeaders(of: datagram.span, from: Self.sender, to: Self.receiver, to: &bytes)
        return bytes + datagram
    }

    /// A frame as text2pcap wants it.
    private func dump(_ frame: [UInt8]) -> [UInt8] {
        let bytes = frame.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [UInt8]("000000 \(bytes.joined(separator: " "))\n".utf8)
    }

    @Test(
        .enabled(if: areInstalled, reason),
        arguments: [0, 1, 12, 14, 101, 108, 113, 228, 276] as [UInt16], ["pcap", "nsecpcap", "pcapng"])
    func `Files of text2pcap are read, whatever their link`(link: UInt16, format: String) throws {
        let heads: [UInt16: [UInt8]] = [
            0: [2, 0, 0, 0], 1: [UInt8](repeating: 2, count: 12) + [0x81, 0, 0, 5, 8, 0], 108: [0, 0, 0, 2],
            113: [0, 0, 3, 4, 0, 6] + [UInt8](repeating: 0, count: 8) + [8, 0],
            276: [8, 0] + [UInt8](repeating: 0, count: 18),
        ]
        try write(dump((heads[link] ?? []) + packet(rtp)), to: folder.path("dump.txt"))
        let path = folder.path("call.\(format)")
        try Peer.text2pcap.run("-F", format, "-l", "\(link)", folder.path("dump.txt"), path)
        let result = try CaptureReadings(of: CaptureReader(path: path))
        #expect(result.error == nil && result.bytes == [rtp])
        #expect(result.found.first?.source == Self.sender)
        #expect(result.found.first?.destination == Self.receiver)
    }

    /// Four datagrams of both kinds and versions.
    private func record(_ name: String, _ settings: CaptureWriter.Settings = .init()) throws -> String {
        let path = folder.path(name)
        let capture = try CaptureWriter(path: path, settings: settings)
        for (index, bytes) in [rtp, rtcp].enumerated() {
            let time = date + .milliseconds(index)
            try capture.write(bytes.span, from: Self.sender, to: Self.receiver, at: time)
            try capture.write(bytes.span, from: Self.senderV6, to: Self.receiverV6, at: time)
        }
        try capture.finish()
        return path
    }

    @Test(
        .enabled(if: areInstalled, reason), arguments: ["call.pcap", "call.pcapng"],
        ["pcap", "nsecpcap", "pcapng"])
    func `What editcap makes of ours is read`(name: String, format: String) throws {
        let theirs = folder.path("theirs")
        try Peer.editcap.run("-F", format, try record(name), theirs)
        let result = try CaptureReadings(of: CaptureReader(path: theirs))
        #expect(result.error == nil && result.bytes == [rtp, rtp, rtcp, rtcp])
        let lost = format == "pcap" ? 789 : 0
        #expect(result.found.first?.time.nanoseconds == date.nanoseconds - Int64(lost))

        try Peer.editcap.run("-F", format, "-s", "33", theirs, folder.path("cut"))
        let cut = try CaptureReadings(of: CaptureReader(path: folder.path("cut")))
        // 33 bytes are IPv4's and UDP's headers, and five; of IPv6 not even the headers.
        #expect(cut.bytes == [Array(rtp[..<5]), Array(rtcp[..<5])] && cut.found.allSatisfy(\.isCut))
        #expect(cut.statistics.unreadable == 2)
    }

    @Test(.enabled(if: areInstalled, reason))
    func `Files merged by mergecap have two interfaces, and both are read`() throws {
        var ethernet = CaptureWriter.Settings()
        ethernet.linkType = .ethernet
        let merged = folder.path("merged.pcapng")
        try Peer.mergecap.run("-w", merged, try record("raw.pcap"), try record("ethernet.pcapng", ethernet))
        let result = try CaptureReadings(of: CaptureReader(path: merged))
        #expect(result.error == nil && result.found.count == 8)
        #expect(Set(result.bytes) == [rtp, rtcp] && result.found.allSatisfy { $0.time >= date })
    }

    @Test(
        .enabled(if: areInstalled, reason), arguments: ["call.pcap", "call.pcapng"],
        settings)
    func `tshark reads ours field by field, without complaint`(
        name: String, settings: CaptureWriter.Settings
    ) throws {
        let fields = [
            "frame.time_epoch", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "udp.srcport", "udp.dstport", "udp.payload",
            "ip.checksum.status", "udp.checksum.status", "rtp.ssrc", "rtcp.senderssrc", "_ws.expert", "_ws.malformed",
        ]
        let output = try Peer.tshark.run(
            ["-r", try record(name, settings), "-d", "udp.port==5004,rtp", "-o", "ip.check_checksum:TRUE"]
                + ["-o", "udp.check_checksum:TRUE", "-T", "fields", "-E", "separator=|"]
                + fields.flatMap { ["-e", $0] })
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let isRounded = name == "call.pcap" && settings.isInMicroseconds
        let times = ["1700000000.123456", "1700000000.124456"].map { $0 + (isRounded ? "000" : "789") }
        let (v4, v6) = ("10.0.0.1|10.0.0.2||", "||2001:db8::1|2001:db8::2")
        // Status 1 is "good"; version 6 has no checksum of its own.
        #expect(
            lines == [
                "\(times[0])|\(v4)|4000|5004|\(hex(rtp))|1|1|0x00000001|||",
                "\(times[0])|\(v6)|4000|5004|\(hex(rtp))||1|0x00000001|||",
                "\(times[1])|\(v4)|4000|5004|\(hex(rtcp))|1|1||0x00000001||",
                "\(times[1])|\(v6)|4000|5004|\(hex(rtcp))||1||0x00000001||",
            ])
    }
}

/// All datagrams of a capture up to its end or the first error.
private struct CaptureReadings {
    var found: [CapturedDatagram] = []
    var bytes: [[UInt8]] = []
    let statistics: CaptureStatistics
    var error: (any Error)?

    init(of reader: CaptureReader) {
        var datagram: [UInt8] = []
        do {
            while let read = try reader.next(into: &datagram) {
                found.append(read)
                bytes.append(datagram)
            }
        } catch {
            self.error = error
        }
        statistics = reader.statistics
    }
}
