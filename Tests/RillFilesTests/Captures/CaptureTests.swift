import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct CaptureTests {
    let folder = TemporaryFolder()
    private let rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7]
    private let rtcp: [UInt8] = [0x80, 200, 0, 1, 0, 0, 0, 1]

    private func time(_ seconds: Int, _ nanoseconds: Int64 = 0) -> MediaTime {
        .zero + .seconds(seconds) + MediaDuration(nanoseconds: nanoseconds)
    }

    // MARK: Round trips

    static let settings: [CaptureWriter.Settings] = [LinkType.rawIP, .ethernet].flatMap { link in
        ByteOrder.allCases.flatMap { order in
            [false, true].map { isInMicroseconds in
                var settings = CaptureWriter.Settings()
                (settings.linkType, settings.byteOrder, settings.isInMicroseconds) = (link, order, isInMicroseconds)
                return settings
            }
        }
    }

    @Test(arguments: [VideoFileFormat.pcap, .pcapng], settings)
    func `Written values are parsed back`(format: VideoFileFormat, settings: CaptureWriter.Settings) throws {
        let path = folder.path("call.\(format.rawValue)")
        let capture = try CaptureWriter(path: path, settings: settings)
        #expect(capture.format == format)
        let longest = [UInt8](repeating: 9, count: 65507)
        let written: [([UInt8], UDPAddress, UDPAddress, MediaTime)] = [
            (rtp, CaptureFiles.sender, CaptureFiles.receiver, time(1_700_000_000, 123_456_000)),
            (rtcp, CaptureFiles.receiver, CaptureFiles.sender, time(1_700_000_001)),
            ([], CaptureFiles.senderV6, CaptureFiles.receiverV6, time(1_700_000_000)),
            (longest, CaptureFiles.receiverV6, CaptureFiles.senderV6, time(Int(UInt32.max), 0)),
        ]
        for (bytes, source, destination, time) in written {
            try capture.write(bytes.span, from: source, to: destination, at: time)
        }
        try capture.finish()

        let reader = try CaptureReader(path: path)
        #expect(reader.format == format)
        let result = CaptureFiles.datagrams(of: reader)
        #expect(result.error == nil)
        #expect(result.bytes == written.map(\.0))
        #expect(result.found.map(\.source) == written.map(\.1))
        #expect(result.found.map(\.destination) == written.map(\.2))
        #expect(result.found.map(\.time) == written.map(\.3))
        let file = try read(path)
        for (datagram, bytes) in zip(result.found, result.bytes) {
            #expect(!datagram.isCut && datagram.byteCount == bytes.count)
            #expect(Array(file[datagram.position..<datagram.position + datagram.byteCount]) == bytes)
        }
        #expect(result.statistics.packets == 4 && result.statistics.datagrams == 4)
        #expect(reader.position == file.count)
    }

    @Test func `rtpdump gives the same type`() throws {
        let path = folder.path("call.rtpdump")
        var settings = CaptureWriter.Settings()
        settings.startTime = time(1_700_000_000, 5_000_000)
        settings.address = CaptureFiles.receiver
        let capture = try CaptureWriter(path: path, settings: settings)
        for (bytes, offset) in [(rtp, 0), (rtcp, 260)] {
            try capture.write(
                bytes.span, from: CaptureFiles.sender, to: CaptureFiles.receiver,
                at: settings.startTime + .milliseconds(offset))
        }
        try capture.finish()
        let result = CaptureFiles.datagrams(of: try CaptureReader(path: path))
        #expect(result.error == nil && result.bytes == [rtp, rtcp])
        #expect(result.found.map(\.source) == [nil, nil])
        #expect(result.found.map(\.destination) == [CaptureFiles.receiver, CaptureFiles.receiver])
        #expect(result.found.map(\.time) == [settings.startTime, settings.startTime + .milliseconds(260)])
    }

    @Test func `A datagram longer than UDP allows is refused`() throws {
        let capture = try CaptureWriter(path: folder.path("call.pcap"))
        let bytes = [UInt8](repeating: 0, count: 65508)
        #expect(
            throws: FileError.tooLarge(path: folder.path("call.pcap"), position: 24, byteCount: 65508, limit: 65507)
        ) {
            try capture.write(bytes.span, from: CaptureFiles.sender, to: CaptureFiles.receiver, at: .zero)
        }
        try capture.finish()
    }

    @Test func `A file name extension that is not a capture's is rejected`() {
        let path = folder.path("call.ivf")
        #expect(throws: FileError.unsupportedCapture(path: path, format: "a capture of this ending")) {
            try CaptureWriter(path: path)
        }
    }

    // MARK: Reading pcap

    @Test(arguments: [PCAPFormat.microsecondMagic, PCAPFormat.nanosecondMagic], [ByteOrder.little, .big])
    func `Both resolutions and both byte orders are read`(magic: UInt32, order: ByteOrder) throws {
        let frames = [CaptureFiles.packet(rtp), CaptureFiles.packet(rtcp)]
        let result = try CaptureFiles.datagrams(in: CaptureFiles.pcap(frames, magic: magic, order: order))
        #expect(result.error == nil && result.bytes == [rtp, rtcp])
        #expect(result.found.map(\.time) == [.zero, time(1, magic == PCAPFormat.nanosecondMagic ? 1 : 1000)])
    }

    @Test func `Everything but whole datagrams is counted and skipped`() throws {
        var fragment = CaptureFiles.packet(rtp)
        fragment[6] = 0x20
        var stream = CaptureFiles.packet(rtp)
        stream[9] = 6
        let frames = [
            fragment, stream, Array(CaptureFiles.packet(rtp)[..<20]), Array(CaptureFiles.packet(rtp)[..<30]),
            CaptureFiles.packet(rtcp),
        ]
        let result = try CaptureFiles.datagrams(in: CaptureFiles.pcap(frames))
        var expected = CaptureStatistics()
        (expected.packets, expected.datagrams, expected.cutDatagrams) = (5, 2, 1)
        (expected.fragments, expected.others, expected.unreadable) = (1, 1, 1)
        #expect(result.statistics == expected && result.error == nil)
        #expect(result.bytes == [Array(rtp[..<2]), rtcp])
        #expect(result.found.map(\.isCut) == [true, false] && result.found[0].originalByteCount == 13)
    }

    /// The packet in fragments of at most `size` bytes, as a router makes them.
    private func fragments(_ packet: [UInt8], of size: Int, identification: UInt8) -> [[UInt8]] {
        let body = Array(packet[20...])
        return stride(from: 0, to: body.count, by: size).map { start in
            let piece = body[start..<min(start + size, body.count)]
            var header = Array(packet[..<20])
            header[2...3] = [0, UInt8(20 + piece.count)]
            header[5] = identification
            header[6...7] = [piece.endIndex < body.count ? 0x20 : 0, UInt8(start / 8)]
            return header + piece
        }
    }

    @Test func `Fragments in any order are one datagram`() throws {
        let long = (0..<90).map { UInt8($0) }
        let parts = [7, 8].map { fragments(CaptureFiles.packet(long), of: 24, identification: $0) }
        #expect(parts[0].count == 5)
        // Two datagrams mixed, the second backwards, one fragment twice, and one datagram that lacks its middle.
        let lacking = fragments(CaptureFiles.packet(long), of: 24, identification: 9)
        var frames = zip(parts[0], parts[1].reversed()).flatMap { [$0, $1] }
        frames.insert(parts[0][1], at: 3)
        frames += [lacking[0], lacking[4], CaptureFiles.packet(rtcp)]
        let result = try CaptureFiles.datagrams(in: CaptureFiles.pcap(frames))
        #expect(result.error == nil && result.bytes == [long, long, rtcp])
        #expect(result.found.allSatisfy { !$0.isCut && $0.source == CaptureFiles.sender })
        #expect(result.statistics.fragments == 2 && result.statistics.datagrams == 3)
    }

    @Test func `Of fragments that were cut, what begins the datagram is returned`() throws {
        let long = (0..<90).map { UInt8($0) }
        let frames = fragments(CaptureFiles.packet(long), of: 24, identification: 7).map { Array($0.prefix(40)) }
        let result = try CaptureFiles.datagrams(in: CaptureFiles.pcap(frames))
        #expect(result.bytes == [Array(long.prefix(12))])
        #expect(result.found.first?.originalByteCount == 90 && result.statistics.cutDatagrams == 1)
    }

    @Test func `Fragments of a hundred thousand datagrams leave nothing behind`() throws {
        var buffer = FragmentBuffer()
        let frame = [UInt8](repeating: 0, count: 24)
        for number in 0..<100_000 as Range<UInt32> {
            let fragment = InternetPacket.Fragment(
                key: .init(source: .v4(1), destination: .v4(2), identification: number), range: 65_496..<65_520,
                isLast: false, payload: 0..<24)
            #expect(buffer.insert(fragment, of: frame.span) == nil)
        }
        #expect(buffer.incompleteCount == FragmentBuffer.limit)
    }

    @Test func `A file of another kind, version or link is refused`() throws {
        #expect(throws: FileError.empty(path: "call")) { try CaptureFiles.datagrams(in: []) }
        let foreign: [UInt8] = Array("DKIF and so on, sixteen".utf8)
        #expect(
            throws: FileError.foreign(
                path: "call", expected: "pcap, pcapng or rtpdump", found: Array(foreign[..<16]))
        ) { try CaptureFiles.datagrams(in: foreign) }
        var version = CaptureFiles.pcap([])
        version[4] = 3
        #expect(throws: FileError.unsupportedCapture(path: "call", format: "pcap of version 3")) {
            try CaptureFiles.datagrams(in: version)
        }
        #expect(throws: FileError.unsupportedCapture(path: "call", format: "pcap of link type 147")) {
            try CaptureFiles.datagrams(in: CaptureFiles.pcap([], linkType: LinkType(rawValue: 147)))
        }
    }

    @Test func `A pcap cut anywhere gives its whole datagrams and one error`() throws {
        let file = CaptureFiles.pcap([CaptureFiles.packet(rtp), CaptureFiles.packet(rtcp)])
        let ends = [24, 24 + 16 + 41, file.count]
        for length in 4..<file.count {
            let cut = Array(file[..<length])
            guard length >= 24 else {
                #expect(throws: FileError.truncated(path: "call", position: 0, needed: 24, available: length)) {
                    try CaptureFiles.datagrams(in: cut)
                }
                continue
            }
            let result = try CaptureFiles.datagrams(in: cut)
            let whole = ends.lastIndex { $0 <= length }!
            #expect(result.bytes == Array([rtp, rtcp][..<whole]), "\(length) bytes")
            let rest = length - ends[whole]
            let expected: FileError? =
                switch rest {
                case 0: nil
                case ..<16: .truncated(path: "call", position: ends[whole], needed: 16, available: rest)
                default:
                    .truncated(
                        path: "call", position: ends[whole] + 16, needed: [41, 36][whole], available: rest - 16)
                }
            #expect(result.error == expected, "\(length) bytes")
        }
    }

    @Test func `A packet of an impossible size is reported with its position`() throws {
        var file = CaptureFiles.pcap([CaptureFiles.packet(rtp)])
        file[32...35] = [0xFF, 0xFF, 0xFF, 0x7F]
        let result = try CaptureFiles.datagrams(in: file)
        #expect(result.error == .tooLarge(path: "call", position: 40, byteCount: 0x7FFF_FFFF, limit: 1 << 18))
    }

    // MARK: Reading pcapng

    @Test(arguments: [ByteOrder.little, .big])
    func `Sections, interfaces, resolutions and all packet blocks are read`(order: ByteOrder) throws {
        let other: ByteOrder = order == .little ? .big : .little
        let frame = CaptureFiles.packet(rtp)
        let ethernet = [UInt8](repeating: 2, count: 12) + [8, 0] + frame
        var offset: [UInt8] = []
        offset.append(Int64(100), order)
        let file =
            CaptureFiles.section(order)
            + CaptureFiles.interface(.rawIP, snapLength: UInt32(frame.count - 1), order)
            + CaptureFiles.block(5, [1, 2, 3], order)
            + CaptureFiles.interface(
                .ethernet, options: [(2, Array("eth0".utf8)), (9, [9]), (14, offset)], order)
            + CaptureFiles.interface(LinkType(rawValue: 147), options: [(9, [0x8A])], order)
            + CaptureFiles.enhancedPacket(frame, ticks: 2_500_000, order)
            + CaptureFiles.enhancedPacket(ethernet, interface: 1, ticks: 7_000_000_009, order)
            + CaptureFiles.enhancedPacket(frame, interface: 2, ticks: 1536, order)
            + CaptureFiles.simplePacket(Array(frame.dropLast()), originalByteCount: frame.count, order)
            + CaptureFiles.section(other) + CaptureFiles.interface(.ipv4, options: [(9, [0x8A])], other)
            + CaptureFiles.obsoletePacket(frame, ticks: 1536, other)
        let result = try CaptureFiles.datagrams(in: file)
        #expect(result.error == nil)
        #expect(result.bytes == [rtp, rtp, rtp.dropLast(), rtp])
        #expect(
            result.found.map(\.time)
                == [time(2, 500_000_000), time(107, 9), time(1, 500_000_000), time(1, 500_000_000)])
        #expect(result.found.map(\.isCut) == [false, false, true, false])
        #expect(result.statistics.packets == 5 && result.statistics.others == 1)
    }

    @Test func `Contradictions are reported with their position`() throws {
        let head = CaptureFiles.section() + CaptureFiles.interface(.rawIP)
        let packet = CaptureFiles.enhancedPacket(CaptureFiles.packet(rtp))
        func error(_ block: [UInt8]) throws -> FileError? { try CaptureFiles.datagrams(in: head + block).error }
        func changed(_ offset: Int, _ value: UInt8) -> [UInt8] {
            var bytes = packet
            bytes[offset] = value
            return bytes
        }
        let start = head.count
        #expect(try error(packet) == nil)
        for length: UInt8 in [0, 8, 11, 77] {
            #expect(
                try error(changed(4, length))
                    == .invalidField(path: "call", position: start, field: "length of a block", value: "\(length)"))
        }
        #expect(
            try error(changed(8, 1))
                == .invalidField(path: "call", position: start + 8, field: "number of an interface", value: "1 of 1"))
        #expect(
            try error(changed(21, 1))
                == .invalidField(
                    path: "call", position: start + 28, field: "length of a block", value: "44 bytes where 297 belong"))
        #expect(try error(changed(15, 0x80)) == .timeOutOfRange(path: "call", position: start + 8))
        #expect(
            try error(changed(packet.count - 1, 1))
                == .damaged(
                    path: "call", position: start + packet.count - 4, expected: "the block's length, 76,",
                    found: [76, 0, 0, 1]))
        #expect(
            try error(CaptureFiles.interface(.rawIP, options: [(9, [20])]))
                == .invalidField(path: "call", position: start + 20, field: "time resolution", value: "20"))
        let interfaces = (0..<4096).flatMap { _ in CaptureFiles.interface(.rawIP) }
        #expect(
            try error(interfaces)
                == .tooLarge(path: "call", position: start + 20 * 4095 + 8, byteCount: 4097, limit: 4096))
    }

    @Test func `A pcapng cut anywhere gives its whole datagrams and one error`() throws {
        let frame = CaptureFiles.packet(rtp)
        let blocks = [
            CaptureFiles.section(), CaptureFiles.interface(.rawIP, options: [(9, [9])]),
            CaptureFiles.enhancedPacket(frame), CaptureFiles.simplePacket(frame),
        ]
        let file = Array(blocks.joined())
        let ends = [28, 60, 60 + 76, file.count]
        for length in 4..<file.count {
            let result = try CaptureFiles.datagrams(in: Array(file[..<length]))
            let whole = ends.lastIndex { $0 <= length } ?? -1
            let isAtEnd = ends.contains(length)
            #expect((result.error == nil) == isAtEnd, "\(length) bytes")
            // The packet's bytes may be whole where only its block's end is missing: then it is not given.
            #expect(result.bytes.count == max(0, whole - 1), "\(length) bytes")
        }
    }

    // MARK: Hostile bytes

    @Test(arguments: [VideoFileFormat.pcap, .pcapng])
    func `No bytes bring it down`(format: VideoFileFormat) throws {
        let frame = CaptureFiles.packet(rtp)
        let v6 = CaptureFiles.packet(rtcp, from: CaptureFiles.senderV6, to: CaptureFiles.receiverV6)
        let ethernet = [UInt8](repeating: 2, count: 12) + [0x81, 0, 0, 1, 8, 0] + frame
        let seeds: [[UInt8]] =
            format == .pcap
            ? [
                CaptureFiles.pcap([frame, v6]),
                CaptureFiles.pcap([ethernet, ethernet], linkType: .ethernet, order: .big),
            ]
            : [
                CaptureFiles.section() + CaptureFiles.interface(.rawIP, options: [(9, [9])])
                    + CaptureFiles.enhancedPacket(frame) + CaptureFiles.enhancedPacket(v6),
                CaptureFiles.section(.big) + CaptureFiles.interface(.ethernet, snapLength: 99, .big)
                    + CaptureFiles.simplePacket(ethernet, .big) + CaptureFiles.obsoletePacket(ethernet, .big),
            ]
        var (opened, read, failures) = (0, 0, 0)
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 24))
        for (index, bytes) in inputs.enumerated() {
            // Refusals are other tests' business.
            guard let result = try? CaptureFiles.datagrams(in: bytes) else { continue }
            opened += 1
            read += result.bytes.count
            failures += result.error == nil ? 0 : 1
            let isConsistent = zip(result.found, result.bytes).allSatisfy { datagram, payload in
                datagram.byteCount == payload.count && datagram.byteCount <= datagram.originalByteCount
                    && payload.elementsEqual(bytes[datagram.position..<datagram.position + payload.count])
            }
            guard !isConsistent else { continue }
            Issue.record("input \(index)")
            return
        }
        #expect(opened > 30_000 && read > 30_000 && failures > 10_000, "\(opened) \(read) \(failures)")
    }
}
