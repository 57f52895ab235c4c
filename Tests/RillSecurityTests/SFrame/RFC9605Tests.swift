import RillTestSupport
import Testing

@testable import RillSecurity

/// The vectors of RFC 9605, Appendix C.
@Suite struct RFC9605Tests {
    private static let text = bytes("64726166742d696574662d736672616d652d656e63")
    private static let metadata = bytes("4945544620534672616d65205747")

    /// One of Appendix C.3: all have the base key 00 to 0F, KID 0x123 and counter 0x4567.
    struct Vector: Sendable, CustomTestStringConvertible {
        let suite: SFrameSuite
        let key, salt, sealed: String
        var testDescription: String { "\(suite)" }
    }

    static let vectors = [
        Vector(
            suite: .aes128CTRTag80,
            key: "3f7d9a7c83ae8e1c8a11ae695ab59314b367e359fadac7b9c46b2bc6f81f46e16b96f0811868d59402b7e870102720b3",
            salt: "50b29329a04dc0f184ac3168",
            sealed: "9901234567449408b6f490086165b9d6f62b24ae1a59a56486b4ae8ed036b88912e24f11"),
        Vector(
            suite: .aes128CTRTag64,
            key: "e2ec5c797540310483b16bf6e7a570d2a27d192fe869c7ccd8584a8d9dab91549fbe553f5113461ec6aa83bf3865553e",
            salt: "e68ac8dd3d02fbcd368c5577",
            sealed: "99012345673f31438db4d09434e43afa0f8a2f00867a2be085046a9f5cb4f101d607"),
        Vector(
            suite: .aes128CTRTag32,
            key: "2c5703089cbb8c583475e4fc461d97d18809df79b6d550f78eb6d50ffa80d89211d57909934f46f5405e38cd583c69fe",
            salt: "38c16e4f5159700c00c7f350",
            sealed: "990123456717fc8af28a5a695afcfc6c8df6358a17e26b2fcb3bae32e443"),
        Vector(
            suite: .aes128GCM, key: "d34f547f4ca4f9a7447006fe7fcbf768", salt: "75234edefe07819026751816",
            sealed: "9901234567b7412c2513a1b66dbb48841bbaf17f598751176ad847681a69c6d0b091c07018ce4adb34eb"),
        Vector(
            suite: .aes256GCM, key: "d3e27b0d4a5ae9e55df01a70e6d4d28d969b246e2936f4b7a5d9b494da6b9633",
            salt: "84991c167b8cd23c93708ec7",
            sealed: "990123456794f509d36e9beacb0e261d99c7d1e972f1fed787d4049f17ca21353c1cc24d56ceabced279"),
    ]

    private static let keyID = SFrameKeyID(rawValue: 0x123)

    private static func baseKey(flipping bit: Int? = nil) throws -> SFrameKey {
        var key = (0..<16).map { UInt8($0) }
        if let bit { key[bit / 8] ^= 1 << UInt8(bit % 8) }
        return try SFrameKey(key.span)
    }

    private static func cipher(
        _ suite: SFrameSuite, isSealing: Bool = false, flipping bit: Int? = nil
    ) throws -> SFrameCipher {
        try #require(try SFrameCipher(baseKey(flipping: bit), keyID, suite, isSealing: isSealing))
    }

    private static func parse(_ bytes: [UInt8]) -> (header: SFrameHeader, byteCount: Int)? {
        SFrameHeader.parse(bytes.span)
    }

    /// What opens; `nil` if it is refused.
    private static func open(_ cipher: SFrameCipher, _ sealed: [UInt8], _ metadata: [UInt8]) -> [UInt8]? {
        guard let (header, byteCount) = SFrameHeader.parse(sealed.span) else { return nil }
        var isOpened = false
        let text = [UInt8](capacity: sealed.count) { output in
            isOpened = cipher.open(
                sealed.span.extracting(droppingFirst: byteCount), header: sealed.span.extracting(first: byteCount),
                metadata: metadata.span, counter: header.counter, into: &output)
        }
        #expect(isOpened || text.isEmpty, "a refused frame leaves nothing")
        return isOpened ? text : nil
    }

