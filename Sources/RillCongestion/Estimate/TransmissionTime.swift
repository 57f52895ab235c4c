/// How long a byte takes at a rate, worked out once so that a packet's time costs a multiplication.
@usableFromInline
struct TransmissionTime: Sendable {
    /// Nanoseconds per byte, times 2 to the power of 16.
    @usableFromInline let scaled: Int64

    /// Longer than any other.
    static let endless = TransmissionTime(scaled: .max)

    init(scaled: Int64) { self.scaled = scaled }

    /// For a rate in bits per second, above 0. Below 1 bit per second it is that of 1.
    @usableFromInline
    init(at rate: Double) { scaled = Int64(8e9 * 65_536 / max(rate, 1)) }

    /// The time of a packet, in nanoseconds.
    @inlinable @inline(__always)
    func of(_ byteCount: Int) -> Int64 { (Int64(byteCount) &* scaled) >> 16 }
}
