import Glibc
public import RillBeauty

extension FaceCascade {
    /// Where Debian's and Fedora's package `opencv-data` has the cascade that finds faces in video best.
    public static let installedFile = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"

    /// Reads a cascade of OpenCV: the XML that `opencv_traincascade` writes, with boosted trees of upright Haar
    /// features.
    ///
    /// ```swift
    /// let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
    /// ```
    ///
    /// It reads the file and some 50 million instructions pass: not for a thread that frames wait for.
    ///
    /// - Throws: ``FaceCascadeError``.
    public init(openCVFile path: String) throws(FaceCascadeError) {
        try self.init(openCVText: CascadeFile.bytes(of: path), path: path)
    }

    /// Parses such a file's bytes; `path` is for error messages.
    package init(openCVText text: [UInt8], path: String = "memory") throws(FaceCascadeError) {
        guard text.starts(with: "<?xml".utf8) else { throw .foreign(path: path) }
        var parser = CascadeParser(text, path: path)
        try parser.parse()
        do throws(BeautyError) {
            try self.init(side: parser.side, features: parser.features, stages: parser.stages)
        } catch {
            throw .invalidCascade(path: path, error)
        }
    }
}

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

/// Reads files that fit into memory.
private enum CascadeFile {
    /// The cascades of OpenCV have 0.3 to 2.7 million bytes.
    static let greatestByteCount = 16 << 20

    /// Returns the bytes of a file.
    static func bytes(of path: String) throws(FaceCascadeError) -> [UInt8] {
        // The path lives as long as the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .notFound(path: path) : .unreadable(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var isAtEnd = false
        while !isAtEnd {
            guard bytes.count <= greatestByteCount else { throw .tooLarge(path: path, limit: greatestByteCount) }
            var code: Int32 = 0
            // The block is filled as far as `read` says.
            let block = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { memory, count in
                let result = unsafe read(descriptor, memory.baseAddress, memory.count)
                if result < 0 { code = errno }
                count = max(0, result)
            }
            guard code == 0 || code == EINTR else { throw .unreadable(path: path, code: code) }
            isAtEnd = block.isEmpty && code == 0
            bytes += block
        }
        return bytes
    }
}
