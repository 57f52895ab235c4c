/// An MKI: identifies which of several master keys protects a packet (RFC 3711 §3.1).
///
/// Both sides agree on the value and on its size in each packet before the first packet. With it, the sender can
/// change its key between two packets, and the receiver can still decrypt late packets with the previous key.
///
/// ```swift
/// let identifier = MasterKeyIdentifier(1, byteCount: 4)  // 1:4 in SDP, 00 00 00 01 on the wire
/// ```
public struct MasterKeyIdentifier: Hashable, Sendable {
    /// The value.
    public let value: UInt64
    /// The size in a packet in bytes, most significant byte first: 1 to 128.
    public let byteCount: Int

    /// The identifier `value` in `byteCount` bytes. Traps unless that is 1 to 128 and large enough for the value.
    public init(_ value: UInt64, byteCount: Int = 4) {
        precondition(MasterKeyIdentifier.fits(value, byteCount), "key identifier \(value) in \(byteCount) bytes")
        self.value = value
        self.byteCount = byteCount
    }

    /// `1:4`: the value and its size.
    init?(_ text: Substring) {
        let (value, length) = text.cut(at: Sign.colon)
        guard let value = value.number(in: 0...UInt64.max), let length = length?.number(in: 1...128),
            MasterKeyIdentifier.fits(value, Int(length))
        else { return nil }
        self.init(value, byteCount: Int(length))
    }

    private static func fits(_ value: UInt64, _ byteCount: Int) -> Bool {
        (1...128).contains(byteCount) && (byteCount >= 8 || value >> UInt64(8 * byteCount) == 0)
    }

    /// Returns the byte at `index` of the `byteCount` bytes on the wire.
    package func byte(at index: Int) -> UInt8 {
        let place = byteCount - 1 - index
        return place < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * place)) : 0
    }
}

extension MasterKeyIdentifier: CustomStringConvertible {
    /// `1:4`, as in SDP.
    public var description: String { "\(value):\(byteCount)" }
}
