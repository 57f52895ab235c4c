import RillRTP
import RillSecurity
import Testing

@Suite struct DescribedKeyTests {
    @Test(arguments: SRTPProfile.allCases)
    func `A key round-trips through a description`(profile: SRTPProfile) throws {
        let key = SRTPKey.generate(profile, identifier: MasterKeyIdentifier(3))
        let attribute = key.cryptoAttribute(tag: 2)
        #expect(attribute.tag == 2 && attribute.suite == profile.suite)
        #expect(try SRTPKey(attribute) == key && SRTPKey.isAcceptable(attribute))
        #expect(SRTPProfile(profile.suite) == profile)
    }

    @Test func `RFC 4568's examples are read`() throws {
        let text = """
            v=0
            o=jdoe 2890844526 2890842807 IN IP4 10.47.16.5
            s=SDP Seminar
            c=IN IP4 161.44.17.12/127
            t=2873397496 2873404696
            m=video 51372 RTP/SAVP 31
            a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj|2^20|1:32
            m=audio 49170 RTP/SAVP 0
            a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:NzB4d1BINUAvLEw6UzF3WSJ+PSdFcGdUJShpX1Zj|2^20|1:32
            m=application 32416 udp wb
            a=orient:portrait
            """
        let session = try SessionDescription(text)
        let video = try #require(session.media[0].crypto.first)
        #expect(video.keys[0].lifetime == 1 << 20 && video.keys[0].identifier == MasterKeyIdentifier(1, byteCount: 32))
        let key = try SRTPKey(video)
        #expect(key.profile == .aesCM128Tag80 && key.base64 == "d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj")
        #expect(try SRTPKey(session.media[1].crypto[0]).profile == .aesCM128Tag32)
        #expect(session.media[2].crypto.isEmpty)
        #expect(try SessionDescription(session.text) == session)
    }

    @Test func `Lifetimes, identifiers and parameters keep their meaning`() throws {
        for (text, lifetime, identifier) in [
            ("", nil, nil), ("|2^31", 1 << 31, nil), ("|1066", 1066, nil), ("|7:4", nil, MasterKeyIdentifier(7)),
            ("|2^20|255:1", 1 << 20, MasterKeyIdentifier(255, byteCount: 1)),
        ] as [(String, UInt64?, MasterKeyIdentifier?)] {
            let line = "m=video 9 RTP/SAVPF 96\na=crypto:9 X inline:QUJD\(text);inline:QUJE|1:1 KDR=1 -X=y\n"
            let attribute = try #require(try SessionDescription("v=0\n" + line).media[0].crypto.first)
            #expect(attribute.keys[0] == CryptoAttribute.Key("QUJD", lifetime: lifetime, identifier: identifier))
            #expect(attribute.keys.count == 2 && attribute.sessionParameters == ["KDR=1", "-X=y"])
        }
    }

    @Test(arguments: [
        "", "1", "1 X", "x X inline:QUJD", "1 X inline:", "1 X uri:QUJD", "1 X inline:Q!D",
        "1 X inline:QUJD|", "1 X inline:QUJD|2^64", "1 X inline:QUJD|0", "1 X inline:QUJD|1:0", "1 X inline:QUJD|1:129",
        "1 X inline:QUJD|256:1", "1 X inline:QUJD|2^3|1:1|1:1", "1 X inline:QUJD|1:1|2^3", "1 X inline:QUJD;",
        "1234567890 X inline:QUJD", "-1 X inline:QUJD",
    ])
    func `Texts that are not an attribute are rejected`(text: String) {
        let line = "m=video 9 RTP/SAVPF 96\na=crypto:\(text)\n"
        #expect(throws: SDPError.self) { try SessionDescription("v=0\n" + line) }
    }

    @Test func `Weakening parameters are rejected, and unknown ones`() {
        func error(_ suite: CryptoAttribute.Suite, _ parameters: [String], keys: Int = 1) -> SecurityError? {
            let key = CryptoAttribute.Key(SRTPKey.generate(.aeadAES128GCM).base64)
            let attribute = CryptoAttribute(
                tag: 1, suite, Array(repeating: key, count: keys), sessionParameters: parameters)
            do throws(SecurityError) {
                _ = try SRTPKey(attribute)
                return nil
            } catch { return error }
        }
        for parameter in [
            "UNENCRYPTED_SRTP", "UNENCRYPTED_SRTCP", "UNAUTHENTICATED_SRTP", "KDR=1", "FEC_ORDER=SRTP_FEC", "NEW=1",
            "FEC_KEY=inline:QUJD",
        ] {
            #expect(error(.aeadAES128GCM, ["WSH=64", parameter]) == .refusedParameter(parameter))
        }
        #expect(error(.aeadAES128GCM, ["WSH=64", "-NEW=1", "FEC_ORDER=FEC_SRTP"]) == nil)
        #expect(error(.aeadAES256GCM, []) == .invalidKeyLength(byteCount: 28, expected: 44))
        #expect(error(.aeadAES128GCM, [], keys: 2) == .severalKeys(2))
        let null = CryptoAttribute.Suite(rawValue: "NULL_HMAC_SHA1_80")
        #expect(error(null, []) == .unsupportedSuite(null) && SRTPProfile(null) == nil)
    }
}
