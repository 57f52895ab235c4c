/// The 7-bit payload type of an RTP packet, which identifies its payload format (RFC 3550 §5.1, RFC 3551).
@frozen
public struct PayloadType: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire, 0 to 127.
    public let rawValue: UInt8

    /// A payload type with that value; `nil` if it is over 127.
    @inlinable
    public init?(rawValue: UInt8) {
        guard rawValue < 128 else { return nil }
        self.rawValue = rawValue
    }

    /// A payload type with a value that is known to be valid. Traps if it is over 127. Dynamic types are 96 to 127.
    @inlinable
    public init(_ value: UInt8) {
        precondition(value < 128, "a payload type has 7 bits")
        self.rawValue = value
    }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
