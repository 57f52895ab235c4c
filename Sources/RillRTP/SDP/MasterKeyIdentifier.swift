/// An MKI: which of several master keys a packet is protected with (RFC 3711 §3.1).
///
/// Both sides agree on the number and on how many bytes of each packet it takes, before the first packet. With it the sender
/// changes its key between two packets, and the receiver opens those that come late with the key before.
///
///     let identifier = MasterKeyIdentifier(1, byteCount: 4)  // 1:4 in SDP, 00 00 00 01 on the wire
public struct MasterKeyIdentifier: Hashable, Sendable {
    /// The number.
    public let value: UInt64
    /// How many bytes it takes in a packet, the highest first: 1 to 128.
    public let byteCount: Int

    /// The identifier `value` in `byteCount` bytes: 1 to 128, enough for the number (else that is a precondition violated).
    public init(_ value: UInt64, byteCount: Int = 4) {
        precondition(MasterKeyIdentifier.fits(value, byteCount), "key identifier \(value) in \(byteCount) bytes")
        self.value = value
        self.byteCount = byteCount
    }

    /// `1:4`: the number and its length.
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

    /// The byte at `index` of the `byteCount` on the wire.
    package func byte(at index: Int) -> UInt8 {
        let place = byteCount - 1 - index
        return place < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * place)) : 0
    }
}

extension MasterKeyIdentifier: CustomStringConvertible {
    /// `1:4`, as in SDP.
    public var description: String { "\(value):\(byteCount)" }
}
