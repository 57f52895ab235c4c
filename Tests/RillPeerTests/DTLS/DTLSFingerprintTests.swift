import RillCore
import RillPeer
import Testing

@Suite struct DTLSFingerprintTests {
    @Test(arguments: DTLSHashAlgorithm.allCases)
    func `A fingerprint is written as it is read`(algorithm: DTLSHashAlgorithm) throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let bytes = (0..<algorithm.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let fingerprint = try DTLSFingerprint(algorithm, bytes)
            #expect(try DTLSFingerprint(parsing: fingerprint.description) == fingerprint)
            #expect(try DTLSFingerprint(parsing: fingerprint.description.lowercased()) == fingerprint)
            #expect(try DTLSFingerprint(parsing: fingerprint.description.uppercased()) == fingerprint)
            #expect(fingerprint.description.utf8.count == algorithm.rawValue.utf8.count + 3 * algorithm.byteCount)
        }
    }

    @Test func `A fingerprint differs in any bit`() throws {
        let bytes = [UInt8](repeating: 0x5A, count: 32)
        let fingerprint = try DTLSFingerprint(.sha256, bytes)
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try DTLSFingerprint(.sha256, other) != fingerprint)
        }
        #expect(fingerprint.description.hasPrefix("sha-256 5A:5A:"))
    }

    @Test func `What is not a fingerprint is named`() throws {
        let pairs = [String](repeating: "0a", count: 32).joined(separator: ":")
        #expect(throws: DTLSError.unknownHashAlgorithm("md5")) { try DTLSFingerprint(parsing: "md5 " + pairs) }
        #expect(throws: DTLSError.unknownHashAlgorithm("sha-224")) { try DTLSFingerprint(parsing: "sha-224 " + pairs) }
        #expect(throws: DTLSError.invalidFingerprintLength(.sha256, byteCount: 33)) {
            try DTLSFingerprint(parsing: "sha-256 " + pairs + ":00")
        }
        for text in [
            "", "sha-256", "sha-256 " + pairs + ":", "sha-256 0g", "sha-256 a:b", "sha-256 0a0b", "sha-256 :", pairs,
        ] {
            #expect(throws: DTLSError.self, "\(text)") { try DTLSFingerprint(parsing: text) }
        }
    }
}
