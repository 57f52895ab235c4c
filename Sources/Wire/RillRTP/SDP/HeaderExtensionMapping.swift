/// a=extmap: maps an ID to a header extension (RFC 8285 §5).
public struct HeaderExtensionMapping: Equatable, Sendable {
    /// The ID: 1 to 14 fit the one-byte form, 15 to 255 the two-byte form, 4096 to 4351 mean "to be chosen".
    public var id: UInt16
    /// The direction in which packets carry the extension; `nil` if it is the stream's direction.
    public var direction: MediaDirection?
    /// The URI of the extension.
    public var uri: String
    /// Extension attributes, if any.
    public var attributes: String?

    /// A mapping of the ID `id` to the extension `uri`.
    public init(id: UInt16, direction: MediaDirection? = nil, uri: String, attributes: String? = nil) {
        self.id = id
        self.direction = direction
        self.uri = uri
        self.attributes = attributes
    }

    /// A mapping of the ID `id` to the extension `kind`.
    public init(id: UInt8, _ kind: HeaderExtensionKind, direction: MediaDirection? = nil) {
        self.init(id: UInt16(id), direction: direction, uri: kind.uri)
    }

    /// The kind with that URI; `nil` for extensions that Rill does not know.
    public var kind: HeaderExtensionKind? { HeaderExtensionKind(uri: uri) }

    /// `1/sendonly urn:… attributes`.
    init?(_ text: Substring) {
        let (head, rest) = text.trimmed.cut(at: Sign.space)
        let (id, direction) = head.cut(at: Sign.slash)
        guard let id = id.number(in: 1...4351), let (uri, attributes) = rest?.trimmed.cut(at: Sign.space),
            !uri.isEmpty
        else { return nil }
        self.init(id: UInt16(id), uri: String(uri), attributes: attributes.map { String($0.trimmed) })
        if let direction {
            guard let direction = MediaDirection(rawValue: String(direction)) else { return nil }
            self.direction = direction
        }
    }

    package var text: String {
        "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(uri)" + (attributes.map { " \($0)" } ?? "")
    }
}
