/// A small, fast random number generator that returns the same sequence for the same seed on every machine.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Use it for simulated
/// links, noise and tests, never for secrets.
@frozen
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator whose whole sequence follows from `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits, uniformly distributed. The sequence repeats after 2^64 numbers.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number from 0 up to but not including 1, in steps of 2^-53.
    public mutating func unitInterval() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
