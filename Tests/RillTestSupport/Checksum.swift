/// FNV-1a, 64 bits: equal bytes have equal sums, and no others are likely to.
package struct Checksum {
    /// The sum of all bytes so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices { value = (value ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    }
}
