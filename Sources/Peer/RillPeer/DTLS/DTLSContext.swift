import COpenSSL

/// What the connections of a certificate share: an `SSL_CTX`, not changed once it is made, so that any thread may use
/// it.
@safe
final class DTLSContext: @unchecked Sendable {
    // Manually Sendable: OpenSSL counts references atomically, and SSL_new only reads the rest.
    let pointer: OpaquePointer

    /// AEAD ciphers with forward secrecy.
    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    ]
    private static let groups = "X25519:P-256:P-384"
    /// What certificates of WebRTC are signed with. OpenSSL's own list has a dozen more, with which the first message
    /// of a client would be larger than what ICE lets go to an address that has not answered (``ICEPathBudget``): it
    /// has 138 bytes.
    private static let signatures = [
        "ECDSA+SHA256", "ECDSA+SHA384", "ed25519", "RSA-PSS+SHA256", "RSA+SHA256", "RSA+SHA384", "RSA+SHA512",
    ]

    init(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(DTLSError) {
        guard let pointer = unsafe SSL_CTX_new(DTLS_method()) else {
            throw .libraryFailed(reason: OpenSSLFailure.take().reason)
        }
        unsafe self.pointer = pointer
        // Version, ciphers and level are set, whatever the machine's openssl.cnf has. At level 2, RSA keys have at
        // least 2048 bits.
        unsafe SSL_CTX_set_security_level(pointer, 2)
        unsafe SSL_CTX_set_options(pointer, UInt64(COpenSSL_OPTIONS))
        unsafe COpenSSL_CTX_disable_sessions(pointer)
        // A peer must have a certificate, in both roles; which one it is, is found out by its fingerprint.
        unsafe SSL_CTX_set_verify(pointer, COpenSSL_VERIFY_REQUIRED, nil)
        unsafe SSL_CTX_set_cert_verify_callback(pointer, verifyCertificate, nil)
        guard unsafe COpenSSL_CTX_set_version(pointer, DTLS1_2_VERSION) == 1,
            unsafe SSL_CTX_set_cipher_list(pointer, DTLSContext.ciphers.joined(separator: ":")) == 1,
            unsafe COpenSSL_CTX_set1_groups_list(pointer, DTLSContext.groups) == 1,
            unsafe COpenSSL_CTX_set1_sigalgs_list(pointer, DTLSContext.signatures.joined(separator: ":")) == 1,
            unsafe SSL_CTX_use_certificate(pointer, certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1
        else { throw .libraryFailed(reason: OpenSSLFailure.take().reason) }
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }
}

/// Replaces OpenSSL's verification of the chain by the comparison of fingerprints.
private func verifyCertificate(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let ssl = unsafe X509_STORE_CTX_get_ex_data(store, index).map({ OpaquePointer($0) }),
        let certificate = unsafe X509_STORE_CTX_get0_cert(store),
        unsafe DTLSWire.of(ssl)?.isAcceptable(certificate) == true
    else {
        // The peer is sent the alert bad_certificate.
        unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    }
    return 1
}
