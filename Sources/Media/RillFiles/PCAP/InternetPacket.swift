import RillCore

/// The content of a captured IP packet, for a reader of datagrams.
///
/// The IPv4 and UDP headers (RFC 791 §3.1 and RFC 768):
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |Version|  IHL  |Type of Service|          Total Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Identification        |Flags|      Fragment Offset    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Time to Live |    Protocol   |         Header Checksum       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Source Address                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                    Destination Address                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                    Options (IHL - 5 words)                    |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |          Source Port          |       Destination Port        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Length             |           Checksum            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The IPv6 header (RFC 8200 §3):
///
/// ```text
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |Version| Traffic Class |           Flow Label                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Payload Length        |  Next Header  |   Hop Limit   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 Source Address (four words)                   |
/// |               Destination Address (four words)                |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
enum InternetPacket: Equatable {
    /// A UDP datagram.
    case datagram(Datagram)
    /// A fragment of a datagram that was too long for one packet.
    case fragment(Fragment)
    /// Another protocol.
    case other
    /// Its headers are truncated or inconsistent.
    case unreadable

    struct Datagram: Equatable {
        var source: UDPAddress
        var destination: UDPAddress
        /// The captured bytes of its payload, as a range in the frame.
        var payload: Range<Int>
        /// The number of payload bytes that it had.
        var originalByteCount: Int
    }

    struct Fragment: Equatable {
        /// What the fragments of a datagram have in common.
        struct Key: Equatable {
            var source: IPAddress
            var destination: IPAddress
            var identification: UInt32
        }

        var key: Key
        /// Its place in the datagram, with the UDP header.
        var range: Range<Int>
        var isLast: Bool
        /// The captured bytes of it, as a range in the frame.
        var payload: Range<Int>
    }

    static let protocolNumber: UInt8 = 17
    static let v4HeaderByteCount = 20
    static let v6HeaderByteCount = 40
    static let udpHeaderByteCount = 8
}

extension InternetPacket {
    /// Parses the packet at `offset` of a frame. Any bytes are accepted.
    init(in frame: Span<UInt8>, at offset: Int) {
        guard frame.count > offset else {
            self = .unreadable
            return
        }
        switch frame[offset] >> 4 {
        case 4: self = InternetPacket.version4(frame, at: offset)
        case 6: self = InternetPacket.version6(frame, at: offset)
        default: self = .other
        }
    }

    private static func version4(_ frame: Span<UInt8>, at start: Int) -> InternetPacket {
        guard frame.count - start >= v4HeaderByteCount else { return .unreadable }
        let headerByteCount = 4 * Int(frame[start] & 0x0F)
        var byteCount = Int(frame.bigEndian(UInt16.self, at: start + 2))
        // With segmentation offload, the network card gets packets without a length.
        if byteCount == 0 { byteCount = frame.count - start }
        guard headerByteCount >= v4HeaderByteCount, byteCount >= headerByteCount else { return .unreadable }
        guard frame[start + 9] == protocolNumber else { return .other }
        let source = IPAddress.v4(frame.bigEndian(UInt32.self, at: start + 12))
        let destination = IPAddress.v4(frame.bigEndian(UInt32.self, at: start + 16))
        // "More fragments" is the third bit, the offset the thirteen bits after it, in units of eight bytes.
        let flags = frame.bigEndian(UInt16.self, at: start + 6)
        guard flags & 0x3FFF == 0 else {
            let key = Fragment.Key(
                source: source, destination: destination,
                identification: UInt32(frame.bigEndian(UInt16.self, at: start + 4)))
            return fragment(
                key, of: frame, at: start + headerByteCount, endingAt: start + byteCount,
                offset: 8 * Int(flags & 0x1FFF), isLast: flags & 0x2000 == 0)
        }
        return datagram(
            frame, at: start + headerByteCount, endingAt: start + byteCount, from: source, to: destination)
    }

    private static func fragment(
        _ key: Fragment.Key, of frame: Span<UInt8>, at start: Int, endingAt end: Int, offset: Int, isLast: Bool
    ) -> InternetPacket {
        guard end > start, start <= frame.count else { return .unreadable }
        return .fragment(
            Fragment(
                key: key, range: offset..<offset + (end - start), isLast: isLast,
                payload: start..<min(end, frame.count)))
    }

    /// Parses a datagram whose fragments were joined, and which had `byteCount` bytes with its UDP header.
    init(joined bytes: Span<UInt8>, byteCount: Int, _ key: Fragment.Key) {
        self = InternetPacket.datagram(bytes, at: 0, endingAt: byteCount, from: key.source, to: key.destination)
    }

    private static func version6(_ frame: Span<UInt8>, at start: Int) -> InternetPacket {
        guard frame.count - start >= v6HeaderByteCount else { return .unreadable }
        let end = start + v6HeaderByteCount + Int(frame.bigEndian(UInt16.self, at: start + 4))
        var next = frame[start + 6]
        var position = start + v6HeaderByteCount
        let source = IPAddress.v6(frame.bigEndian(UInt128.self, at: start + 8), zone: 0)
        let destination = IPAddress.v6(frame.bigEndian(UInt128.self, at: start + 24), zone: 0)
        while next != protocolNumber {
            // An extension header has at least eight bytes.
            guard frame.count - position >= 8 else { return isExtension(next) ? .unreadable : .other }
            switch next {
            // Hop-by-hop options, routing, destination options, mobility, host identity, shim6.
            case 0, 43, 60, 135, 139, 140: next = skip(8 + 8 * Int(frame[position + 1]))
            case 51: next = skip(8 + 4 * Int(frame[position + 1]))  // authentication: words minus two
            case 44:
                // The offset is the first thirteen bits, in units of eight bytes; the last bit is "more fragments".
                let flags = frame.bigEndian(UInt16.self, at: position + 2)
                let key = Fragment.Key(
                    source: source, destination: destination,
                    identification: frame.bigEndian(UInt32.self, at: position + 4))
                next = skip(8)
                guard flags & 0xFFF9 == 0 else {
                    guard next == protocolNumber else { return .other }
                    return fragment(
                        key, of: frame, at: position, endingAt: end, offset: Int(flags & 0xFFF8),
                        isLast: flags & 1 == 0)
                }
            default: return .other
            }
        }
        /// Skips a header and returns the type of the next one.
        func skip(_ byteCount: Int) -> UInt8 {
            let following = frame[position]
            position += byteCount
            return following
        }
        return datagram(frame, at: position, endingAt: end, from: source, to: destination)
    }

