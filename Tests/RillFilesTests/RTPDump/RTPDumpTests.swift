import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct RTPDumpTests {
    let folder = TemporaryFolder()

    private let rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7]
    private let rtcp: [UInt8] = [0x80, 200, 0, 1, 0, 0, 0, 1]

    /// As rtpdump itself would have written it.
    private var file: [UInt8] {
        [UInt8]("#!rtpplay1.0 10.1.2.3/5006\n".utf8)
            + [0, 0, 0, 9, 0, 0, 0, 8, 10, 1, 2, 3, 0x13, 0x8E, 0, 0]
            + [0, 21, 0, 13, 0, 0, 0, 0] + rtp
            + [0, 16, 0, 0, 0, 0, 1, 4] + rtcp
            + [0, 20, 0, 13, 0xFF, 0xFF, 0xFF, 0xFF] + rtp[..<12]
    }

    private func reader(_ bytes: [UInt8]) throws(FileError) -> RTPDumpReader {
        try RTPDumpReader(ByteInput(bytes: bytes, path: "call.rtpdump"))
    }

    /// All packets up to the end or the first error.
    private func packets(
        of reader: RTPDumpReader
    ) -> (records: [RTPDumpRecord], packets: [[UInt8]], error: FileError?) {
        var packet: [UInt8] = []
        var (records, packets): ([RTPDumpRecord], [[UInt8]]) = ([], [])
        do throws(FileError) {
            while let record = try reader.next(into: &packet) {
                records.append(record)
                packets.append(packet)
            }
            return (records, packets, nil)
        } catch {
            return (records, packets, error)
        }
    }

    @Test func `A recording of rtptools is read`() throws {
        try makePipe(folder.path("pipe"), feeding: file)
        for reader in [try reader(file), try RTPDumpReader(path: folder.path("pipe"))] {
            #expect(
                reader.header
                    == RTPDumpHeader(address: 0x0A01_0203, port: 5006, startSeconds: 9, startMicroseconds: 8))
            #expect(reader.header.addressText == "10.1.2.3")
            let (records, packets, error) = packets(of: reader)
            #expect(error == nil)
            #expect(packets == [rtp, rtcp, Array(rtp[..<12])])
            #expect(records.map(\.kind) == [.rtp, .rtcp, .rtp])
            #expect(
                records.map(\.time)
                    == [.zero, .zero + .milliseconds(260), .zero + .milliseconds(Int(UInt32.max))])
            #expect(records.map(\.byteCount) == [13, 8, 12])
            #expect(records.map(\.originalByteCount) == [13, 8, 13])
            #expect(records.map(\.position) == [51, 72, 88])
        }
    }

    @Test func `Written values are parsed back`() throws {
        let path = folder.path("call.rtpdump")
        let header = RTPDumpHeader(address: 0xE000_0001, port: 65535, startSeconds: .max, startMicroseconds: 999_999)
        let dump = try RTPDumpWriter(path: path, header: header, startTime: MediaTime.zero + .seconds(5))
        dump.send(rtp.span, at: .zero + .seconds(4))
        dump.send(rtcp.span, at: .zero + .microseconds(5_012_500))
        try dump.write(Span(), .rtcp, at: .zero + .microseconds(5_013_499))
        let longest = [UInt8](repeating: 0x80, count: 65527)
        dump.send(longest.span, at: .distantFuture)
        try dump.finish()

        let reader = try RTPDumpReader(path: path)
        #expect(reader.header == header)
        let (records, packets, error) = packets(of: reader)
        #expect(error == nil)
        #expect(packets == [rtp, rtcp, [], longest])
        #expect(records.map(\.kind) == [.rtp, .rtcp, .rtcp, .rtp])
        #expect(records.map { $0.time.nanoseconds / 1_000_000 } == [0, 13, 13, Int64(UInt32.max)])
        #expect(records.map(\.originalByteCount) == packets.map(\.count))
    }

    @Test func `The bytes are those of rtptools`() throws {
        let path = folder.path("call.rtpdump")
        let dump = try RTPDumpWriter(
            path: path,
            header: RTPDumpHeader(address: 0x0A01_0203, port: 5006, startSeconds: 9, startMicroseconds: 8))
        dump.send(rtp.span, at: .zero)
        dump.send(rtcp.span, at: .zero + .milliseconds(260))
        try dump.finish()
        #expect(try read(path) == Array(file.dropLast(20)))
    }

    @Test(arguments: [(64, false), (127, false), (191, false), (192, true), (200, true), (223, true), (224, false)])
    func `The second byte distinguishes RTCP from RTP`(byte: UInt8, isRTCP: Bool) throws {
        let path = folder.path("call.rtpdump")
        let dump = try RTPDumpWriter(path: path)
        dump.send([0x80, byte, 0, 0].span, at: .zero)
        try dump.finish()
        #expect(packets(of: try RTPDumpReader(path: path)).records.map(\.kind) == [isRTCP ? .rtcp : .rtp])
    }

    @Test func `A packet too long for the format is refused`() throws {
        let dump = try RTPDumpWriter(path: folder.path("call.rtpdump"))
        let tooLong = [UInt8](repeating: 0, count: 65528)
        let error = FileError.tooLarge(
            path: folder.path("call.rtpdump"), position: 44, byteCount: 65528, limit: 65527)
        #expect(throws: error) { try dump.write(tooLong.span, .rtp, at: .zero) }
        dump.send(tooLong.span, at: .zero)
        dump.send(rtp.span, at: .zero)
        #expect(throws: error) { try dump.finish() }
        #expect(try read(folder.path("call.rtpdump")).count == 44)
    }

    @Test func `A recording cut anywhere gives its whole packets and one error`() throws {
        let starts = [43, 64, 80, 100]
        for length in 0..<file.count {
            let cut = Array(file[..<length])
            guard length >= 43 else {
                let expected: FileError =
                    switch length {
                    case 0: .empty(path: "call.rtpdump")
                    case ..<27:
                        // The 13 bytes by which a recording is known, then the rest of the line byte by byte.
                        .truncated(
                            path: "call.rtpdump", position: 0, needed: max(13, length + 1), available: length)
                    default: .truncated(path: "call.rtpdump", position: 27, needed: 16, available: length - 27)
                    }
                #expect(throws: expected, "\(length) bytes") { try reader(cut) }
                continue
            }
            let whole = starts.lastIndex { $0 <= length }!
            let rest = length - starts[whole]
            let result = packets(of: try reader(cut))
            #expect(result.packets == Array([rtp, rtcp, Array(rtp[..<12])][..<whole]), "\(length) bytes")
            let expected: FileError? =
                switch rest {
                case 0: nil
                case 1..<8: .truncated(path: "call.rtpdump", position: starts[whole], needed: 8, available: rest)
                default:
                    .truncated(
                        path: "call.rtpdump", position: starts[whole] + 8, needed: [13, 8, 12][whole],
                        available: rest - 8)
                }
            #expect(result.error == expected, "\(length) bytes")
        }
    }

    @Test func `A length that does not cover its own header is reported`() throws {
        for length in UInt8(0)..<8 {
            var bytes = file
            bytes[65] = length
            let result = packets(of: try reader(bytes))
            #expect(result.packets == [rtp])
            #expect(
                result.error
                    == .invalidField(
                        path: "call.rtpdump", position: 64, field: "length of a record", value: "\(length)"))
        }
    }

    @Test func `Foreign and endless headers are reported`() {
        #expect(throws: FileError.foreign(path: "call.rtpdump", expected: "#!rtpplay1.0 ", found: [0x23, 0x21, 0x2F])) {
            try reader([0x23, 0x21, 0x2F])
        }
        let endless = [UInt8]("#!rtpplay1.0 ".utf8) + [UInt8](repeating: 0x31, count: 100_000)
        #expect(throws: FileError.headerTooLong(path: "call.rtpdump", position: 0, limit: 256)) { try reader(endless) }
    }

    @Test func `No bytes bring it down`() throws {
        var (opened, packetsRead, failures) = (0, 0, 0)
        for (index, bytes) in MutatedInputs(of: [file], count: 100_000, using: SeededGenerator(seed: 43)).enumerated() {
            guard let dump = try? reader(bytes) else { continue }  // refusals are other tests' business
            opened += 1
            let result = packets(of: dump)
            packetsRead += result.packets.count
            failures += result.error == nil ? 0 : 1
            guard result.error != nil || dump.position == bytes.count,
                zip(result.records, result.packets).allSatisfy({ record, packet in
                    packet.elementsEqual(bytes[record.position..<record.position + record.byteCount])
                })
            else {
                Issue.record("input \(index)")
                return
            }
        }
        #expect(opened > 30_000 && opened < 95_000 && packetsRead > 50_000 && failures > 10_000)
    }
}
