/// An IPv4 or IPv6 address, as a value.
public enum IPAddress: Hashable, Sendable {
    /// An IPv4 address. Its first octet is in the highest byte.
    case v4(UInt32)
    /// An IPv6 address. Its first group is in the highest bits. `zone` is the index of the interface that a
    /// link-local address belongs to, or 0 for none.
    case v6(UInt128, zone: UInt32)

    /// 127.0.0.1.
    public static let loopback = IPAddress.v4(0x7F00_0001)
    /// ::1.
    public static let loopbackV6 = IPAddress.v6(1, zone: 0)
    /// ::, for all addresses of a machine.
    public static let anyV6 = IPAddress.v6(0, zone: 0)

    /// Parses a numeric address: `192.0.2.1`, `2001:db8::1`, `fe80::1%2`. Returns `nil` for any other text, host
    /// names included.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if !bytes.contains(UInt8(ascii: ":")) {
            guard let address = parseV4(bytes[...]) else { return nil }
            self = .v4(address)
            return
        }
        let sides = bytes.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parseV6(sides[0]) else { return nil }
        var zone: UInt32 = 0
        if sides.count == 2 {
            guard let number = parseNumber(sides[1], radix: 10, digits: 10, maximum: UInt64(UInt32.max)), number > 0
            else {
                return nil
            }
            zone = UInt32(number)
        }
        self = .v6(address, zone: zone)
    }
}

extension IPAddress {
    package var isV6: Bool { if case .v6 = self { true } else { false } }

    /// Whether it is of the loopback interface: 127.0.0.0/8, or ::1.
    package var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let number, _): number == 1
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in numeric form, IPv6 as in RFC 5952: `192.0.2.1`, `2001:db8::1`.
    public var description: String {
        switch self {
        case .v4(let address): textV4(address)
        case .v6(let address, let zone): textV6(address) + (zone == 0 ? "" : "%\(zone)")
        }
    }
}

// MARK: - Version 4

private func parseV4(_ text: ArraySlice<UInt8>) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
        guard let number = parseNumber(part, radix: 10, digits: 3, maximum: 255) else { return nil }
        address = address << 8 | UInt32(number)
    }
    return address
}

private func textV4(_ address: UInt32) -> String {
    "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
}

// MARK: - Version 6

/// RFC 4291 §2.2: eight groups, where `::` replaces the missing groups, which are zero. The last two groups may be
/// written as an IPv4 address.
private func parseV6(_ text: ArraySlice<UInt8>) -> UInt128? {
    guard let gap = doubleColon(in: text) else {
        guard let groups = parseGroups(text), groups.count == 8 else { return nil }
        return joined(groups)
    }
    guard let front = parseGroups(text[..<gap], mayEndInV4: false), let back = parseGroups(text[(gap + 2)...]),
        front.count + back.count < 8
    else { return nil }
    return joined(front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back)
}

private func doubleColon(in text: ArraySlice<UInt8>) -> Int? {
    text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
}

private func parseGroups(_ text: ArraySlice<UInt8>, mayEndInV4: Bool = true) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var tail: [UInt16] = []
    if mayEndInV4, let last = parts.last, last.contains(UInt8(ascii: ".")) {
        guard let address = parseV4(last) else { return nil }
        parts.removeLast()
        tail = [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
    }
    guard parts.count <= 8 else { return nil }
    var groups: [UInt16] = []
    for part in parts {
        guard let number = parseNumber(part, radix: 16, digits: 4, maximum: 0xFFFF) else { return nil }
        groups.append(UInt16(number))
    }
    return groups + tail
}

private func joined(_ groups: [UInt16]) -> UInt128 {
    groups.reduce(0) { $0 << 16 | UInt128($1) }
}

private func textV6(_ address: UInt128) -> String {
    // ::ffff:0:0/96 holds IPv4-mapped addresses.
    if address >> 32 == 0xFFFF { return "::ffff:" + textV4(UInt32(truncatingIfNeeded: address)) }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: address >> (112 - 16 * $0)) }
    func text(_ groups: ArraySlice<UInt16>) -> String { groups.map { String($0, radix: 16) }.joined(separator: ":") }
    guard let zeros = longestZeros(in: groups) else { return text(groups[...]) }
    return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
}

/// Returns the first of the longest runs of zero groups, or `nil` if no run is longer than one group.
private func longestZeros(in groups: [UInt16]) -> Range<Int>? {
    var longest = 0..<1
    var start = 0
    for index in groups.indices {
        guard groups[index] == 0 else {
            start = index + 1
            continue
        }
        if index + 1 - start > longest.count { longest = start..<index + 1 }
    }
    return longest.count > 1 ? longest : nil
}

/// Parses up to `digits` digits and nothing else. Rejects a leading zero in decimal, which others would read as
/// octal.
private func parseNumber(_ text: ArraySlice<UInt8>, radix: Int, digits: Int, maximum: UInt64) -> UInt64? {
    guard (1...digits).contains(text.count), text.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
        radix != 10 || text.count == 1 || text.first != UInt8(ascii: "0"),
        let value = UInt64(String(decoding: text, as: UTF8.self), radix: radix)
    else { return nil }
    return value <= maximum ? value : nil
}
