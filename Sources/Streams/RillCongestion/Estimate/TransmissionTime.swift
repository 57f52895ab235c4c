/// The transmission time of a byte at a rate. It is computed once, so that the time of a packet costs one
/// multiplication.
@usableFromInline
struct TransmissionTime: Sendable {
    /// Nanoseconds per byte, times 2 to the power of 16.
    @usableFromInline let scaled: Int64

    /// Longer than any other.
    static let endless = TransmissionTime(scaled: .max)

    init(scaled: Int64) { self.scaled = scaled }

    /// Computes the time for a rate in bits per second, at least 1.
    @usableFromInline
    init(at rate: Double) { scaled = Int64(8e9 * 65_536 / max(rate, 1)) }

    /// The transmission time of a packet, in nanoseconds.
    @inlinable @inline(__always)
    func of(_ byteCount: Int) -> Int64 { (Int64(byteCount) &* scaled) >> 16 }
}
