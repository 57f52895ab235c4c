import RillCore

/// The clock of an interface's packets: `if_tsresol` and `if_tsoffset` of its description.
struct PCAPNGClock: Equatable {
    /// Ticks per second.
    private(set) var rate: UInt128 = 1_000_000
    /// The seconds to add.
    var offset: Int64 = 0

    /// Times after 2106 and before 1970 are rejected: their differences could overflow.
    static let range = 0...(Int128(UInt32.max) * 1_000_000_000)

    /// Sets the rate to a power of ten, or with the highest bit set to a power of two. Returns `false` for an
    /// unreasonable one.
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

    /// Returns the time since 1970; `nil` outside of ``range``.
    func time(ofTicks ticks: UInt64) -> MediaTime? {
        // Products of 64 and 30 bits, and of 63 and 30 bits, fit 127.
        let nanoseconds =
            Int128(UInt128(ticks) * 1_000_000_000 / rate) + Int128(offset) * 1_000_000_000
        return PCAPNGClock.range.contains(nanoseconds) ? MediaTime(nanoseconds: Int64(nanoseconds)) : nil
    }
}
