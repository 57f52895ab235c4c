import RillCore

/// The description of a packet in a capture file, without its bytes, which start with the link layer's header.
struct CapturedPacket {
    /// The time in nanoseconds since 1970; `nil` if the file does not store it.
    var time: MediaTime?
    var linkType: LinkType
    /// The position of its bytes in the file.
    var position: Int

    /// The longest packet that is read; Wireshark's limit for ordinary links.
    static let maximumByteCount = 1 << 18
}

extension ByteInput {
    /// Replaces `bytes` with the `count` bytes of a captured packet.
    ///
    /// - Throws: `tooLarge`, or `truncated` if the file ends before (`bytes` then holds what exists).
    mutating func readPacket(_ count: Int, into bytes: inout [UInt8]) throws(FileError) {
        let limit = CapturedPacket.maximumByteCount
        guard count <= limit else { throw .tooLarge(path: path, position: position, byteCount: count, limit: limit) }
        try readAll(count, into: &bytes)
    }

    /// Skips `count` bytes.
    ///
    /// - Throws: `truncated` if the file ends before.
    mutating func skip(_ count: Int) throws(FileError) {
        let start = position
        var rest = count
        while rest > 0 {
            let available = min(try fill(1), rest)
            guard available > 0 else {
                throw .truncated(path: path, position: start, needed: count, available: count - rest)
            }
            consume(available)
            rest -= available
        }
    }
}

/// The link layer of a captured frame, before the IP packet, with its number in the registry of pcap link types
/// (tcpdump.org/linktypes.html).
///
/// The supported frame headers; offsets and lengths are in bytes, and all numbers are big-endian:
///
/// ```text
/// Ethernet                     cooked (SLL)                 cooked v2 (SLL2)
///  0  destination   6           0  kind of packet   2        0  protocol         2
///  6  source        6           2  kind of link     2        2  reserved         2
/// 12  protocol      2           4  address length   2        4  interface        4
/// 14  …                         6  address          8        8  kind of link     2
///                              14  protocol         2       10  kind of packet   1
/// VLAN tag, instead of the     16  …                        11  address length   1
/// protocol: 0x8100, number 2,                               12  address          8
/// protocol 2                                                20  …
/// ```
public struct LinkType: Hashable, Sendable, RawRepresentable {
    /// The number in the registry.
    public let rawValue: UInt16

    /// Creates the type with that number. All numbers are allowed.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// BSD loopback: the address family in four bytes, in the byte order of the capturing machine.
    public static let null = LinkType(rawValue: 0)
    /// Ethernet, with or without VLAN tags.
    public static let ethernet = LinkType(rawValue: 1)
    /// A raw IP packet of either version.
    public static let rawIP = LinkType(rawValue: 101)
    /// OpenBSD loopback: the address family in four big-endian bytes.
    public static let loop = LinkType(rawValue: 108)
    /// Linux "cooked" capture of the device `any`.
    public static let linuxCooked = LinkType(rawValue: 113)
    /// A raw IPv4 packet.
    public static let ipv4 = LinkType(rawValue: 228)
    /// A raw IPv6 packet.
    public static let ipv6 = LinkType(rawValue: 229)
    /// Linux "cooked" capture, version 2.
    public static let linuxCookedV2 = LinkType(rawValue: 276)
    /// The numbers that two BSDs used for raw IP before it had its own.
    static let rawIPOfBSD: Set<LinkType> = [LinkType(rawValue: 12), LinkType(rawValue: 14)]

    /// Whether datagrams can be found in such frames.
    public var isKnown: Bool {
        [.null, .ethernet, .rawIP, .loop, .linuxCooked, .ipv4, .ipv6, .linuxCookedV2].contains(self)
            || LinkType.rawIPOfBSD.contains(self)
    }
}

extension LinkType {
    private static let internetV4: UInt16 = 0x0800
    private static let internetV6: UInt16 = 0x86DD
    private static let vlanTags: Set<UInt16> = [0x8100, 0x88A8, 0x9100]

    /// The position of the IP packet in a frame.
    enum Content: Equatable {
        case internet(offset: Int)
        /// Another protocol, or an unsupported link.
        case other
        /// The frame ends inside its header.
        case tooShort
    }

    /// Finds the IP packet in a frame of this type.
    func content(of frame: Span<UInt8>) -> Content {
        switch self {
        case .rawIP, .ipv4, .ipv6: .internet(offset: 0)
        case _ where LinkType.rawIPOfBSD.contains(self): .internet(offset: 0)
        // The packet holds its own version, and the number of the address family differs between systems.
        case .null, .loop: frame.count > 4 ? .internet(offset: 4) : .tooShort
        case .ethernet: LinkType.content(of: frame, protocolAt: 12, headByteCount: 14)
        case .linuxCooked: LinkType.content(of: frame, protocolAt: 14, headByteCount: 16)
        case .linuxCookedV2: LinkType.content(of: frame, protocolAt: 0, headByteCount: 20)
        default: .other
        }
    }

    private static func content(of frame: Span<UInt8>, protocolAt offset: Int, headByteCount: Int) -> Content {
        guard frame.count >= headByteCount else { return .tooShort }
        var type = frame.bigEndian(UInt16.self, at: offset)
        var start = headByteCount
        while vlanTags.contains(type) {
            guard frame.count >= start + 4 else { return .tooShort }
            type = frame.bigEndian(UInt16.self, at: start + 2)
            start += 4
        }
        return type == internetV4 || type == internetV6 ? .internet(offset: start) : .other
    }
}
