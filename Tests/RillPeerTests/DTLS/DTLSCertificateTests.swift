import RillCore
import RillPeer
import Testing

@Suite struct DTLSCertificateTests {
    @Test func `Each certificate that is made is another`() throws {
        let one = try DTLSCertificate(wallClock: 1_800_000_000)
        let other = try DTLSCertificate(wallClock: 1_800_000_000)
        #expect(one.fingerprint != other.fingerprint)
        #expect(one.fingerprint.algorithm == .sha256 && one.description.hasPrefix("sha-256 "))
    }

    @Test func `A certificate is read from PEM, and serves a connection`() throws {
        let certificate = try DTLSCertificate(pem: DTLSCertificateTests.pem, privateKey: DTLSCertificateTests.key)
        let expected = try DTLSFingerprint(
            parsing: "sha-256 "
                + "E7:E6:2A:E8:D9:6A:E0:A0:F2:11:E1:F7:A9:E1:AB:A1:"
                + "49:70:D0:94:B7:72:CA:4C:60:91:22:09:4D:97:12:59")
        #expect(certificate.fingerprint == expected)
        let pair = DTLSPair(serverCertificate: certificate)
        #expect(pair.connect() && pair.client.endpoint.remoteFingerprint == expected)
        // Both in one text.
        let joined = DTLSCertificateTests.pem + "\n" + DTLSCertificateTests.key
        #expect(try DTLSCertificate(pem: joined, privateKey: joined).fingerprint == expected)
    }

    @Test func `A certificate is read from DER`() throws {
        func bytes(_ pem: String) throws -> [UInt8] {
            try decodedBase64(pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined())
        }
        let (certificate, key) = (try bytes(DTLSCertificateTests.pem), try bytes(DTLSCertificateTests.key))
        let expected = try DTLSCertificate(pem: DTLSCertificateTests.pem, privateKey: DTLSCertificateTests.key)
        #expect(try DTLSCertificate(der: certificate, privateKey: key).fingerprint == expected.fingerprint)
        for count in [0, 1, 40, certificate.count - 1] {
            #expect(throws: DTLSError.self) {
                try DTLSCertificate(der: Array(certificate.prefix(count)), privateKey: key)
            }
        }
    }

    @Test func `A wrong, damaged or encrypted key is refused`() throws {
        let pem = DTLSCertificateTests.pem
        #expect(throws: DTLSError.wrongPrivateKey) {
            try DTLSCertificate(pem: pem, privateKey: DTLSCertificateTests.otherKey)
        }
        for key in ["", pem, DTLSCertificateTests.encryptedKey, String(DTLSCertificateTests.key.dropLast(60))] {
            let error = #expect(throws: DTLSError.self) { try DTLSCertificate(pem: pem, privateKey: key) }
            guard case .invalidCertificate(let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(throws: DTLSError.self) { try DTLSCertificate(pem: "no", privateKey: DTLSCertificateTests.key) }
    }

    // Made by OpenSSL for these tests. They protect nothing.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBdjCCARugAwIBAgIUBZNWXJvCA5ZNhnf3C7e7GvGfhmUwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjYxMjI1NTBaGA8yMTI2MTEwMjEyMjU1
        MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCDJ
        GWID9WlsUCyjDbMY//23/YA1y2UOiNHXlH2zKAktkUfu7ciyh/8rSVIFiX2303lq
        toQHR+qgfCpEjgY/tOqjUzBRMB0GA1UdDgQWBBSI9KCVfRN5A3Y6qzNEQ1CRfe4K
        2jAfBgNVHSMEGDAWgBSI9KCVfRN5A3Y6qzNEQ1CRfe4K2jAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCJBe52WQHbbXFoxmdWEdM1WDlCe6haEMGL
        ASM2BcBNOgIhAMtjIXZvhcfLRxtS2Dw32IgFfeKAYwCuXMmwdfmjOVxq
        -----END CERTIFICATE-----
        """
    private static let key = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIEVizwo10eAQYvBbY/Llf1Mkant0MXo1YL2SiHA5LPoJoAoGCCqGSM49
        AwEHoUQDQgAEIMkZYgP1aWxQLKMNsxj//bf9gDXLZQ6I0deUfbMoCS2RR+7tyLKH
        /ytJUgWJfbfTeWq2hAdH6qB8KkSOBj+06g==
        -----END EC PRIVATE KEY-----
        """
    private static let otherKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIL7p7jRcE7UxVNPPygOZcECIzu3HUnv7t9yU5wxhwrgwoAoGCCqGSM49
        AwEHoUQDQgAEjj4HcMnioywDaRqKmYG5fOxZMLirDJR1RkB/lKTDKBjU+0ZvS5a9
        hG9ySueZ/7Mzay2GVN4p5v7XTMQ7JPZapA==
        -----END EC PRIVATE KEY-----
        """
    /// With a passphrase.
    private static let encryptedKey = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,BB857CE5CE99EEFE7213DBF65B526CD8

        +5+v/R3qOg7p/nVEFZhE7wyRojpHKbYqXTVF5hrVfYOqqwFk1PbC2BzNid63TMVu
        mf9UYyfKhl4lx+1FcIFgm6mxFKsoUeEuednmqTs8m24m2z1xPmtxZ+kX+z93alCJ
        2SyD/s9q0mealrCGgC/DCHxcYcULR0aVeqSZGtMrg5Y=
        -----END EC PRIVATE KEY-----
        """
}

private func decodedBase64(_ text: String) throws -> [UInt8] {
    let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
    for sign in text where sign != "=" {
        bits = bits << 6 | UInt32(try #require(signs.firstIndex(of: sign)))
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
}