    private static func isExtension(_ header: UInt8) -> Bool {
        [0, 43, 44, 51, 60, 135, 139, 140].contains(header)
    }

    /// Parses the UDP header and returns the datagram.
    ///
    /// - Parameters:
    ///   - frame: the captured frame.
    ///   - start: the offset of the UDP header.
    ///   - end: the end according to the IP header; the capture may be truncated before it.
    ///   - source: the sender's IP address.
    ///   - destination: the receiver's IP address.
    private static func datagram(
        _ frame: Span<UInt8>, at start: Int, endingAt end: Int, from source: IPAddress, to destination: IPAddress
    ) -> InternetPacket {
        guard frame.count - start >= udpHeaderByteCount else { return .unreadable }
        let byteCount = Int(frame.bigEndian(UInt16.self, at: start + 4))
        guard byteCount >= udpHeaderByteCount, start + byteCount <= end else { return .unreadable }
        return .datagram(
            Datagram(
                source: UDPAddress(source, port: frame.bigEndian(UInt16.self, at: start)),
                destination: UDPAddress(destination, port: frame.bigEndian(UInt16.self, at: start + 2)),
                payload: start + udpHeaderByteCount..<min(start + byteCount, frame.count),
                originalByteCount: byteCount - udpHeaderByteCount))
    }
}

extension InternetPacket {
    /// Returns the maximum number of payload bytes of a datagram, after its own header and the IP header.
    static func maximumDatagramByteCount(_ ip: IPAddress) -> Int {
        switch ip {
        case .v4: Int(UInt16.max) - v4HeaderByteCount - udpHeaderByteCount
        case .v6: Int(UInt16.max) - udpHeaderByteCount
        }
    }

    /// Appends the headers of a datagram with their checksums. The caller appends the payload.
    ///
    /// Both addresses must have the same IP version; otherwise it traps.
    static func appendHeaders(
        of datagram: Span<UInt8>, from source: UDPAddress, to destination: UDPAddress, to bytes: inout [UInt8]
    ) {
        let byteCount = UInt16(udpHeaderByteCount + datagram.count)
        var sum = InternetChecksum()
        switch (source.ip, destination.ip) {
        case (.v4(let from), .v4(let to)):
            let start = bytes.count
            bytes.append(bigEndian: UInt16(0x4500))
            bytes.append(bigEndian: UInt16(v4HeaderByteCount) + byteCount)
            // A packet that is never fragmented needs no identification: "don't fragment" is set.
            bytes += [0, 0, 0x40, 0, 64, protocolNumber, 0, 0]
            bytes.append(bigEndian: from)
            bytes.append(bigEndian: to)
            var headerSum = InternetChecksum()
            headerSum.add(bytes.span.extracting(start...))
            (bytes[start + 10], bytes[start + 11]) = (UInt8(headerSum.value >> 8), UInt8(headerSum.value & 0xFF))
            sum.add(from)
            sum.add(to)
        case (.v6(let from, _), .v6(let to, _)):
            bytes += [0x60, 0, 0, 0]
            bytes.append(bigEndian: byteCount)
            bytes += [protocolNumber, 64]
            bytes.append(bigEndian: from)
            bytes.append(bigEndian: to)
            sum.add(from)
            sum.add(to)
        default:
            preconditionFailure("\(source) and \(destination) have different IP versions")
        }
        // The pseudo-header of RFC 768 ends with the protocol and the length. The UDP header and the payload follow.
        sum.add(UInt32(protocolNumber))
        sum.add(UInt32(byteCount))
        sum.add(UInt32(source.port) << 16 | UInt32(destination.port))
        sum.add(UInt32(byteCount))
        sum.add(datagram)
        bytes.append(bigEndian: source.port)
        bytes.append(bigEndian: destination.port)
        bytes.append(bigEndian: byteCount)
        // Zero would mean that there is no checksum.
        bytes.append(bigEndian: sum.value == 0 ? UInt16.max : sum.value)
    }
}

/// The Internet checksum: the complement of the ones' complement sum of 16-bit words (RFC 1071).
struct InternetChecksum {
    private var sum: UInt64 = 0

    /// The checksum of everything added so far.
    var value: UInt16 {
        var folded = sum
        while folded >> 16 != 0 { folded = folded & 0xFFFF + folded >> 16 }
        return ~UInt16(folded)
    }

    /// Adds the two words of a number, or the eight of an address.
    mutating func add(_ number: some FixedWidthInteger & UnsignedInteger) {
        var rest = number
        while rest != 0 {
            sum += UInt64(UInt16(truncatingIfNeeded: rest))
            rest >>= 16
        }
    }

    /// Adds bytes; an odd last one is padded with zero. Only the last addition may have an odd length.
    mutating func add(_ bytes: Span<UInt8>) {
        var index = 0
        while index + 1 < bytes.count {
            sum += UInt64(bytes[index]) << 8 | UInt64(bytes[index + 1])
            index += 2
        }
        if index < bytes.count { sum += UInt64(bytes[index]) << 8 }
    }
}
