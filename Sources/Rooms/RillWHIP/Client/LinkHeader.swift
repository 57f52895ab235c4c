/// A link of a `Link` header field (RFC 8288 §3): a target, its relation, and parameters.
struct LinkHeader: Equatable, Sendable {
    /// The target as it is written: absolute or relative.
    var target: String
    /// The relations, in lower case.
    var relations: [String]
    /// Other parameters, with names in lower case. The first of each name counts.
    var parameters: [String: String]

    /// The most links that are read of a response.
    static let maximumCount = 32

    /// Parses the values of all fields. A syntax error ends its field, and keeps the links before it.
    static func parse(_ values: [String]) -> [LinkHeader] {
        var links: [LinkHeader] = []
        for value in values {
            var rest = Array(value.utf8)[...]
            while links.count < maximumCount, let link = parse(&rest) { links.append(link) }
        }
        return links
    }

    private static func parse(_ rest: inout ArraySlice<UInt8>) -> LinkHeader? {
        skip(&rest) { $0 == UInt8(ascii: ",") || isSpace($0) }
        guard rest.popFirst() == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        var link = LinkHeader(target: text(rest[..<end]), relations: [], parameters: [:])
        rest = rest[(end + 1)...]
        while true {
            skip(&rest, isSpace)
            guard rest.first == UInt8(ascii: ";") else { return link }
            rest.removeFirst()
            skip(&rest, isSpace)
            let token = rest.prefix { !isDelimiter($0) }
            let name = text(token).lowercased()
            rest = rest.dropFirst(token.count)
            skip(&rest, isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            skip(&rest, isSpace)
            guard let value = value(&rest) else { return link }
            if name == "rel" {
                if link.relations.isEmpty { link.relations = value.lowercased().split(separator: " ").map(String.init) }
            } else if link.parameters[name] == nil, link.parameters.count < maximumCount {
                link.parameters[name] = value
            }
        }
    }

    /// A token or a quoted string; `nil` for a string without an end.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { !isDelimiter($0) }
            rest = rest.dropFirst(token.count)
            return text(token)
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return text(bytes[...]) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "=")
    }
}
