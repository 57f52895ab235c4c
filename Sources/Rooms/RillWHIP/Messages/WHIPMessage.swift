/// A request of HTTP, without the connection that carries it.
public struct WHIPRequest: Equatable, Sendable {
    /// The method, in capitals.
    public var method: String
    /// At a server the path, percent-encoded, with its query; at a client the URL.
    public var target: String
    /// The header fields.
    public var headers: WHIPHeaders
    /// The body.
    public var body: String

    /// A request with these parts.
    public init(_ method: String, _ target: String, headers: WHIPHeaders = WHIPHeaders(), body: String = "") {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }
}

/// A response of HTTP, without the connection that carries it.
public struct WHIPResponse: Equatable, Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// The header fields, without `Content-Length`.
    public var headers: WHIPHeaders
    /// The body.
    public var body: String

    /// A response with these parts.
    public init(_ status: Int, headers: WHIPHeaders = WHIPHeaders(), body: String = "") {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// The header fields of a request or a response, in their order. Names are compared without regard to case (RFC 9110
/// §5.1).
public struct WHIPHeaders: Equatable, Sendable {
    /// A field.
    public struct Field: Equatable, Sendable {
        /// The name as it was written.
        public var name: String
        /// The value without white space around it.
        public var value: String

        /// A field with this name and value.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The fields, in order.
    public private(set) var fields: [Field]

    /// These fields.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// The first field with a name; setting it replaces all fields with the name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.isSameHeader(as: name) }?.value }
        set {
            fields.removeAll { $0.name.isSameHeader(as: name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// The values of all fields with a name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.isSameHeader(as: name) }.map(\.value)
    }

    /// Adds a field behind those that are there.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name, value)) }
}

extension String {
    fileprivate func isSameHeader(as other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    /// ASCII's letters and digits.
    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
        }
    }

    var isBlank: Bool { self == 0x20 || self == 0x09 }

    fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension Substring {
    /// The text without blanks around it.
    var trimmed: Substring {
        guard let first = utf8.firstIndex(where: { !$0.isBlank }), let last = utf8.lastIndex(where: { !$0.isBlank })
        else { return self[endIndex...] }
        return Substring(utf8[first...last])
    }
}

/// The media types of bodies.
enum MediaType {
    static let sdp = "application/sdp"
    static let sdpFragment = "application/trickle-ice-sdpfrag"
    static let json = "application/json"
}

extension WHIPHeaders {
    /// The type of the body, in lower case and without parameters; empty if there is none.
    var mediaType: String { (self["Content-Type"] ?? "").prefix { $0 != ";" }.trimmed.lowercased() }
}