    @Test func `Headers are those of Appendix C.1, both ways`() throws {
        let lines = try String(decoding: read("\(folderOfThisFile())/rfc9605-headers.txt"), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 289)
        for line in lines {
            let fields = line.split(separator: " ")
            let header = SFrameHeader(
                SFrameKeyID(rawValue: try #require(UInt64(fields[0]))), counter: try #require(UInt64(fields[1])))
            let wire = bytes(String(fields[2]))
            var byteCount = 0
            let written = [UInt8](capacity: SFrameHeader.maximumByteCount) { byteCount = header.write(into: &$0) }
            #expect(written == wire && byteCount == wire.count, "\(line)")
            let parsed = Self.parse(wire + [7, 7])
            #expect(parsed?.header == header && parsed?.byteCount == wire.count, "\(line)")
            for count in 0..<wire.count {
                #expect(Self.parse(Array(wire.prefix(count))) == nil, "\(line), cut to \(count)")
            }
        }
    }

    @Test func `A header that could be shorter is refused`() {
        for wire in ["8007", "0807", "9000ff", "0900ff", "f000ffffffffffffff", "0f00ffffffffffffff", "8000"] {
            #expect(Self.parse(bytes(wire)) == nil, "\(wire)")
        }
    }

    @Test(arguments: [
        (SFrameSuite.aes128CTRTag80, "f4bef0583e8081069cc60705"), (.aes128CTRTag64, "f4be6e93b7da076927bb"),
        (.aes128CTRTag32, "f4be09480509"),
    ])
    func `Counter mode with HMAC is that of Appendix C.2`(suite: SFrameSuite, end: String) throws {
        func secret(_ range: Range<UInt8>) -> SecretBytes {
            SecretBytes(count: range.count) { output in for byte in range { output.append(byte) } }
        }
        let keys = (key: secret(0..<0x30), salt: secret(0x10..<0x1C))
        let none: [UInt8] = []
        let sealed = bytes("6339af04ada1d064688a442b8dc69d5b6bfa40" + end)
        let cipher = try #require(SFrameCipher(keys, suite, isSealing: true))
        // The salt with the counter 0 is the nonce.
        let made = [UInt8](capacity: 64) { output in
            _ = cipher.seal(
                Self.text.span, header: none.span, metadata: Self.metadata.span, counter: 0, into: &output)
        }
        #expect(made == sealed)
        let opener = try #require(SFrameCipher(keys, suite, isSealing: false))
        let opened = [UInt8](capacity: 64) { output in
            _ = opener.open(sealed.span, header: none.span, metadata: Self.metadata.span, counter: 0, into: &output)
        }
        #expect(opened == Self.text)
    }

    @Test(arguments: vectors)
    func `Keys, sealing and opening are those of Appendix C.3`(vector: Vector) throws {
        let keys = try #require(try SFrameCipher.keys(Self.baseKey(), Self.keyID, vector.suite))
        #expect(keys.key.withBytes { $0.array } == bytes(vector.key))
        #expect(keys.salt.withBytes { $0.array } == bytes(vector.salt))
        let cipher = try Self.cipher(vector.suite, isSealing: true)
        let header = bytes("9901234567")
        let sealed = [UInt8](capacity: 100) { output in
            output.append(copying: header.span)
            #expect(
                cipher.seal(
                    Self.text.span, header: header.span, metadata: Self.metadata.span, counter: 0x4567, into: &output))
        }
        #expect(sealed == bytes(vector.sealed))
        #expect(try Self.open(Self.cipher(vector.suite), sealed, Self.metadata) == Self.text)
    }

    @Test(arguments: vectors)
    func `With any one bit changed in key, header, metadata, ciphertext or tag, a vector is refused`(
        vector: Vector
    ) throws {
        let sealed = bytes(vector.sealed)
        let cipher = try Self.cipher(vector.suite)
        for bit in 0..<8 * sealed.count {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.open(cipher, changed, Self.metadata) == nil, "bit \(bit) of the ciphertext")
        }
        for bit in 0..<8 * Self.metadata.count {
            var changed = Self.metadata
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.open(cipher, sealed, changed) == nil, "bit \(bit) of the metadata")
        }
        for bit in 0..<128 {
            #expect(
                try Self.open(Self.cipher(vector.suite, flipping: bit), sealed, Self.metadata) == nil,
                "bit \(bit) of the key")
        }
        for count in 0..<sealed.count {
            #expect(Self.open(cipher, Array(sealed.prefix(count)), Self.metadata) == nil, "cut to \(count)")
        }
        #expect(Self.open(cipher, sealed, Self.metadata) == Self.text)
    }
}

/// The folder of the file that calls it.
func folderOfThisFile(_ path: String = #filePath) -> String {
    path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
}
