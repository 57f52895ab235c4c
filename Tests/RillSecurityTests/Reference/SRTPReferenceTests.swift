import RillSecurity
import Testing

/// The judge is judged first: by the RFCs' own examples.
@Suite struct SRTPReferenceTests {
    private let gcm128 = SRTPReference(
        .aeadAES128GCM, key: Array(0..<16), salt: bytes("517569642070726f2071756f"))
    private let gcm256 = SRTPReference(
        .aeadAES256GCM, key: Array(0..<32), salt: bytes("517569642070726f2071756f"))

    @Test func `AES and its counter mode (FIPS 197 C, RFC 3711 B.2)`() {
        let text = bytes("00112233445566778899aabbccddeeff")
        #expect(AES(Array(0..<16)).encrypt(text) == bytes("69c4e0d86a7b0430d8cdb78070b4c55a"))
        #expect(AES(Array(0..<32)).encrypt(text) == bytes("8ea2b7ca516745bfeafc49904b496089"))
        let stream = counterMode(
            bytes("2B7E151628AED2A6ABF7158809CF4F3C"), bytes("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000"),
            [UInt8](repeating: 0, count: 48))
        #expect(
            stream
                == bytes(
                    "E03EAD0935C95E80E166B16DD92B4EB4D23513162B02D0F72A43A2FE4A5F97AB41E95B3BB0A2E8DD477901E4FCA894C0"))
    }

    @Test func `HMAC-SHA1 (FIPS 180, RFC 2202)`() {
        #expect(SHA1.hash(Array("abc".utf8)) == bytes("a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(
            SHA1.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    }

    @Test func `Keys are derived (RFC 3711 B.3)`() {
        let keys = SRTPReference.derive(
            bytes("E1F97A0D3E018BE0D64FA32C06DE4139"), bytes("0EC675AD498AFEEBB6960B3AABE6"), labels: (0, 1, 2))
        #expect(keys.key == bytes("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(keys.salt == bytes("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(keys.authentication == bytes("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    }

    @Test func `Packets of RTP in GCM (RFC 7714 16)`() {
        let packet = bytes(
            "8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573")
        #expect(
            gcm128.protect(packet, headerByteCount: 12, rolloverCounter: 0)
                == bytes(
                    "8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833"
                        + "899d7f27beb16a9152cf765ee4390cce"))
        #expect(
            gcm256.protect(packet, headerByteCount: 12, rolloverCounter: 0)
                == bytes(
                    "8040f17b8041f8d35501a0b232b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b"
                        + "7aa3db36dfffd6b0f9bb7878d7a76c13"))
    }

    @Test func `Compounds of RTCP in GCM (RFC 7714 17)`() {
        let compound = bytes(
            "81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef")
        #expect(
            gcm128.protect(compound, index: 0x5D4)
                == bytes(
                    "81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275b"
                        + "c84aa45896cf4d2fc5abf87245d9eade800005d4"))
        #expect(
            gcm256.protect(compound, index: 0x5D4)
                == bytes(
                    "81c8000d4d617273d50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be8415f658c61de0476f1b6fad"
                        + "1d1eb30c4446839f57ff6f6cb26ac3be800005d4"))
    }
}
