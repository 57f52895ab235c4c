public import RillCore

/// Errors of DTLS: of its certificates and fingerprints, and why a connection failed.
public enum DTLSError: Error, Equatable, Sendable {
    /// A fingerprint's hash function is not one of ``DTLSHashAlgorithm``.
    case unknownHashAlgorithm(String)
    /// A text is not the value of `a=fingerprint`.
    case invalidFingerprint(String)
    /// A fingerprint has another length than its hash function.
    case invalidFingerprintLength(DTLSHashAlgorithm, byteCount: Int)
    /// The certificate, or the private key, cannot be read; OpenSSL's reason.
    case invalidCertificate(reason: String)
    /// The private key is not that of the certificate.
    case wrongPrivateKey

    /// The handshake did not end in time: after how long, and OpenSSL's name of the state that was reached.
    case timedOut(after: MediaDuration, reached: String)
    /// The peer ended the connection with a fatal alert.
    case alertReceived(DTLSAlert)
    /// OpenSSL gave up: its code, its reason, and the alert that was sent.
    case handshakeFailed(code: UInt, reason: String, sent: DTLSAlert?)
    /// The peer's certificate has none of the fingerprints that signaling named. This is the certificate's own.
    case wrongFingerprint(DTLSFingerprint)
    /// The peer does not do SRTP, or none of the profiles (RFC 5764 §4.1).
    case noSRTPProfile

    /// Data may only be sent while the state is `connected`.
    case notConnected(DTLSState)
    /// Data does not fit one datagram; the most bytes that do.
    case dataTooLarge(byteCount: Int, limit: Int)
    /// OpenSSL could not do what it should always be able to do, such as when there is no memory; its reason.
    case libraryFailed(reason: String)
}

extension DTLSError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .unknownHashAlgorithm(let name):
            "the hash function \(name) of a fingerprint is unknown: sha-1, sha-256, sha-384 and sha-512 are known"
        case .invalidFingerprint(let text):
            "\"\(text)\" is not a fingerprint such as \"sha-256 4A:AD:B9\""
        case .invalidFingerprintLength(let algorithm, let count):
            "a fingerprint of \(count) bytes: \(algorithm.rawValue) has \(algorithm.byteCount)"
        case .invalidCertificate(let reason):
            "the certificate or its private key cannot be read: \(reason)"
        case .wrongPrivateKey:
            "the private key is not that of the certificate"
        case .timedOut(let time, let state):
            "DTLS did not connect within \(time); reached: \(state)"
        case .alertReceived(let alert):
            "the peer ended DTLS with the alert \(alert)"
        case .handshakeFailed(let code, let reason, let alert):
            "DTLS failed: \(reason) (OpenSSL's code \(code))"
                + (alert.map { "; the peer was sent the alert \($0)" } ?? "")
        case .wrongFingerprint(let fingerprint):
            "the peer's certificate is not the one that signaling named; its fingerprint is \(fingerprint)"
        case .noSRTPProfile:
            "the peer does not do SRTP, or has none of the profiles that are allowed"
        case .notConnected(let state):
            "data cannot be sent while DTLS is \(state)"
        case .dataTooLarge(let count, let limit):
            "\(count) bytes of data do not fit a datagram, which holds \(limit)"
        case .libraryFailed(let reason):
            "OpenSSL failed: \(reason)"
        }
    }
}
