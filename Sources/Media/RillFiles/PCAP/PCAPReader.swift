import RillCore

enum PCAPFormat {
    static let microsecondMagic: UInt32 = 0xA1B2_C3D4
    static let nanosecondMagic: UInt32 = 0xA1B2_3C4D
    static let majorVersion: UInt16 = 2
    static let minorVersion: UInt16 = 4
    static let fileHeaderByteCount = 24
    static let packetHeaderByteCount = 16

    /// The first bytes of every file: two resolutions, two byte orders.
    static let magics: [[UInt8]] = [microsecondMagic, nanosecondMagic].flatMap { magic in
        ByteOrder.allCases.map { order in
            var bytes: [UInt8] = []
            bytes.append(magic, order)
            return bytes
        }
    }
}

/// Reads the packets of a pcap file.
///
/// The classic format of libpcap (draft-ietf-opsawg-pcap), in the byte order of the machine that wrote it:
///
/// ```text
/// file, 24 bytes                               packet, 16 bytes, then its bytes
///  0  0xA1B2C3D4: microseconds,                 0  seconds since 1970           uint32
///     0xA1B23C4D: nanoseconds    uint32         4  micro- or nanoseconds        uint32
///  4  version, 2                 uint16         8  bytes that were captured     uint32
///  6  version, 4                 uint16        12  bytes that the packet had    uint32
///  8  reserved (time zone)        int32
/// 12  reserved (precision)       uint32
/// 16  most bytes of a packet     uint32
/// 20  link type, 16 bits; others uint32
/// ```
struct PCAPReader: ~Copyable {
    private var input: ByteInput
    private let order: ByteOrder
    private let nanosecondsPerTick: Int64
    private let linkType: LinkType

    /// Reads the file header.
    ///
    /// - Throws: `readFailed`, `empty`, `foreign`, `truncated`, `unsupportedCapture`.
    init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        let available = try input.fill(PCAPFormat.fileHeaderByteCount)
        guard available > 0 else { throw .empty(path: input.path) }
        guard available >= 4 else { throw .truncated(path: input.path, position: 0, needed: 4, available: available) }
        let (order, nanosecondsPerTick): (ByteOrder, Int64)
        switch (input.buffered.littleEndian(UInt32.self, at: 0), input.buffered.bigEndian(UInt32.self, at: 0)) {
        case (PCAPFormat.microsecondMagic, _): (order, nanosecondsPerTick) = (.little, 1000)
        case (PCAPFormat.nanosecondMagic, _): (order, nanosecondsPerTick) = (.little, 1)
        case (_, PCAPFormat.microsecondMagic): (order, nanosecondsPerTick) = (.big, 1000)
        case (_, PCAPFormat.nanosecondMagic): (order, nanosecondsPerTick) = (.big, 1)
        default: throw .foreign(path: input.path, expected: "a pcap magic number", found: input.buffered.prefixBytes())
        }
        try input.require(PCAPFormat.fileHeaderByteCount)
        let version = input.buffered.integer(UInt16.self, at: 4, order)
        guard version == PCAPFormat.majorVersion else {
            throw .unsupportedCapture(path: input.path, format: "pcap of version \(version)")
        }
        let linkType = LinkType(
            rawValue: UInt16(truncatingIfNeeded: input.buffered.integer(UInt32.self, at: 20, order)))
        guard linkType.isKnown else {
            throw .unsupportedCapture(path: input.path, format: "pcap of link type \(linkType.rawValue)")
        }
        input.consume(PCAPFormat.fileHeaderByteCount)
        self.input = input
        self.order = order
        self.nanosecondsPerTick = nanosecondsPerTick
        self.linkType = linkType
    }

    var position: Int { input.position }

    /// Replaces `packet` with the bytes of the next packet. Returns `nil` after the last one.
    ///
    /// - Throws: `truncated`, `tooLarge`, `readFailed`.
    mutating func next(into packet: inout [UInt8]) throws(FileError) -> CapturedPacket? {
        guard try input.fillRecord(PCAPFormat.packetHeaderByteCount) else { return nil }
        let seconds = input.buffered.integer(UInt32.self, at: 0, order)
        let ticks = input.buffered.integer(UInt32.self, at: 4, order)
        let byteCount = Int(input.buffered.integer(UInt32.self, at: 8, order))
        input.consume(PCAPFormat.packetHeaderByteCount)
        // 2^32 seconds are 136 years, so no sum of these fields overflows.
        let time = MediaTime(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(ticks) * nanosecondsPerTick)
        let position = input.position
        try input.readPacket(byteCount, into: &packet)
        return CapturedPacket(time: time, linkType: linkType, position: position)
    }
}
