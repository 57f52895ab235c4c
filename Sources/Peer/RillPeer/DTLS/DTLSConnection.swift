import COpenSSL
import RillCore
public import RillSecurity

/// A connection of OpenSSL's, with its datagrams and its time.
@safe
final class DTLSConnection {
    /// How far OpenSSL came.
    enum Outcome {
        /// What was asked for is done.
        case done
        /// It needs another datagram, or time.
        case waiting
        /// The peer closed the connection.
        case closed
        case failed(DTLSError)
    }

    let wire: DTLSWire
    private let ssl: OpaquePointer
    /// Keeps certificate and key.
    private let certificate: DTLSCertificate
    /// Where received data is decrypted: as large as a record can be.
    private var record: [UInt8] = []

    init(_ role: DTLSRole, _ certificate: DTLSCertificate, _ settings: DTLSSettings) {
        self.certificate = certificate
        wire = DTLSWire(settings)
        guard let ssl = unsafe SSL_new(certificate.context.pointer) else {
            preconditionFailure("OpenSSL has no memory for a connection")
        }
        unsafe self.ssl = ssl
        let profiles = settings.srtpProfiles.map(\.openSSLName).joined(separator: ":")
        // This function returns 0 if all is well, unlike others.
        let isReady =
            unsafe wire.attach(to: ssl) && SSL_set_tlsext_use_srtp(ssl, profiles) == 0
            && COpenSSL_set_link_mtu(ssl, settings.maximumTransmissionUnit) == 1
        precondition(isReady, "OpenSSL does not take the settings")
        // With 16 KB for a certificate, no message of a handshake is larger than a record.
        unsafe COpenSSL_set_max_cert_list(ssl, 16_384)
        switch role {
        case .client: unsafe SSL_set_connect_state(ssl)
        // A cookie (RFC 6347 §4.2.1) would cost a round trip, to show that the client receives what is sent to its
        // address: ICE has shown that already.
        case .server: unsafe SSL_set_accept_state(ssl)
        }
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    /// Goes on with the handshake.
    func handshake() -> Outcome {
        ERR_clear_error()
        return outcome(of: unsafe SSL_do_handshake(ssl))
    }

    /// Retransmits the last flight, if its time is up.
    func retransmit() -> Outcome {
        guard let deadline = wire.timer.deadline, deadline <= wire.now else { return .done }
        ERR_clear_error()
        // OpenSSL changes the timer during the next call, so this one ends before.
        let isExpired = unsafe wire.timer.expire(ssl, at: wire.now)
        let result = unsafe COpenSSL_handle_timeout(ssl)
        // 0 is for a timer that has not expired.
        return result < 0 || isExpired && result == 0 ? .failed(failure()) : .done
    }

    /// Reads a message, if one has come, and passes it on. Retransmissions of the peer's are answered.
    func read(_ body: ([UInt8]) -> Void) -> Outcome {
        if record.isEmpty { record = [UInt8](repeating: 0, count: 16_384) }
        ERR_clear_error()
        // It writes at most as many bytes as the array has.
        let count = unsafe SSL_read(ssl, &record, Int32(record.count))
        guard count > 0 else { return outcome(of: count) }
        body(Array(record.prefix(Int(count))))
        return .done
    }

    /// The most bytes of a message that fit a datagram.
    var maximumDataByteCount: Int { unsafe DTLS_get_data_mtu(ssl) }

    /// Encrypts a message into a datagram.
    func write(_ data: Span<UInt8>) throws(DTLSError) {
        ERR_clear_error()
        // OpenSSL reads the bytes during the call.
        let count = unsafe data.withUnsafeBufferPointer { unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
        guard count == Int32(data.count) else { throw .libraryFailed(reason: OpenSSLFailure.take().reason) }
    }

    /// Sends close_notify.
    func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// OpenSSL's name of the state of the handshake.
    var stateName: String {
        // The name is a constant of the library.
        unsafe SSL_state_string_long(ssl).map { unsafe String(cString: $0) } ?? "unknown"
    }

    /// The name of the cipher, as IANA has it.
    var cipherName: String? {
        // The name is a constant of the library.
        unsafe SSL_get_current_cipher(ssl).flatMap { unsafe SSL_CIPHER_standard_name($0) }.map {
            unsafe String(cString: $0)
        }
    }

    /// The bytes that the cipher adds to a record: a tag of 16, and with GCM a nonce of 8 (RFC 5288 §3, RFC 7905 §2).
    /// Before there is a cipher, what comes first is the end of a handshake, which is longer than both.
    var recordOverhead: Int {
        guard let cipher = unsafe SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl) else { return 16 + 8 }
        return unsafe SSL_CIPHER_get_cipher_nid(cipher) == NID_chacha20_poly1305 ? 16 : 16 + 8
    }

    // MARK: What was negotiated

    /// Whether the peer's certificate has one of the fingerprints.
    func hasAcceptableCertificate() -> Bool {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return false }
        return unsafe wire.isAcceptable(certificate)
    }

