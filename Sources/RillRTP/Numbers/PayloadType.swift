/// The 7-bit number that says which payload format an RTP packet carries (RFC 3550 §5.1, RFC 3551).
@frozen
public struct PayloadType: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The number as it stands on the wire, 0 to 127.
    public let rawValue: UInt8

    /// `nil` for numbers over 127.
    @inlinable
    public init?(rawValue: UInt8) {
        guard rawValue < 128 else { return nil }
        self.rawValue = rawValue
    }

    /// A number known to fit: more than 127 is the programmer's mistake. Dynamic types lie in 96...127.
    @inlinable
    public init(_ value: UInt8) {
        precondition(value < 128, "a payload type has 7 bits")
        self.rawValue = value
    }

    /// The number in decimal digits.
    public var description: String { "\(rawValue)" }
}
