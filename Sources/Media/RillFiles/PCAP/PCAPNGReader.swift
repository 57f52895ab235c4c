import RillCore

enum PCAPNGFormat {
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interfaceDescription: UInt32 = 1
    static let obsoletePacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6

    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    static let blockHeaderByteCount = 8
    static let blockTrailerByteCount = 4
    /// The size of the header of packet blocks of types 2 and 6, after the block's own header.
    static let packetHeaderByteCount = 20

    static let endOfOptions: UInt16 = 0
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14

    /// The maximum number of interfaces in one section.
    static let maximumInterfaceCount = 4096
}

/// Reads the packets of a pcapng file, section by section.
///
/// pcapng (draft-ietf-opsawg-pcapng) is a sequence of blocks, each in the byte order of its section:
///
/// ```text
/// every block                          section header, 0x0A0D0D0A     interface, 1
///  0  type              uint32          8  0x1A2B3C4D     uint32       8  link type         uint16
///  4  bytes, all of it  uint32         12  version, 1     uint16      10  reserved          uint16
///  8  its body                         14  version, 0     uint16      12  most bytes kept   uint32
/// -4  bytes, again      uint32         16  section bytes   int64      16  options
///                                      24  options
/// enhanced packet, 6                   simple packet, 3               packet, 2 (obsolete)
///  8  interface         uint32          8  bytes it had   uint32       8  interface         uint16
/// 12  time, high        uint32         12  its bytes                  10  drops             uint16
/// 16  time, low         uint32                                        12  as in type 6
/// 20  bytes captured    uint32         option
/// 24  bytes it had      uint32          0  code           uint16
/// 28  its bytes                         2  bytes          uint16
///     options                           4  its value, filled up to whole words
/// ```
///
/// Other blocks and fields are ignored.
struct PCAPNGReader: ~Copyable {
    private var input: ByteInput
    private var order = ByteOrder.little
    private var interfaces: [Interface] = []

    private struct Interface {
        var linkType: LinkType
        /// The maximum number of captured bytes per packet; 0 for no limit.
        var snapLength: Int
        var clock = PCAPNGClock()
    }

