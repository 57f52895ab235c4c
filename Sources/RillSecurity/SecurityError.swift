public import RillRTP

/// Why a key cannot be used. No error shows anything of a key but its length.
public enum SecurityError: Error, Equatable, Sendable {
    /// Key and salt have another length than the profile needs; `nil` where no profile has keys so long.
    case invalidKeyLength(byteCount: Int, expected: Int?)
    /// A text is not base64.
    case invalidBase64
    /// A description's suite is none that Rill has.
    case unsupportedSuite(CryptoAttribute.Suite)
    /// A description asks for something that would weaken the protection, or that Rill does not do.
    case refusedParameter(String)
    /// A description's key has several keys where one is needed.
    case severalKeys(Int)
    /// A second key needs an identifier that tells it from the first, of the same length and for the same profile.
    case indistinguishableKey(MasterKeyIdentifier?)
    /// More keys at once than packets may be protected with: forget the oldest.
    case tooManyKeys(limit: Int)
    /// The library could not do it; `code` is its `srtp_err_status_t`.
    case libraryFailed(code: UInt32)
}

extension SecurityError: CustomStringConvertible {
    /// One sentence for whoever gave the key.
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
        }
    }
}
