/// The resource of a request's path.
enum EndpointRoute: Equatable {
    /// `/whip/NAME` or `/whep/NAME`: where offers are sent.
    case offers(StreamAction, stream: String)
    /// `/session/ID`.
    case session(String)
    /// `/session/ID/layer`: the choice of a viewer's layer.
    case layer(session: String)
    /// `/streams`: the list.
    case streams

    /// Finds the resource that a target names, without its query.
    ///
    /// - Parameter target: a path or an absolute URL, percent-encoded.
    /// - Throws: 404, or 400 where the target cannot be decoded or a stream cannot have the name.
    init(_ target: String) throws(Problem) {
        switch try Self.segments(of: target) {
        case let path where path.count == 2 && path[0] == "whip":
            self = .offers(.publish, stream: try Self.streamName(path[1]))
        case let path where path.count == 2 && path[0] == "whep":
            self = .offers(.watch, stream: try Self.streamName(path[1]))
        case let path where path.count == 2 && path[0] == "session":
            self = .session(path[1])
        case let path where path.count == 3 && path[0] == "session" && path[2] == "layer":
            self = .layer(session: path[1])
        case ["streams"]:
            self = .streams
        default:
            throw Problem(404, "There is nothing at this path.")
        }
    }

    /// The methods that the resource has (RFC 9725 §4.1 reserves GET, HEAD and PUT of endpoints and sessions).
    var methods: [String] {
        switch self {
        case .offers, .layer: ["OPTIONS", "POST"]
        case .session: ["DELETE", "OPTIONS", "PATCH"]
        case .streams: ["GET", "HEAD", "OPTIONS"]
        }
    }

    /// The path of a session.
    static func path(ofSession id: String) -> String { "/session/\(id)" }

    // MARK: Decoding

    private static func segments(of target: String) throws(Problem) -> [String] {
        var path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        for scheme in ["http://", "https://"] where path.starts(with: scheme.utf8) {
            path = path.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") }
        }
        guard path.first == UInt8(ascii: "/") else { throw Problem(404, "There is nothing at this path.") }
        var segments: [String] = []
        for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard segments.count < 4 else { throw Problem(404, "There is nothing at this path.") }
            guard let decoded = percentDecoded(segment) else {
                throw Problem(400, "The path is not percent-encoded UTF-8.")
            }
            segments.append(decoded)
        }
        return segments
    }

    /// Replaces %XX; `nil` if what follows a percent sign is not two digits, or the bytes are not UTF-8.
    private static func percentDecoded(_ segment: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func streamName(_ text: String) throws(Problem) -> String {
        guard StreamName.isValid(text) else { throw Problem(400, StreamName.rule) }
        return text
    }
}

/// The rules for names of streams.
public enum StreamName {
    /// The longest name, in characters.
    public static let maximumCharacterCount = 64

    /// The rule in words.
    public static let rule =
        "A stream's name has 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore, hyphen and tilde."

    /// Whether a stream may have that name: the unreserved characters of URLs (RFC 3986 §2.3), and not `.` or `..`,
    /// which clients remove from paths.
    public static func isValid(_ name: String) -> Bool {
        (1...maximumCharacterCount).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0.isAlphanumeric || "._-~".utf8.contains($0) }
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    fileprivate var hexDigit: UInt8? { Character(UnicodeScalar(self)).hexDigitValue.map { UInt8($0) } }
}
