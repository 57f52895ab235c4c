import RillCore

/// How the times of an interface's packets are counted: `if_tsresol` and `if_tsoffset` of its description.
struct PCAPNGClock: Equatable {
    /// Ticks a second.
    private(set) var rate: UInt128 = 1_000_000
    /// Seconds to add.
    var offset: Int64 = 0

    /// Later times than 2106, and those before 1970, are not believed: their differences could overflow.
    static let range = 0...(Int128(UInt32.max) * 1_000_000_000)

    /// Sets the rate to a power of ten, or with the highest bit set of two; `false` for one that is out of reason.
    mutating func setResolution(_ value: UInt8) -> Bool {
        let exponent = Int(value & 0x7F)
        if value & 0x80 != 0 {
            guard exponent <= 64 else { return false }
            rate = 1 << UInt128(exponent)
        } else {
            guard exponent <= 19 else { return false }
            rate = (0..<exponent).reduce(1) { power, _ in power * 10 }
        }
        return true
    }

    /// The time since 1970; `nil` out of ``range``.
    func time(ofTicks ticks: UInt64) -> MediaTime? {
        // 64 and 30 bits, and 63 and 30 bits: both fit 127.
        let nanoseconds =
            Int128(UInt128(ticks) * 1_000_000_000 / rate) + Int128(offset) * 1_000_000_000
        return PCAPNGClock.range.contains(nanoseconds) ? MediaTime(nanoseconds: Int64(nanoseconds)) : nil
    }
}
