import Glibc

/// How a beauty filter finds faces.
///
/// ```swift
/// settings.faces = .cascade(try FaceCascade(openCVFile: "faces.xml"))
/// ```
public enum FaceDetection: Equatable, Sendable {
    /// With the cascade at `FaceCascade.installedFile`; without that file, not at all.
    case automatic
    /// Not at all: skin is what has a color of skin.
    case off
    /// With this cascade.
    case cascade(FaceCascade)

    /// The cascade; `nil` if faces are not searched for.
    ///
    /// The installed cascade is read once in the life of the process, by the first thread that asks for it.
    ///
    /// - Throws: ``FaceCascadeError`` if the installed cascade cannot be read.
    public var cascade: FaceCascade? {
        get throws(FaceCascadeError) {
            switch self {
            case .automatic: try Self.installed.get()
            case .off: nil
            case .cascade(let cascade): cascade
            }
        }
    }

    /// The same as a value, for owners that go on without faces and report the reason.
    package var outcome: Result<FaceCascade?, FaceCascadeError> {
        Result { () throws(FaceCascadeError) in try cascade }
    }

    private static let installed = Result { () throws(FaceCascadeError) in
        try FaceCascade(openCVFile: FaceCascade.installedFile)
    }
}

extension Result where Success == FaceCascade?, Failure == FaceCascadeError {
    /// The cascade, if there is one.
    package var cascade: FaceCascade? {
        guard case .success(let cascade) = self else { return nil }
        return cascade
    }

    /// Why there is none, if it was to be read.
    package var failure: FaceCascadeError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

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
        guard let file = unsafe fopen(path, "rbe") else {
            throw errno == ENOENT ? .notFound(path: path) : .unreadable(path: path, code: errno)
        }
        defer { unsafe fclose(file) }
        var code: Int32 = 0
        // The memory is filled as far as `fread` says.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: greatestByteCount + 1) { memory, count in
            count = unsafe fread(memory.baseAddress, 1, memory.count, file)
            if unsafe ferror(file) != 0 { code = errno }
        }
        guard code == 0 else { throw .unreadable(path: path, code: code) }
        guard bytes.count <= greatestByteCount else { throw .tooLarge(path: path, limit: greatestByteCount) }
        return bytes
    }
}
