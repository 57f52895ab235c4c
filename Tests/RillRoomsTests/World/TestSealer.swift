import RillCore
import RillRooms

/// Tokens in hexadecimal with a checksum: nobody forges them in these tests.
struct TestSealer: SessionSealer {
    var secret: UInt64 = 1

    private func sum(_ bytes: [UInt8]) -> String {
        String(bytes.reduce(secret &* 0x9E37_79B9_7F4A_7C15) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }

    func seal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() + "." + sum(bytes)
    }

    func open(_ token: String) -> [UInt8]? {
        let parts = token.split(separator: ".")
        guard parts.count == 2 else { return nil }
        let digits = Array(parts[0].utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return parts[1] == sum(bytes) ? bytes : nil
    }
}
