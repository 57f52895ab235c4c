/// The 32-bit identifier of a synchronization source, chosen at random (RFC 3550 §8): one per stream.
@frozen
public struct SSRC: Codable, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The number as it stands on the wire.
    public var rawValue: UInt32

    /// The identifier that stands on the wire as `rawValue`.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The identifier that stands on the wire as `value`.
    @inlinable
    public init(_ value: UInt32) { self.rawValue = value }

    /// Eight hexadecimal digits, as packet analysers show it: `0x0000cafe`.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
