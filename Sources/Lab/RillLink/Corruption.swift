import RillCore

/// Flips one to three bits of a datagram, at positions that follow from `seed`. An empty datagram is not changed.
///
/// It models errors that pass the UDP checksum, which has sixteen bits, and is missing in some tunnels.
struct Corruption {
    private var generator: SeededGenerator
    private var flipCount: Int

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        flipCount = 1 + Int(generator.next().multipliedFullWidth(by: 3).high)
    }

    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        // Steps of at most a quarter of the whole: three positions differ, and none is flipped back.
        let bitCount = 8 * UInt64(bytes.count)
        var place = generator.next().multipliedFullWidth(by: bitCount).high
        let step = 1 + generator.next().multipliedFullWidth(by: bitCount / 4).high
        for _ in 0..<flipCount {
            bytes[Int(place / 8)] ^= 1 << (place % 8)
            place = (place + step) % bitCount
        }
    }
}