    /// Checks the first bytes. The section header is parsed with the first packet.
    ///
    /// - Throws: `readFailed`, `empty`, `foreign`.
    init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        let available = try input.fill(4)
        guard available > 0 else { throw .empty(path: input.path) }
        // The number is the same in both byte orders.
        guard available < 4 || input.buffered.littleEndian(UInt32.self, at: 0) == PCAPNGFormat.sectionHeader else {
            throw .foreign(path: input.path, expected: "a pcapng section", found: input.buffered.prefixBytes())
        }
        self.input = input
    }

    var position: Int { input.position }

    /// Replaces `packet` with the bytes of the next packet. Returns `nil` after the last one.
    ///
    /// - Throws: `truncated`, `damaged`, `invalidField`, `tooLarge`, `timeOutOfRange`, `unsupportedCapture`,
    ///   `readFailed`.
    mutating func next(into packet: inout [UInt8]) throws(FileError) -> CapturedPacket? {
        while try input.fill(1) > 0 {
            if let found = try readBlock(into: &packet) { return found }
        }
        return nil
    }

    // MARK: Blocks

    /// Reads the next block. Returns `nil` if it is not a packet.
    private mutating func readBlock(into packet: inout [UInt8]) throws(FileError) -> CapturedPacket? {
        let start = input.position
        try input.require(PCAPNGFormat.blockHeaderByteCount)
        if input.buffered.littleEndian(UInt32.self, at: 0) == PCAPNGFormat.sectionHeader { try beginSection() }
        let type = input.buffered.integer(UInt32.self, at: 0, order)
        let byteCount = Int(input.buffered.integer(UInt32.self, at: 4, order))
        let leastByteCount = PCAPNGFormat.blockHeaderByteCount + PCAPNGFormat.blockTrailerByteCount
        guard byteCount >= leastByteCount, byteCount % 4 == 0 else {
            throw .invalidField(path: input.path, position: start, field: "length of a block", value: "\(byteCount)")
        }
        input.consume(PCAPNGFormat.blockHeaderByteCount)

        let end = start + byteCount - PCAPNGFormat.blockTrailerByteCount
        var found: CapturedPacket?
        switch type {
        case PCAPNGFormat.interfaceDescription: try readInterface(endingAt: end)
        case PCAPNGFormat.enhancedPacket, PCAPNGFormat.obsoletePacket:
            found = try readPacket(isObsolete: type == PCAPNGFormat.obsoletePacket, endingAt: end, into: &packet)
        case PCAPNGFormat.simplePacket: found = try readSimplePacket(endingAt: end, into: &packet)
        default: break
        }
        try input.skip(end - input.position)
        try input.require(PCAPNGFormat.blockTrailerByteCount)
        guard Int(input.buffered.integer(UInt32.self, at: 0, order)) == byteCount else {
            throw .damaged(
                path: input.path, position: input.position, expected: "the block's length, \(byteCount),",
                found: input.buffered.prefixBytes(4))
        }
        input.consume(PCAPNGFormat.blockTrailerByteCount)
        return found
    }

    /// Parses the header of a section, without consuming it, for the byte order of what follows.
    private mutating func beginSection() throws(FileError) {
        try input.require(28)
        if input.buffered.littleEndian(UInt32.self, at: 8) == PCAPNGFormat.byteOrderMagic {
            order = .little
        } else if input.buffered.bigEndian(UInt32.self, at: 8) == PCAPNGFormat.byteOrderMagic {
            order = .big
        } else {
            throw .damaged(
                path: input.path, position: input.position + 8, expected: "a pcapng byte-order mark",
                found: input.buffered.extracting(8..<12).prefixBytes())
        }
        let version = input.buffered.integer(UInt16.self, at: 12, order)
        guard version == 1 else {
            throw .unsupportedCapture(path: input.path, format: "pcapng of version \(version)")
        }
        interfaces.removeAll(keepingCapacity: true)
    }

    /// Throws unless the block has `count` more bytes.
    private func requireRoom(_ count: Int, endingAt end: Int) throws(FileError) {
        guard end - input.position >= count else {
            throw .invalidField(
                path: input.path, position: input.position, field: "length of a block",
                value: "\(end - input.position) bytes where \(count) belong")
        }
    }

    /// Buffers `count` bytes of the block.
    private mutating func require(_ count: Int, endingAt end: Int) throws(FileError) {
        try requireRoom(count, endingAt: end)
        try input.require(count)
    }

    private mutating func readInterface(endingAt end: Int) throws(FileError) {
        guard interfaces.count < PCAPNGFormat.maximumInterfaceCount else {
            throw .tooLarge(
                path: input.path, position: input.position, byteCount: interfaces.count + 1,
                limit: PCAPNGFormat.maximumInterfaceCount)
        }
        try require(8, endingAt: end)
        var interface = Interface(
            linkType: LinkType(rawValue: input.buffered.integer(UInt16.self, at: 0, order)),
            snapLength: Int(input.buffered.integer(UInt32.self, at: 4, order)))
        input.consume(8)
        try readOptions(of: &interface, endingAt: end)
        interfaces.append(interface)
    }

    private mutating func readOptions(of interface: inout Interface, endingAt end: Int) throws(FileError) {
        while end - input.position >= 4 {
            try input.require(4)
            let code = input.buffered.integer(UInt16.self, at: 0, order)
            let byteCount = Int(input.buffered.integer(UInt16.self, at: 2, order))
            let paddedByteCount = (byteCount + 3) / 4 * 4
            input.consume(4)
            guard code != PCAPNGFormat.endOfOptions else { return }
            try requireRoom(paddedByteCount, endingAt: end)
            switch (code, byteCount) {
            case (PCAPNGFormat.timeResolution, 1):
                try input.require(1)
                guard interface.clock.setResolution(input.buffered[0]) else {
                    throw .invalidField(
                        path: input.path, position: input.position, field: "time resolution",
                        value: "\(input.buffered[0])")
                }
            case (PCAPNGFormat.timeOffset, 8):
                try input.require(8)
                interface.clock.offset = input.buffered.integer(Int64.self, at: 0, order)
            default: break
            }
            try input.skip(paddedByteCount)
        }
    }

    // MARK: Packets

    private func interface(_ number: Int) throws(FileError) -> Interface {
        guard number < interfaces.count else {
            throw .invalidField(
                path: input.path, position: input.position, field: "number of an interface",
                value: "\(number) of \(interfaces.count)")
        }
        return interfaces[number]
    }

    private mutating func readPacket(
        isObsolete: Bool, endingAt end: Int, into packet: inout [UInt8]
    ) throws(FileError) -> CapturedPacket {
        let headerByteCount = PCAPNGFormat.packetHeaderByteCount
        try require(headerByteCount, endingAt: end)
        let number =
            isObsolete
            ? Int(input.buffered.integer(UInt16.self, at: 0, order))
            : Int(input.buffered.integer(UInt32.self, at: 0, order))
        let interface = try interface(number)
        let high = UInt64(input.buffered.integer(UInt32.self, at: 4, order))
        let ticks = high << 32 | UInt64(input.buffered.integer(UInt32.self, at: 8, order))
        let byteCount = Int(input.buffered.integer(UInt32.self, at: 12, order))
        guard let time = interface.clock.time(ofTicks: ticks) else {
            throw .timeOutOfRange(path: input.path, position: input.position)
        }
        input.consume(headerByteCount)
        try requireRoom(byteCount, endingAt: end)
        let found = CapturedPacket(time: time, linkType: interface.linkType, position: input.position)
        try input.readPacket(byteCount, into: &packet)
        return found
    }

    private mutating func readSimplePacket(endingAt end: Int, into packet: inout [UInt8]) throws(FileError)
        -> CapturedPacket
    {
        let interface = try interface(0)
        try require(4, endingAt: end)
        let originalByteCount = Int(input.buffered.integer(UInt32.self, at: 0, order))
        input.consume(4)
        let byteCount = interface.snapLength == 0 ? originalByteCount : min(originalByteCount, interface.snapLength)
        try requireRoom(byteCount, endingAt: end)
        let found = CapturedPacket(time: nil, linkType: interface.linkType, position: input.position)
        try input.readPacket(byteCount, into: &packet)
        return found
    }
}

