// Fields of binary headers: IVF is little-endian, rtpdump big-endian, pcap in the byte order of the machine that
// wrote it. Offsets are constants; callers have checked that the structure is complete.

/// The byte order of a number.
enum ByteOrder: Sendable, CaseIterable {
    /// The lowest byte first.
    case little
    /// The highest byte first.
    case big
}

extension Span<UInt8> {
    func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
        var value: Value = 0
        for index in 0..<type.bitWidth / 8 { value |= Value(truncatingIfNeeded: self[offset + index]) << (8 * index) }
        return value
    }

    func bigEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
        littleEndian(type, at: offset).byteSwapped
    }

    func integer<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int, _ order: ByteOrder) -> Value {
        order == .little ? littleEndian(type, at: offset) : bigEndian(type, at: offset)
    }

    func starts(with prefix: some Collection<UInt8>) -> Bool {
        guard count >= prefix.count else { return false }
        var index = 0
        for byte in prefix {
            guard self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Returns the first bytes, at most `count`, for an error message.
    func prefixBytes(_ count: Int = 16) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<Swift.min(count, self.count) { bytes.append(self[index]) }
        return bytes
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for index in 0..<type(of: value).bitWidth / 8 { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    mutating func append(bigEndian value: some FixedWidthInteger) {
        append(littleEndian: value.byteSwapped)
    }

    mutating func append(_ value: some FixedWidthInteger, _ order: ByteOrder) {
        append(littleEndian: order == .little ? value : value.byteSwapped)
    }
}
