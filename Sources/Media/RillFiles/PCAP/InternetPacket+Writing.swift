import RillCore

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
            let packetByteCount = UInt16(v4HeaderByteCount) + byteCount
            // A packet that is never fragmented needs no identification: "don't fragment" is set.
            let (fragmentation, hops): (UInt16, UInt16) = (0x4000, 64 << 8 | UInt16(protocolNumber))
            var headerSum = InternetChecksum()
            headerSum.add(0x4500 as UInt16)
            headerSum.add(packetByteCount)
            headerSum.add(fragmentation)
            headerSum.add(hops)
            headerSum.add(from)
            headerSum.add(to)
            bytes.append(bigEndian: UInt16(0x4500))
            bytes.append(bigEndian: packetByteCount)
            bytes.append(bigEndian: UInt16(0))
            bytes.append(bigEndian: fragmentation)
            bytes.append(bigEndian: hops)
            bytes.append(bigEndian: headerSum.value)
            bytes.append(bigEndian: from)
            bytes.append(bigEndian: to)
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
