/// A small, fast generator of random numbers that gives the same sequence for the same seed on every machine.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). For simulated links, noise
/// and tests; not for secrets.
@frozen
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator whose whole sequence follows from `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number, any 64 bits with equal chance; after 2^64 of them the sequence begins anew.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, 1, on a grid of 2^-53.
    public mutating func unitInterval() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
