import COpenSSL

/// The certificate of one side, with its private key.
///
/// ```swift
/// let certificate = try DTLSCertificate(wallClock: secondsSince1970)   // one per process is enough
/// offer.fingerprint = certificate.fingerprint.description
/// ```
///
/// Peers compare the fingerprint with what signaling told them, and nothing else: no names, dates or authorities. One
/// certificate may serve any number of connections, but whoever sees two calls can then tell that it is the same side.
///
/// The private key is not revealed, not even in descriptions. Making one takes about half a millisecond, and 17 KB stay
/// in use: what all its connections share.
///
/// Threads: any.
@safe
public final class DTLSCertificate: Sendable {
    /// The fingerprint, of SHA-256.
    public let fingerprint: DTLSFingerprint
    /// What the connections of the certificate share. It holds certificate and key.
    let context: DTLSContext

    /// Makes a certificate: self-signed, ECDSA with P-256 and SHA-256, with a random serial number, valid from a day
    /// before to a year after.
    ///
    /// - Parameter seconds: the wall-clock time in seconds since 1970.
    /// - Throws: `libraryFailed`.
    public convenience init(wallClock seconds: Int) throws(DTLSError) {
        _ = DTLSCertificate.library
        guard let key = unsafe COpenSSL_EC_gen("P-256") else {
            throw .libraryFailed(reason: OpenSSLFailure.take().reason)
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = unsafe X509_new() else { throw .libraryFailed(reason: OpenSSLFailure.take().reason) }
        defer { unsafe X509_free(certificate) }
        guard unsafe DTLSCertificate.fill(certificate, key, wallClock: seconds) else {
            throw .libraryFailed(reason: OpenSSLFailure.take().reason)
        }
        unsafe try self.init(certificate, key)
    }

    /// Reads a certificate and its private key, ECDSA or RSA, both as PEM, without a passphrase.
    ///
    /// - Parameters:
    ///   - certificate: the text of the certificate. Further ones in it are ignored.
    ///   - privateKey: the text of the key; it may be the same text.
    /// - Throws: `invalidCertificate`, `wrongPrivateKey` or `libraryFailed`.
    public convenience init(pem certificate: String, privateKey: String) throws(DTLSError) {
        unsafe try self.init(
            DTLSCertificate.read(Array(certificate.utf8)) {
                unsafe PEM_read_bio_X509($0, nil, noPassphrase, nil)
            },
            DTLSCertificate.read(Array(privateKey.utf8)) {
                unsafe PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil)
            })
    }

    /// Reads a certificate and its private key, ECDSA or RSA, both as DER: X.509, and PKCS #8 or the type's own form.
    ///
    /// - Parameters:
    ///   - certificate: the bytes of the certificate.
    ///   - privateKey: the bytes of the key.
    /// - Throws: `invalidCertificate`, `wrongPrivateKey` or `libraryFailed`.
    public convenience init(der certificate: [UInt8], privateKey: [UInt8]) throws(DTLSError) {
        unsafe try self.init(
            DTLSCertificate.read(certificate) { unsafe d2i_X509_bio($0, nil) },
            DTLSCertificate.read(privateKey) { unsafe d2i_PrivateKey_bio($0, nil) })
    }

    /// Takes what was read, and frees it.
    private convenience init(
        _ certificate: Result<OpaquePointer, DTLSError>, _ key: Result<OpaquePointer, DTLSError>
    ) throws(DTLSError) {
        defer {
            if case .success(let certificate) = unsafe certificate { unsafe X509_free(certificate) }
            if case .success(let key) = unsafe key { unsafe EVP_PKEY_free(key) }
        }
        unsafe try self.init(certificate.get(), key.get())
    }

    /// Initializes OpenSSL, without its cleanup at the end of the process: that would free what threads of ours still
    /// use, where an app ends during a call.
    private static let library = {
        let settings: OpaquePointer? = nil
        return unsafe OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), settings)
    }()

    /// Refers to both. The caller frees its own references.
    private init(_ certificate: OpaquePointer, _ key: OpaquePointer) throws(DTLSError) {
        guard unsafe X509_check_private_key(certificate, key) == 1 else {
            ERR_clear_error()
            throw .wrongPrivateKey
        }
        fingerprint = unsafe try DTLSFingerprint(.sha256, of: certificate)
        context = unsafe try DTLSContext(certificate, key)
    }

    /// Writes the fields of an X.509 certificate (RFC 5280 §4.1), and signs it.
    private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer, wallClock seconds: Int) -> Bool {
        // Positive, and not 0 (§4.1.2.2).
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        let name = unsafe X509_get_subject_name(certificate)
        // Both are references into the certificate.
        let (first, last) = unsafe (X509_getm_notBefore(certificate), X509_getm_notAfter(certificate))
        // Version 3 is written as 2. Peers do not look at the name: it is the one of browsers' certificates.
        return unsafe X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1
            && ASN1_TIME_adj(first, seconds, -1, 0) != nil
            && ASN1_TIME_adj(last, seconds, 365, 0) != nil
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "WebRTC", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
            && X509_set_pubkey(certificate, key) == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
    }

    /// Reads something of bytes.
    private static func read(
        _ bytes: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?
    ) -> Result<OpaquePointer, DTLSError> {
        _ = library
        return unsafe bytes.withUnsafeBytes { buffer -> Result<OpaquePointer, DTLSError> in
            // The BIO reads from the buffer, during this call only.
            guard buffer.count < Int(Int32.max),
                let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
            else { return unsafe .failure(.invalidCertificate(reason: "no bytes")) }
            defer { unsafe BIO_free(bio) }
            guard let value = unsafe body(bio) else {
                return unsafe .failure(.invalidCertificate(reason: OpenSSLFailure.take().reason))
            }
            return unsafe .success(value)
        }
    }
}

extension DTLSCertificate: CustomStringConvertible {
    /// The fingerprint.
    public var description: String { fingerprint.description }
}

extension DTLSFingerprint {
    /// The fingerprint of a certificate of OpenSSL's.
    init(_ algorithm: DTLSHashAlgorithm, of certificate: OpaquePointer) throws(DTLSError) {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let digest =
            switch algorithm {
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            case .sha384: unsafe EVP_sha384()
            case .sha512: unsafe EVP_sha512()
            }
        // It writes at most EVP_MAX_MD_SIZE bytes.
        guard unsafe X509_digest(certificate, digest, &bytes, &count) == 1 else {
            throw .libraryFailed(reason: OpenSSLFailure.take().reason)
        }
        try self.init(algorithm, Array(bytes.prefix(Int(count))))
    }
}

/// Instead of OpenSSL's, which asks for a passphrase at the terminal.
private let noPassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 =
        { _, _, _, _ in -1 }

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
