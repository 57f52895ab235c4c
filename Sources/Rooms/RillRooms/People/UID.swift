/// The number of a participant in its room: of the server's choice, or what the participant asked for. Never 0.
///
/// In JSON it is a number.
public struct UID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    public var rawValue: UInt32

    /// A number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension UID: Comparable {
    /// Whether `a` is the smaller number.
    public static func < (a: UID, b: UID) -> Bool { a.rawValue < b.rawValue }
}

extension UID: ExpressibleByIntegerLiteral {
    /// A number.
    public init(integerLiteral value: UInt32) { self.init(rawValue: value) }
}

extension UID: CustomStringConvertible {
    /// The digits.
    public var description: String { "\(rawValue)" }
}
