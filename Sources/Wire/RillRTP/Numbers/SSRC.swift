/// The 32-bit identifier of a synchronization source (RFC 3550 §8): one per stream, chosen at random.
@frozen
public struct SSRC: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The value on the wire.
    public var rawValue: UInt32

    /// The identifier with the wire value `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The identifier with the wire value `value`.
    @inlinable
    public init(_ value: UInt32) { self.rawValue = value }

    /// Eight hexadecimal digits, as packet analyzers show them: `0x0000cafe`.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
