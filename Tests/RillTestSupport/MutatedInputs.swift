public import RillCore

/// Damaged versions of good inputs, for tests that no bytes whatever bring a parser down.
///
/// Each input is one of the seeds with one to four mutations: truncated, bits flipped, bytes set to extreme values, a
/// length field (binary of any width and byte order, or decimal digits) stretched, ranges removed, repeated or
/// inserted, the tail of another seed spliced on. The same seeds and generator give the same inputs on every machine,
/// so an input is found again by its index.
///
///     let inputs = MutatedInputs(of: [packet], count: 100_000, using: SeededGenerator(seed: 7))
///     for (index, input) in inputs.enumerated() {
///         let parsed = try? Parser.parse(input.span)  // a trap ends the test run
///         #expect(parsed.map(isConsistent) ?? true, "input \(index)")
///     }
public struct MutatedInputs: Sequence, IteratorProtocol {
    private let seeds: [[UInt8]]
    private let maximumByteCount: Int
    private var remaining: Int
    private var generator: SeededGenerator

    /// `count` damaged versions of `seeds`, none longer than `maximumByteCount`.
    ///
    /// - Parameters:
    ///   - seeds: good inputs, at least one, each of which should reach a different part of the parser.
    ///   - maximumByteCount: the bound on growth; by default twice the longest seed and 64 bytes.
    public init(of seeds: [[UInt8]], count: Int, using generator: SeededGenerator, maximumByteCount: Int? = nil) {
        precondition(!seeds.isEmpty, "damage needs something to damage")
        self.seeds = seeds
        self.maximumByteCount = maximumByteCount ?? 2 * (seeds.map(\.count).max() ?? 0) + 64
        self.remaining = count
        self.generator = generator
    }

    /// The next damaged input; `nil` once `count` of them were given.
    public mutating func next() -> [UInt8]? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        var bytes = seeds[below(seeds.count)]
        for _ in 0...below(4) { mutate(&bytes) }
        if bytes.count > maximumByteCount { bytes.removeLast(bytes.count - maximumByteCount) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            appendNoise(to: &bytes)
            return
        }
        switch below(16) {
        case 0: truncate(&bytes)
        case 1, 2, 3: flipBits(of: &bytes)
        case 4, 5: setByte(of: &bytes)
        case 6, 7, 8, 9: stretchBinaryLength(in: &bytes)
        case 10: stretchDecimalLength(in: &bytes)
        case 11: removeRange(from: &bytes)
        case 12: repeatRange(of: &bytes)
        case 13: insertNoise(into: &bytes)
        case 14: splice(&bytes)
        default: appendNoise(to: &bytes)
        }
    }

    // MARK: The mutations

    /// Cuts anywhere, or (as often) only a few bytes off.
    private mutating func truncate(_ bytes: inout [UInt8]) {
        let count = below(2) == 0 ? below(bytes.count) + 1 : below(Swift.min(8, bytes.count)) + 1
        bytes.removeLast(count)
    }

    private mutating func flipBits(of bytes: inout [UInt8]) {
        for _ in 0...below(8) { bytes[place(in: bytes)] ^= 1 << UInt8(below(8)) }
    }

    private mutating func setByte(of bytes: inout [UInt8]) {
        let extremes: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]
        bytes[place(in: bytes)] = below(2) == 0 ? extremes[below(extremes.count)] : UInt8(below(256))
    }

    /// Overwrites what may be a length or count field of 1, 2, 4 or 8 bytes with what such fields break on.
    private mutating func stretchBinaryLength(in bytes: inout [UInt8]) {
        let width = 1 << below(4)
        guard bytes.count >= width else { return }
        let at = below(2) == 0 ? below(Swift.min(48, bytes.count - width + 1)) : below(bytes.count - width + 1)
        let isBigEndian = below(2) == 0
        let largest = UInt64.max >> UInt64(64 - 8 * width)
        var old: UInt64 = 0
        for index in 0..<width { old = old << 8 | UInt64(bytes[isBigEndian ? at + index : at + width - 1 - index]) }
        let behind = UInt64(bytes.count - at - width)
        let candidates: [UInt64] = [
            0, 1, largest, largest - 1, largest / 2, largest / 2 + 1, behind, behind + 1, behind / 4, behind / 4 + 1,
            old &+ 1, old &- 1, old &* 2, old / 2, ~old,
        ]
        var new = candidates[below(candidates.count)]
        for index in 0..<width {
            bytes[isBigEndian ? at + width - 1 - index : at + index] = UInt8(truncatingIfNeeded: new)
            new >>= 8
        }
    }

    /// Replaces a run of decimal digits, as text headers write their sizes, by another number.
    private mutating func stretchDecimalLength(in bytes: inout [UInt8]) {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        var start = place(in: bytes)
        while start < bytes.count, !isDigit(bytes[start]) { start += 1 }
        guard start < bytes.count else { return }
        var end = start
        while start > 0, isDigit(bytes[start - 1]) { start -= 1 }
        while end < bytes.count, isDigit(bytes[end]) { end += 1 }
        let numbers = [
            "", "0", "1", "-1", "65536", "100000", "2147483648", "9223372036854775808", "99999999999999999999",
        ]
        bytes.replaceSubrange(start..<end, with: numbers[below(numbers.count)].utf8)
    }

    private mutating func removeRange(from bytes: inout [UInt8]) {
        bytes.removeSubrange(range(in: bytes))
    }

    private mutating func repeatRange(of bytes: inout [UInt8]) {
        let range = range(in: bytes)
        bytes.insert(contentsOf: Array(bytes[range]), at: range.upperBound)
    }

    private mutating func insertNoise(into bytes: inout [UInt8]) {
        bytes.insert(contentsOf: noise(), at: below(bytes.count + 1))
    }

    private mutating func appendNoise(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: noise())
    }

    /// The front of this input, the tail of another.
    private mutating func splice(_ bytes: inout [UInt8]) {
        let other = seeds[below(seeds.count)]
        bytes.removeLast(below(bytes.count) + 1)
        bytes.append(contentsOf: other[below(other.count + 1)...])
    }

    // MARK: Choices

    private mutating func below(_ bound: Int) -> Int {
        // The modulo's bias is far below what a test could notice.
        Int(generator.next() >> 33) % bound
    }

    /// A byte to damage: as often near the front, where headers stand, as anywhere.
    private mutating func place(in bytes: [UInt8]) -> Int {
        below(2) == 0 ? below(Swift.min(48, bytes.count)) : below(bytes.count)
    }

    /// At most 64 bytes somewhere.
    private mutating func range(in bytes: [UInt8]) -> Range<Int> {
        let start = below(bytes.count)
        return start..<start + below(Swift.min(64, bytes.count - start) + 1)
    }

    private mutating func noise() -> [UInt8] {
        (0...below(16)).map { _ in UInt8(below(256)) }
    }
}
