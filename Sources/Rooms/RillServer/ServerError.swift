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
    /// A later version of Rill has written the database.
    case storeNewer(path: String)
    /// The file is not a database, or is damaged, and how.
    case storeDamaged(path: String, reason: String)
    /// The database cannot be written to.
    case storeReadOnly(path: String)
    /// There is no place for the database.
    case storeFull(path: String)
    /// Another server uses the folder.
    case storeInUse(path: String)
    /// The database or its folder cannot be used, and why.
    case storeUnusable(path: String, reason: String)
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
        case .storeNewer(let path):
            "a later version of rill has written \(path): use that one, or another folder"
        case .storeDamaged(let path, let reason):
            "\(path) is damaged (\(reason)): put a backup in its place, or move it away"
        case .storeReadOnly(let path):
            "\(path) cannot be written to: change its permissions, or those of its folder"
        case .storeFull(let path):
            "the disk of \(path) is full"
        case .storeInUse(let path):
            "another server uses \(path)"
        case .storeUnusable(let path, let reason):
            "\(path) cannot be used: \(reason)"
        }
    }
}
#endif
