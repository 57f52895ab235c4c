/// The picture ID in a payload descriptor, which counts frames in 7 or 15 bits (RFC 7741 §4.2, RFC 9628 §4.2).
public enum PictureID: Equatable, Sendable {
    /// M = 0: 0 to 127.
    case short(UInt8)
    /// M = 1: 0 to 32767.
    case long(UInt16)

    @inlinable static var longBit: UInt8 { 0x80 }

    /// The number, regardless of its width.
    public var value: UInt16 {
        switch self {
        case .short(let value): UInt16(value)
        case .long(let value): value
        }
    }
    /// The width of the counter in bits.
    public var bitWidth: Int {
        switch self {
        case .short: 7
        case .long: 15
        }
    }
    /// Returns the picture ID `count` frames later (or earlier, if negative), wrapped to the counter's width.
    public func advanced(by count: Int64) -> PictureID {
        let modulo = UInt16(truncatingIfNeeded: Int64(value) &+ count) & ((1 << UInt16(bitWidth)) - 1)
        return switch self {
        case .short: .short(UInt8(modulo))
        case .long: .long(modulo)
        }
    }

    // MARK: The wire: |M| PictureID |, and a second byte if M is set

    var byteCount: Int {
        switch self {
        case .short: 1
        case .long: 2
        }
    }

    @inlinable @inline(__always)  // Hot path: runs for every packet.
    static func parse(_ reader: inout ByteReader) throws(RTPError) -> PictureID {
        let high = try reader.uint8()
        guard high & longBit != 0 else { return .short(high) }
        return .long(UInt16(high & ~longBit) << 8 | UInt16(try reader.uint8()))
    }
}

extension DescriptorBytes {
    /// Appends a picture ID. Traps unless it fits its width.
    mutating func append(_ id: PictureID) {
        switch id {
        case .short(let value):
            precondition(value < 1 << 7, "picture ID \(value) in 7 bits")
            append(value)
        case .long(let value):
            precondition(value < 1 << 15, "picture ID \(value) in 15 bits")
            append(UInt8(value >> 8) | PictureID.longBit)
            append(UInt8(truncatingIfNeeded: value))
        }
    }
}
