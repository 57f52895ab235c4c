#if Server
/// Why a server cannot begin.
public enum ServerError: Error, Equatable, Sendable {
    /// The file cannot be read.
    case unreadable(path: String)
    /// The secret is shorter than it must be.
    case shortSecret(byteCount: Int, least: Int)
    /// The certificate or its key cannot be used, and why.
    case badCertificate(path: String, reason: String)
    /// A token could not be signed, and why.
    case signing(String)
    /// Without a secret a server listens on loopback only.
    case openWithoutSecret(address: String)
}

extension ServerError: CustomStringConvertible {
    /// A description of the error, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) cannot be read"
        case .shortSecret(let byteCount, let least):
            "the secret has \(byteCount) bytes, and must have \(least) or more: openssl rand -base64 32 makes one"
        case .badCertificate(let path, let reason):
            "\(path) cannot be used for TLS: \(reason)"
        case .signing(let reason):
            "the token cannot be signed: \(reason)"
        case .openWithoutSecret(let address):
            "without a secret anybody could publish: to listen on \(address), give --secret-file"
        }
    }
}
#endif
