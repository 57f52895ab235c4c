import RillRTP
import RillSecurity
import Testing

@Suite struct SRTPKeyTests {
    @Test func `The length of a base64 text depends on its profile`() throws {
        for (profile, length) in [(SRTPProfile.aeadAES128GCM, 40), (.aeadAES256GCM, 60), (.aesCM128Tag80, 40)] {
            let key = SRTPKey.generate(profile)
            #expect(key.base64.utf8.count == length)
            #expect(try SRTPKey(base64: key.base64) == key)
            #expect(try SRTPKey(base64: " \t\(key.base64)\r\n") == key)
            #expect(try SRTPKey(base64: key.base64.replacing("=", with: "")) == key)
            #expect(key.withKeyAndSalt { $0.count } == profile.keyAndSaltByteCount)
            let copy = try key.withKeyAndSalt { (span) throws(SecurityError) in try SRTPKey(span, profile) }
            #expect(copy == key)
        }
        let key = SRTPKey.generate(.aesCM128Tag32)
        #expect(try SRTPKey(base64: key.base64, .aesCM128Tag32) == key)
        #expect(try SRTPKey(base64: key.base64) != key)
    }

    @Test func `Base64 is that of RFC 4648`() throws {
        let key = try SRTPKey(Array<UInt8>(0..<44).span, .aeadAES256GCM)
        #expect(key.base64 == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKis=")
        let ones = try SRTPKey(Array(repeating: UInt8(0xFB), count: 28).span, .aeadAES128GCM)
        #expect(ones.base64 == "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+w==")
        #expect(try SRTPKey(base64: ones.base64) == ones)
    }

    @Test func `The error for an invalid key has only its length`() {
        func error(_ text: String, _ profile: SRTPProfile? = nil) -> SecurityError? {
            do throws(SecurityError) {
                _ = try SRTPKey(base64: text, profile)
                return nil
            } catch { return error }
        }
        #expect(error("") == .invalidKeyLength(byteCount: 0, expected: nil))
        #expect(error("AAAA") == .invalidKeyLength(byteCount: 3, expected: nil))
        #expect(error("AAAA", .aeadAES128GCM) == .invalidKeyLength(byteCount: 3, expected: 28))
        for text in ["A", "AAAAA", "AA=A", "AAA===", "A===", "AA AA", "AAAÄ", "A_A-", "AAA=="] {
            #expect(error(text) == .invalidBase64, "\(text)")
        }
        #expect(
            throws: SecurityError.invalidKeyLength(byteCount: 44, expected: 28),
            performing: {
                try SRTPKey(Array<UInt8>(0..<44).span, .aeadAES128GCM)
            })
    }

    @Test func `Each key is another`() {
        let keys = (0..<100).map { _ in SRTPKey.generate() }
        #expect(Set(keys.map(\.base64)).count == 100 && keys[0] == keys[0] && keys[0] != keys[1])
        #expect(keys[0].profile == .aeadAES256GCM && keys[0].identifier == nil)
        var same = keys[0]
        same.identifier = MasterKeyIdentifier(1)
        #expect(same != keys[0])
    }

    @Test(arguments: SRTPProfile.allCases)
    func `Nothing shows a key`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile, identifier: MasterKeyIdentifier(5, byteCount: 2))
        let crypto = key.cryptoAttribute(tag: 1)
        var video = MediaDescription(.video, port: 5004, transport: "RTP/SAVPF", formats: [.vp8(PayloadType(96))])
        video.crypto = [crypto]
        let session = SessionDescription(connection: ConnectionAddress("127.0.0.1"), media: [video])
        #expect(session.text.contains(key.base64))
        #expect(try SessionDescription(session.text) == session)
        var shown = ["\(key)", String(reflecting: key), "\(crypto)", String(reflecting: crypto), "\(session)"]
        shown += [String(reflecting: session), "\(crypto.keys)", String(describing: Optional(key))]
        for value in [key, crypto, video, session, [key], (key, 2)] as [Any] {
            var text = ""
            dump(value, to: &text)
            shown.append(text)
        }
        let secrets = secrets(of: key)
        for text in shown {
            #expect(!secrets.contains { text.contains($0) }, "\(profile)")
        }
        #expect("\(key)" == "\(profile.suite.rawValue) key 5:2 (hidden)")
        #expect("\(crypto)" == "crypto:1 \(profile.suite.rawValue) inline:(hidden)|5:2")
    }

    /// Pieces of the key as text, and as an array of bytes is shown.
    private func secrets(of key: SRTPKey) -> [String] {
        let bytes = key.withKeyAndSalt { span in span.indices.map { span[$0] } }
        let text = key.base64
        return [
            String(text.prefix(8)), String(text.dropFirst(8).prefix(8)),
            bytes.prefix(4).map { "\($0)" }.joined(separator: ", "),
        ]
    }

    @Test func `Errors of descriptions show no key`() throws {
        let key = SRTPKey.generate(.aeadAES128GCM).base64
        let head = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
        let section = head + "m=video 9 RTP/SAVPF 96\r\n"
        for text in [
            section + "a=crypto:x AEAD_AES_128_GCM inline:\(key)\r\n", section + "a=crypto:1 inline:\(key)\r\n",
            section + "a=crypto:1 AEAD_AES_128_GCM inline:\(key)|x\r\n", section + "acrypto:1 X inline:\(key)\r\n",
            head + "a=crypto:1 AEAD_AES_128_GCM inline:\(key)\r\n", section + "a crypto:1 X inline:\(key)\r\n",
            section + "\0a=crypto:1 X inline:\(key)\r\n", section + "inline:\(key)\r\n",
        ] {
            let error = #expect(throws: SDPError.self) { try SessionDescription(text) }
            #expect(!"\(String(describing: error))".contains(key.prefix(8)), "\(String(describing: error))")
            #expect(!(error?.description.contains(key.prefix(8)) ?? true))
        }
    }
}
