/// AES by the book (FIPS 197), byte by byte: the reference for libsrtp's results. Slow, and for tests alone.
struct AES {
    private var roundKeys: [[UInt8]] = []

    init(_ key: [UInt8]) {
        let wordCount = key.count / 4
        var words = stride(from: 0, to: key.count, by: 4).map { Array(key[$0..<($0 + 4)]) }
        var factor: UInt8 = 1
        for index in wordCount..<(4 * (wordCount + 7)) {
            var word = words[index - 1]
            if index % wordCount == 0 {
                word = [word[1], word[2], word[3], word[0]].map { AES.box[Int($0)] }
                word[0] ^= factor
                factor = AES.times(factor, 2)
            } else if wordCount > 6, index % wordCount == 4 {
                word = word.map { AES.box[Int($0)] }
            }
            words.append(zip(words[index - wordCount], word).map { $0 ^ $1 })
        }
        roundKeys = stride(from: 0, to: words.count, by: 4).map { Array(words[$0..<($0 + 4)].joined()) }
    }

    func encrypt(_ block: [UInt8]) -> [UInt8] {
        var state = xor(block, roundKeys[0])
        for round in 1..<roundKeys.count {
            state = state.map { AES.box[Int($0)] }
            state = (0..<16).map { state[($0 + 4 * ($0 % 4)) % 16] }
            if round < roundKeys.count - 1 { state = mixed(state) }
            state = xor(state, roundKeys[round])
        }
        return state
    }

    private func mixed(_ state: [UInt8]) -> [UInt8] {
        (0..<16).map { place in
            let column = place / 4 * 4
            return [2, 3, 1, 1].enumerated().reduce(UInt8(0)) { sum, entry in
                sum ^ AES.times(state[column + (place + entry.offset) % 4], UInt8(entry.element))
            }
        }
    }

    /// The product in GF(2^8).
    private static func times(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var (one, product) = (one, UInt8(0))
        for bit in 0..<8 {
            if other >> UInt8(bit) & 1 == 1 { product ^= one }
            one = one << 1 ^ (one & 0x80 != 0 ? 0x1B : 0)
        }
        return product
    }

    private static let box: [UInt8] = (0..<256).map { value in
        let inverse = (0..<256).first { times(UInt8(value), UInt8($0)) == 1 } ?? 0
        return (0..<5).reduce(0x63) { sum, shift in
            let byte = UInt8(inverse)
            return sum ^ (byte << UInt8(shift) | byte >> UInt8(8 - shift))
        }
    }
}

func xor(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> [UInt8] { zip(one, other).map { $0 ^ $1 } }

/// AES in counter mode from the block `counter` on, whose last 16 bits count (RFC 3711 §4.1.1), or 32 (GCM).
func counterMode(_ key: [UInt8], _ counter: [UInt8], _ data: [UInt8]) -> [UInt8] {
    let aes = AES(key)
    var block = counter
    var result: [UInt8] = []
    for start in stride(from: 0, to: data.count, by: 16) {
        result += xor(data[start..<min(start + 16, data.count)], aes.encrypt(block))
        for place in (12..<16).reversed() {
            block[place] &+= 1
            if block[place] != 0 { break }
        }
    }
    return result
}

/// AES in Galois/Counter mode (NIST SP 800-38D): the ciphertext, and the tag behind it.
func galoisCounterMode(_ key: [UInt8], _ nonce: [UInt8], _ data: [UInt8], authenticating header: [UInt8]) -> [UInt8] {
    let aes = AES(key)
    let cipher = counterMode(key, nonce + [0, 0, 0, 2], data)
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(repeating: 0, count: (16 - bytes.count % 16) % 16) }
    let lengths = bigEndian(UInt64(header.count * 8)) + bigEndian(UInt64(cipher.count * 8))
    let factor = number(aes.encrypt(Array(repeating: 0, count: 16)))
    var sum: UInt128 = 0
    let blocks = padded(header) + padded(cipher) + lengths
    for start in stride(from: 0, to: blocks.count, by: 16) {
        sum = galoisProduct(sum ^ number(Array(blocks[start..<(start + 16)])), factor)
    }
    return cipher + xor(bigEndian(sum), aes.encrypt(nonce + [0, 0, 0, 1]))
}

private func galoisProduct(_ one: UInt128, _ other: UInt128) -> UInt128 {
    var (product, shifted) = (UInt128(0), other)
    for bit in (0..<128).reversed() {
        if one >> UInt128(bit) & 1 == 1 { product ^= shifted }
        shifted = shifted >> 1 ^ (shifted & 1 == 1 ? 0xE1 << 120 : 0)
    }
    return product
}

private func number(_ bytes: [UInt8]) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    (0..<(Value.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
}
