public import RillRTP

/// Errors that make a key unusable. They reveal nothing about a key except its length.
public enum SecurityError: Error, Equatable, Sendable {
    /// The key and the salt have a different length than the profile requires; `nil` if no profile has that length.
    case invalidKeyLength(byteCount: Int, expected: Int?)
    /// A text is not base64.
    case invalidBase64
    /// Rill does not support the suite of a description.
    case unsupportedSuite(CryptoAttribute.Suite)
    /// A description has a parameter that would weaken the protection, or that Rill does not support.
    case refusedParameter(String)
    /// An attribute has several keys instead of one.
    case severalKeys(Int)
    /// A second key needs a distinct identifier, of the same size and for the same profile as the first.
    case indistinguishableKey(MasterKeyIdentifier?)
    /// There are more keys than may be active at the same time: remove the oldest.
    case tooManyKeys(limit: Int)
    /// libsrtp failed; `code` is its `srtp_err_status_t`.
    case libraryFailed(code: UInt32)
    /// A key or a secret of SFrame has fewer bytes than are needed.
    case secretTooShort(byteCount: Int, minimum: Int)
    /// OpenSSL failed: it has no memory, or lacks an algorithm.
    case openSSLFailed
    /// The app has no key for the frames to send.
    case noSendingKey(keyID: UInt64)
}

extension SecurityError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .invalidKeyLength(let byteCount, let expected?):
            "key and salt have \(byteCount) bytes: \(expected) are needed"
        case .invalidKeyLength(let byteCount, nil):
            "key and salt have \(byteCount) bytes: 28 are AES-128-GCM, 44 AES-256-GCM, 30 AES-128 in counter mode"
        case .invalidBase64:
            "the key is not base64"
        case .unsupportedSuite(let suite):
            "the crypto suite \(suite.rawValue) is not supported"
        case .refusedParameter(let parameter):
            "the session parameter \(parameter) of a=crypto is refused: packets are always encrypted and authenticated"
        case .severalKeys(let count):
            "\(count) keys where one is needed"
        case .indistinguishableKey(nil):
            "a second key needs a master key identifier, and the first one too"
        case .indistinguishableKey(let identifier?):
            "a second key with the identifier \(identifier): each needs its own, of one length and for one profile"
        case .tooManyKeys(let limit):
            "more than \(limit) keys at once: remove the oldest"
        case .libraryFailed(let code):
            "libsrtp failed (status \(code))"
        case .secretTooShort(let byteCount, let minimum):
            "the secret has \(byteCount) bytes: \(minimum) are needed"
        case .openSSLFailed:
            "OpenSSL failed"
        case .noSendingKey(let keyID):
            "there is no key for what we send (KID \(keyID)): set it before the epoch begins"
        }
    }
}
