/// What stands before the Internet packet in a captured frame, under its number in the registry of pcap link types
/// (tcpdump.org/linktypes.html).
public struct LinkType: Hashable, Sendable, RawRepresentable {
    /// The number.
    public let rawValue: UInt16

    /// The type of that number; all are allowed.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// BSD loopback: the address family in four bytes of the capturing machine's order.
    public static let null = LinkType(rawValue: 0)
    /// Ethernet, with or without VLAN tags.
    public static let ethernet = LinkType(rawValue: 1)
    /// The bare Internet packet, of either version.
    public static let rawIP = LinkType(rawValue: 101)
    /// OpenBSD loopback: the address family in four big-endian bytes.
    public static let loop = LinkType(rawValue: 108)
    /// Linux "cooked" capture of the device `any`.
    public static let linuxCooked = LinkType(rawValue: 113)
    /// The bare Internet packet, version 4.
    public static let ipv4 = LinkType(rawValue: 228)
    /// The bare Internet packet, version 6.
    public static let ipv6 = LinkType(rawValue: 229)
    /// Linux "cooked" capture, version 2.
    public static let linuxCookedV2 = LinkType(rawValue: 276)
    /// What two BSDs wrote for raw IP before it had a number of its own.
    static let rawIPOfBSD: Set<LinkType> = [LinkType(rawValue: 12), LinkType(rawValue: 14)]

    /// Whether datagrams are found behind it.
    public var isKnown: Bool {
        [.null, .ethernet, .rawIP, .loop, .linuxCooked, .ipv4, .ipv6, .linuxCookedV2].contains(self)
            || LinkType.rawIPOfBSD.contains(self)
    }
}

// The frames in which Internet packets come; offsets in bytes, all numbers big-endian:
//
//     Ethernet                     cooked (SLL)                 cooked v2 (SLL2)
//      0  destination   6           0  kind of packet   2        0  protocol         2
//      6  source        6           2  kind of link     2        2  reserved         2
//     12  protocol      2           4  address length   2        4  interface        4
//     14  …                         6  address          8        8  kind of link     2
//                                  14  protocol         2       10  kind of packet   1
//     VLAN tag, instead of the     16  …                        11  address length   1
//     protocol: 0x8100, number 2,                               12  address          8
//     protocol 2                                                20  …

extension LinkType {
    private static let internetV4: UInt16 = 0x0800
    private static let internetV6: UInt16 = 0x86DD
    private static let vlanTags: Set<UInt16> = [0x8100, 0x88A8, 0x9100]

    /// Where in a frame its Internet packet begins.
    enum Content: Equatable {
        case internet(offset: Int)
        /// Something else, or a link that is not known.
        case other
        /// The frame ends inside its head.
        case tooShort
    }

    /// Looks into a frame of this type.
    func content(of frame: Span<UInt8>) -> Content {
        switch self {
        case .rawIP, .ipv4, .ipv6: .internet(offset: 0)
        case _ where LinkType.rawIPOfBSD.contains(self): .internet(offset: 0)
        // The packet says its version itself, and each system has a number of its own for the address family.
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
