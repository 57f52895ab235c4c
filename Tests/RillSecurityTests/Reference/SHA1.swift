/// SHA-1 (FIPS 180-4) and HMAC (RFC 2104) by the book.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let bytes = message + padding + bigEndian(UInt64(message.count * 8))
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + 4 * word + $1]) }
            }
            for index in 16..<80 {
                words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
            }
            state = zip(state, block(words, state)).map { $0 &+ $1 }
        }
        return state.flatMap { bigEndian($0) }
    }

    private static func block(_ words: [UInt32], _ state: [UInt32]) -> [UInt32] {
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, 5) &+ mix &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
        }
        return [a, b, c, d, e]
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }

    static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key + [UInt8](repeating: 0, count: 64 - key.count)
        return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
    }
}
