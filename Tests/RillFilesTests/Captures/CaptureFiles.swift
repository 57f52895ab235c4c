import RillCore

@testable import RillFiles

/// Captures made by hand, and what is read of captures.
enum CaptureFiles {
    static let sender = UDPAddress(.v4(0x0A00_0001), port: 4000)
    static let receiver = UDPAddress(.v4(0x0A00_0002), port: 5004)
    static let senderV6 = UDPAddress(.v6(0x2001_0DB8_0000_0000_0000_0000_0000_0001, zone: 0), port: 4000)
    static let receiverV6 = UDPAddress(.v6(0x2001_0DB8_0000_0000_0000_0000_0000_0002, zone: 0), port: 5004)

    /// A datagram in its Internet packet.
    static func packet(
        _ datagram: [UInt8], from source: UDPAddress = sender, to destination: UDPAddress = receiver
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        InternetPacket.appendHeaders(of: datagram.span, from: source, to: destination, to: &bytes)
        return bytes + datagram
    }

    /// All datagrams of a capture up to its end or the first error.
    static func datagrams(
        in file: [UInt8]
    ) throws(FileError) -> (
        found: [CapturedDatagram], bytes: [[UInt8]], statistics: CaptureStatistics, error: FileError?
    ) {
        datagrams(of: try CaptureReader(ByteInput(bytes: file, path: "call")))
    }

    static func datagrams(
        of reader: CaptureReader
    ) -> (found: [CapturedDatagram], bytes: [[UInt8]], statistics: CaptureStatistics, error: FileError?) {
        var bytes: [UInt8] = []
        var (found, all): ([CapturedDatagram], [[UInt8]]) = ([], [])
        do throws(FileError) {
            while let datagram = try reader.next(into: &bytes) {
                found.append(datagram)
                all.append(bytes)
            }
            return (found, all, reader.statistics, nil)
        } catch {
            return (found, all, reader.statistics, error)
        }
    }

    // MARK: pcap

    /// A pcap file of those frames, a second and a tick apart.
    static func pcap(
        _ frames: [[UInt8]], linkType: LinkType = .rawIP, magic: UInt32 = PCAPFormat.microsecondMagic,
        order: ByteOrder = .little
    ) -> [UInt8] {
        var file: [UInt8] = []
        file.append(magic, order)
        file.append(UInt16(2), order)
        file.append(UInt16(4), order)
        file.append(UInt64(0), order)
        file.append(UInt32(65535), order)
        file.append(UInt32(linkType.rawValue), order)
        for (index, frame) in frames.enumerated() {
            file.append(UInt32(index), order)
            file.append(UInt32(index), order)
            file.append(UInt32(frame.count), order)
            file.append(UInt32(frame.count), order)
            file += frame
        }
        return file
    }

    // MARK: pcapng

    static func block(_ type: UInt32, _ body: [UInt8], _ order: ByteOrder = .little) -> [UInt8] {
        var block: [UInt8] = []
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        block.append(type, order)
        block.append(UInt32(12 + padded.count), order)
        block += padded
        block.append(UInt32(12 + padded.count), order)
        return block
    }

    static func section(_ order: ByteOrder = .little) -> [UInt8] {
        var body: [UInt8] = []
        body.append(PCAPNGFormat.byteOrderMagic, order)
        body.append(UInt16(1), order)
        body.append(UInt16(0), order)
        body.append(Int64(-1), order)
        return block(PCAPNGFormat.sectionHeader, body, order)
    }

    /// An interface with options: code and value each.
    static func interface(
        _ linkType: LinkType, snapLength: UInt32 = 0, options: [(UInt16, [UInt8])] = [], _ order: ByteOrder = .little
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.append(linkType.rawValue, order)
        body.append(UInt16(0), order)
        body.append(snapLength, order)
        for (code, value) in options {
            body.append(code, order)
            body.append(UInt16(value.count), order)
            body += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        if !options.isEmpty { body += [0, 0, 0, 0] }
        return block(PCAPNGFormat.interfaceDescription, body, order)
    }

    static func enhancedPacket(
        _ frame: [UInt8], interface: UInt32 = 0, ticks: UInt64 = 0, _ order: ByteOrder = .little
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.append(interface, order)
        body.append(UInt32(ticks >> 32), order)
        body.append(UInt32(truncatingIfNeeded: ticks), order)
        body.append(UInt32(frame.count), order)
        body.append(UInt32(frame.count), order)
        return block(PCAPNGFormat.enhancedPacket, body + frame, order)
    }

    static func simplePacket(_ frame: [UInt8], originalByteCount: Int? = nil, _ order: ByteOrder = .little) -> [UInt8] {
        var body: [UInt8] = []
        body.append(UInt32(originalByteCount ?? frame.count), order)
        return block(PCAPNGFormat.simplePacket, body + frame, order)
    }

    static func obsoletePacket(
        _ frame: [UInt8], interface: UInt16 = 0, ticks: UInt64 = 0, _ order: ByteOrder = .little
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.append(interface, order)
        body.append(UInt16(7), order)
        body.append(UInt32(ticks >> 32), order)
        body.append(UInt32(truncatingIfNeeded: ticks), order)
        body.append(UInt32(frame.count), order)
        body.append(UInt32(frame.count), order)
        return block(PCAPNGFormat.obsoletePacket, body + frame, order)
    }
}
