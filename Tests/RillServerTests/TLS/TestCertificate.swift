#if Server
import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate for localhost that signs itself, and its key.
struct TestCertificate {
    /// The certificate as PEM.
    let certificate: String
    /// Its key as PEM.
    let key: String

    /// Makes a new one.
    init() throws {
        let privateKey = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(privateKey.publicKey),
            notValidBefore: now - 60, notValidAfter: now + 3600, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: .init(privateKey))
        self.certificate = try certificate.serializeAsPEM().pemString
        key = privateKey.pemRepresentation
    }
}
#endif
