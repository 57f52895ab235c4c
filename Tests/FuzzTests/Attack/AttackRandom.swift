import RillCore

/// Choices of an attacker: uniform ones, and those on which counters break.
struct AttackRandom {
    private var generator: SeededGenerator

    /// Distances of whole windows, of powers of two, and next to them.
    static let distances: [UInt16] = [
        0, 1, 2, 3, 15, 16, 17, 63, 64, 127, 128, 129, 255, 256, 300, 400, 511, 512, 513, 600, 700, 1000, 1023, 1024,
        1025,
        2047, 2048, 4096, 8192, 16_384, 32_767, 32_768, 32_769, 65_535,
    ]
    /// Values around which counters of 7, 15 and 16 bits wrap.
    static let values: [UInt16] = [0, 1, 127, 128, 32_767, 32_768, 65_534, 65_535]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() >> 33) % bound }
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: generator.next() >> 40) }
    mutating func word() -> UInt32 { UInt32(truncatingIfNeeded: generator.next() >> 30) }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A number near another one, late or early by a window, or one of the ends.
    mutating func number(near base: UInt16) -> UInt16 {
        switch below(8) {
        case 0: pick(AttackRandom.values)
        case 1: UInt16(truncatingIfNeeded: word())
        case 2, 3: base &+ pick(AttackRandom.distances)
        default: base &- pick(AttackRandom.distances)
        }
    }

    /// A 32-bit value: an end, a power of two, near another one, or any.
    mutating func word(near base: UInt32) -> UInt32 {
        switch below(6) {
        case 0: pick([0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF])
        case 1: word()
        case 2: UInt32(1) << UInt32(below(32))
        case 3: base &+ UInt32(pick(AttackRandom.distances)) &* 90
        case 4: base &- UInt32(pick(AttackRandom.distances)) &* 90
        default: base &+ (UInt32(1) << UInt32(below(32)))
        }
    }

    /// Flips bits, sets a byte, cuts, repeats a range, or appends noise.
    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = self.bytes(1 + below(32)) }
        // As often near the front, where headers are.
        func place(_ random: inout AttackRandom) -> Int {
            random.isOne(in: 2) ? random.below(min(40, bytes.count)) : random.below(bytes.count)
        }
        switch below(6) {
        case 0: bytes[place(&self)] ^= 1 << UInt8(below(8))
        case 1: bytes[place(&self)] = pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
        case 2: bytes.removeLast(isOne(in: 2) ? below(bytes.count) : below(min(8, bytes.count)))
        case 3:
            let start = below(bytes.count)
            let end = min(bytes.count, start + 1 + below(32))
            bytes.insert(contentsOf: bytes[start..<end], at: end)
        case 4: bytes += self.bytes(1 + below(32))
        default:
            let at = place(&self)
            guard at + 1 < bytes.count else { return }
            let value = pick(AttackRandom.distances)
            (bytes[at], bytes[at + 1]) = (UInt8(value >> 8), UInt8(value & 0xFF))
        }
    }
}