    /// The fingerprint of the peer's certificate; `nil` before it has shown one, or if OpenSSL has no memory to hash
    /// it.
    var remoteFingerprint: DTLSFingerprint? {
        unsafe SSL_get0_peer_certificate(ssl).flatMap { unsafe try? DTLSFingerprint(.sha256, of: $0) }
    }

    /// The keys of SRTP (RFC 5764 §4.2).
    ///
    /// - Throws: `noSRTPProfile` or `libraryFailed`.
    func srtpKeys(_ role: DTLSRole) throws(DTLSError) -> DTLSSRTPKeys {
        // A constant of the library.
        guard let number = unsafe SSL_get_selected_srtp_profile(ssl)?.pointee.id,
            let profile = SRTPProfile.allCases.first(where: { UInt($0.dtlsNumber) == number })
        else { throw .noSRTPProfile }
        var material = [UInt8](repeating: 0, count: 2 * profile.keyAndSaltByteCount)
        defer { overwrite(&material) }
        let label = DTLSSRTPKeys.label
        // It writes as many bytes as the array has. There is no context.
        guard
            unsafe SSL_export_keying_material(ssl, &material, material.count, label, label.utf8.count, nil, 0, 0) == 1
        else { throw .libraryFailed(reason: OpenSSLFailure.take().reason) }
        do {
            return try DTLSSRTPKeys(material.span, profile, role: role)
        } catch { throw .libraryFailed(reason: "\(error)") }
    }

    // MARK: Failures

    private func outcome(of result: Int32) -> Outcome {
        if result > 0 { return .done }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waiting
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: return .failed(failure())
        }
    }

    private func failure() -> DTLSError {
        let failure = OpenSSLFailure.take()
        if let alert = wire.fatalAlertReceived { return .alertReceived(alert) }
        if let fingerprint = wire.refused { return .wrongFingerprint(fingerprint) }
        return .handshakeFailed(code: failure.code, reason: failure.reason, sent: wire.fatalAlertSent)
    }
}

extension SRTPProfile {
    /// The name of the profile in OpenSSL.
    fileprivate var openSSLName: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aesCM128Tag80: "SRTP_AES128_CM_SHA1_80"
        case .aesCM128Tag32: "SRTP_AES128_CM_SHA1_32"
        }
    }
}

/// The keys of SRTP for both directions, which a handshake of DTLS gave (RFC 5764 §4.2).
public struct DTLSSRTPKeys: Sendable {
    /// For ``/RillSecurity/SRTPProtector``: what this side sends.
    public let sending: SRTPKey
    /// For ``/RillSecurity/SRTPUnprotector``: what this side receives.
    public let receiving: SRTPKey

    /// The profile of both.
    public var profile: SRTPProfile { sending.profile }

    /// The label of the exporter.
    static let label = "EXTRACTOR-dtls_srtp"

    /// Splits what the exporter gave.
    ///
    ///     client's key | server's key | client's salt | server's salt
    init(_ material: Span<UInt8>, _ profile: SRTPProfile, role: DTLSRole) throws(SecurityError) {
        let (key, salt) = (profile.keyByteCount, profile.saltByteCount)
        precondition(material.count == 2 * (key + salt))
        func make(_ side: DTLSRole) throws(SecurityError) -> SRTPKey {
            let number = side == .client ? 0 : 1
            var bytes = [UInt8]()
            bytes.reserveCapacity(key + salt)
            for index in 0..<key { bytes.append(material[number * key + index]) }
            for index in 0..<salt { bytes.append(material[2 * key + number * salt + index]) }
            defer { overwrite(&bytes) }
            return try SRTPKey(bytes.span, profile)
        }
        sending = try make(role)
        receiving = try make(role.opposite)
    }
}

/// What OpenSSL says of its last failure in this thread.
struct OpenSSLFailure {
    /// The code: library and reason. 0 if there is none.
    let code: UInt
    /// OpenSSL's words: `SSL routines: wrong version number`.
    let reason: String

    /// Takes the failure from the thread's queue, and empties that.
    static func take() -> OpenSSLFailure {
        // The last of the queue is the cause of those before it.
        let code = ERR_peek_last_error()
        ERR_clear_error()
        // The names are constants of the library.
        let words = unsafe [ERR_lib_error_string(code), ERR_reason_error_string(code)].compactMap { text in
            unsafe text.map { unsafe String(cString: $0) }
        }
        return OpenSSLFailure(code: code, reason: words.isEmpty ? "no reason" : words.joined(separator: ": "))
    }
}

/// Overwrites bytes that were secret. Unlike an ordinary store, this one is not optimized away as dead.
func overwrite(_ bytes: inout [UInt8]) {
    // The buffer is the array's own, and as long as it says.
    unsafe bytes.withUnsafeMutableBytes { buffer in unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
}
