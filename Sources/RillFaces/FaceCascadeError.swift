import Glibc
public import RillBeauty

/// Why a cascade cannot be read.
public enum FaceCascadeError: Error, Equatable, Sendable {
    /// There is no such file.
    case notFound(path: String)
    /// The system refused to open or read it; `code` is its `errno`.
    case unreadable(path: String, code: Int32)
    /// The file has more than `limit` bytes.
    case tooLarge(path: String, limit: Int)
    /// The file does not begin as XML does.
    case foreign(path: String)
    /// The element that ends at byte `position` has a value that no cascade for faces has.
    case invalidElement(path: String, position: Int, name: String, value: String)
    /// The elements contradict each other.
    case invalidCascade(path: String, BeautyError)
}

extension FaceCascadeError: CustomStringConvertible {
    /// One line: the file, what is wrong, and a remedy.
    public var description: String {
        switch self {
        case .notFound(FaceCascade.installedFile): "\(FaceCascade.installedFile) is missing; install opencv-data"
        case .notFound(let path): "\(path): no such file"
        case .unreadable(let path, let code): "\(path): cannot be read: \(unsafe String(cString: strerror(code)))"
        case .tooLarge(let path, let limit): "\(path): is no cascade: over \(limit) bytes"
        case .foreign(let path): "\(path): is not a cascade: OpenCV's are XML"
        case .invalidElement(let path, let position, let name, let value):
            "\(path): \(name) before byte \(position) cannot be \(value)"
        case .invalidCascade(let path, let error): "\(path): \(error)"
        }
    }
}