/// The clock of an interface's packets: `if_tsresol` and `if_tsoffset` of its description.
private struct PCAPNGClock: Equatable {
    /// Ticks per second.
    private(set) var rate: UInt128 = 1_000_000
    /// The seconds to add.
    var offset: Int64 = 0

    /// Times after 2106 and before 1970 are rejected: their differences could overflow.
    static let range = 0...(Int128(UInt32.max) * 1_000_000_000)

    /// Sets the rate to a power of ten, or with the highest bit set to a power of two. Returns `false` for an
    /// unreasonable one.
    mutating func setResolution(_ value: UInt8) -> Bool {
        let exponent = Int(value & 0x7F)
        if value & 0x80 != 0 {
            guard exponent <= 64 else { return false }
            rate = 1 << UInt128(exponent)
        } else {
            guard exponent <= 19 else { return false }
            rate = (0..<exponent).reduce(1) { power, _ in power * 10 }
        }
        return true
    }

    /// Returns the time since 1970; `nil` outside of ``range``.
    func time(ofTicks ticks: UInt64) -> MediaTime? {
        // Products of 64 and 30 bits, and of 63 and 30 bits, fit 127.
        let nanoseconds =
            Int128(UInt128(ticks) * 1_000_000_000 / rate) + Int128(offset) * 1_000_000_000
        return PCAPNGClock.range.contains(nanoseconds) ? MediaTime(nanoseconds: Int64(nanoseconds)) : nil
    }
}
