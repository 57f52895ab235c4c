/// The condition of If-Match (RFC 9110 §13.1.1).
enum MatchCondition: Equatable {
    /// There is no such field.
    case missing
    /// `*`: any state of the resource.
    case any
    /// One of these strong entity tags, without their quotes. Weak ones never match and are omitted.
    case tags([String])
    /// The field cannot be read.
    case malformed

    /// Reads the values of all If-Match fields.
    init(_ values: [String]) {
        guard !values.isEmpty else {
            self = .missing
            return
        }
        let text = values.joined(separator: ",")
        guard text != "*" else {
            self = .any
            return
        }
        self = Self.tags(in: text).map { .tags($0) } ?? .malformed
    }

    /// The tags of a list: `"a", W/"b"`.
    private static func tags(in text: String) -> [String]? {
        var tags: [String] = []
        var rest = text.utf8[...]
        let isSeparator = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") }
        while true {
            rest = rest.drop(while: isSeparator)
            guard !rest.isEmpty else { return tags }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
                return nil
            }
            if !isWeak { tags.append(String(Substring(rest.dropFirst()[..<end]))) }
            rest = rest[rest.index(after: end)...]
            guard rest.first.map(isSeparator) ?? true else { return nil }
        }
    }

    /// The sessions of these tags, of any generation.
    var sessions: [String] {
        guard case .tags(let tags) = self else { return [] }
        return tags.map { tag in tag.lastIndex(of: ".").map { String(tag[..<$0]) } ?? tag }
    }

    /// Whether a resource with that entity tag is meant.
    func holds(for tag: String) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains(tag)
        case .missing, .malformed: false
        }
    }
}

extension WHIPRequest {
    /// The condition of If-Match on a session.
    ///
    /// - Throws: 400 if it cannot be read, and 412 if it does not hold.
    func condition(on entry: SessionTable.Entry, of id: String) throws(Problem) -> MatchCondition {
        let condition = MatchCondition(headers.values(of: "If-Match"))
        guard condition != .malformed else { throw Problem(400, "If-Match is not a list of entity tags.") }
        guard condition == .missing || condition.holds(for: entry.tag(of: id)) else {
            let reason =
                if condition == .tags([]) {
                    "It has no strong entity tag, and weak ones never match."
                } else if entry.generation > 1, condition.sessions.contains(id) {
                    "ICE has been restarted, and the session has another entity tag since."
                } else {
                    "The session's entity tag is the ETag of the response that made it or last restarted its ICE."
                }
            throw Problem(412, "If-Match does not hold. " + reason)
        }
        return condition
    }
}
