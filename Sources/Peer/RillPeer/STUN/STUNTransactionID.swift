/// The 96 bits that pair a request with its response (RFC 8489 §5).
public struct STUNTransactionID: Hashable, Sendable {
    /// The first four bytes.
    public let high: UInt32
    /// The last eight bytes.
    public let low: UInt64

    /// Creates an identifier from its bits.
    public init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws an identifier.
    ///
    /// - Parameter generator: where the randomness comes from.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: UInt32(truncatingIfNeeded: generator.next()), low: generator.next())
    }
}
