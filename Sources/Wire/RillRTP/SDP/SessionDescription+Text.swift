extension SessionDescription {
    /// Parses a description with any line endings.
    ///
    /// Lines may be in any order, and the lines that some implementations omit (v=, o=, s=, t=) are optional. A
    /// byte-order mark, empty lines and one line `SDP:`, as FFmpeg prints it, may precede the description. RFC 8866 §5
    /// has none of them.
    ///
    /// - Throws: `empty`, `tooLarge`, `notALine`, `invalidValue` or `repeated`.
    public init(parsing bytes: Span<UInt8>) throws(SDPError) {
        let limit = SessionDescription.maximumByteCount
        guard bytes.count <= limit else { throw .tooLarge(byteCount: bytes.count, limit: limit) }
        var parser = Parser()
        var lines = SDPLines(bytes)
        while let line = try lines.next() { try parser.add(line) }
        guard parser.hasLines else { throw .empty }
        self = parser.session
    }

    /// Parses a description.
    ///
    /// - Throws: the errors of ``init(parsing:)``.
    public init(_ text: String) throws(SDPError) {
        let bytes = [UInt8](text.utf8)
        try self.init(parsing: bytes.span)
    }

    /// The description as text, in the RFC's order, with CR LF line endings.
    ///
    /// Parsing it returns an equal value if names are not empty, words contain no blanks, and values do not start or
    /// end with blanks. Traps if a value contains a line ending.
    public var text: String {
        var text = ""
        text.appendLine("v", "0")
        text.appendLine("o", origin.text)
        text.appendLine("s", name.isEmpty ? " " : name)
        append(linesOfRank: 0, to: &text)
        if let connection { text.appendLine("c", connection.text) }
        append(linesOfRank: 1, to: &text)
        for time in times {
            text.appendLine("t", "\(time.start) \(time.stop)")
            for line in time.repeats { text.appendLine("r", line) }
        }
        append(linesOfRank: 2, to: &text)
        if let direction { text.appendAttribute(direction.rawValue) }
        for attribute in otherAttributes { text.appendAttribute(attribute.name, attribute.value) }
        for section in media { section.append(to: &text) }
        return text
    }

    private func append(linesOfRank rank: Int, to text: inout String) {
        for line in otherLines where line.rank == rank { text.appendLine(line.type, line.value) }
    }
}

extension SessionDescription.Line {
    /// The line's position among the others: before the connection, before the times, or after them.
    var rank: Int {
        switch type {
        case "i", "u", "e", "p": 0
        case "b", "c": 1
        default: 2
        }
    }
}

extension [SessionDescription.Line] {
    /// Sorts the lines into the order of writing. Stable within a rank.
    mutating func arrange() {
        self = (0...2).flatMap { rank in filter { $0.rank == rank } }
    }
}

/// Builds a description line by line.
private struct Parser {
    private(set) var hasLines = false
    private var result = SessionDescription(times: [])
    private var hasVersion = false
    private var origin: SessionDescription.Origin?
    private var name: String?
    private var section: MediaDescription?

    var session: SessionDescription {
        var session = result
        session.origin = origin ?? session.origin
        session.name = name ?? session.name
        session.otherLines.arrange()
        if let section { session.media.append(section.arranged()) }
        return session
    }

    mutating func add(_ line: SDPLines.Line) throws(SDPError) {
        hasLines = true
        if line.type == "m" {
            if let section { result.media.append(section.arranged()) }
            section = try line.require(line.value, as: "media") { MediaDescription($0) }
        } else if section != nil {
            try section?.add(line)
        } else {
            try addToSession(line)
        }
    }

    private mutating func addToSession(_ line: SDPLines.Line) throws(SDPError) {
        switch line.type {
        case "v":
            guard !hasVersion else { throw .repeated(line: line.number, field: "version") }
            hasVersion = true
            _ = try line.require(line.value, as: "version") { $0.number(in: 0...0) }
        case "o":
            try line.set(&origin, as: "origin", to: line.value) { SessionDescription.Origin($0) }
        case "s":
            try line.set(&name, as: "session name", to: line.value) { String($0) }
        case "c" where result.connection == nil:
            result.connection = try line.require(line.value, as: "connection address") { ConnectionAddress($0) }
        case "t":
            result.times.append(try line.require(line.value, as: "time") { SessionDescription.ActiveTime($0) })
        case "r":
            guard !result.times.isEmpty else {
                throw .invalidValue(line: line.number, field: "repetition of no time", value: String(line.value))
            }
            result.times[result.times.count - 1].repeats.append(String(line.value))
        case "a":
            let attribute = SessionDescription.Attribute(line.value)
            if attribute.value == nil, let direction = MediaDirection(rawValue: attribute.name) {
                guard result.direction == nil else { throw .repeated(line: line.number, field: "direction") }
                result.direction = direction
            } else if attribute.name == "crypto" {
                // Keys belong to a section (RFC 4568 §4), and a key stored here would be shown.
                throw .invalidValue(line: line.number, field: "crypto of the whole session", value: "(hidden)")
            } else {
                result.otherAttributes.append(attribute)
            }
        default:
            result.otherLines.append(SessionDescription.Line(line.type, String(line.value)))
        }
    }
}

// MARK: The values of individual lines

extension SessionDescription.Attribute {
    init(_ text: Substring) {
        let (name, value) = text.cut(at: Sign.colon)
        self.init(String(name), value.map { String($0) })
    }
}

extension SessionDescription.Origin {
    fileprivate init?(_ text: Substring) {
        let words = text.words
        guard words.count == 6, let id = words[1].number(in: 0...UInt64.max),
            let version = words[2].number(in: 0...UInt64.max), let address = ConnectionAddress(words: words[3...])
        else { return nil }
        self.init(username: String(words[0]), sessionID: id, version: version, address: address)
    }

    fileprivate var text: String { "\(username) \(sessionID) \(version) \(address.text)" }
}

extension SessionDescription.ActiveTime {
    fileprivate init?(_ text: Substring) {
        let words = text.words
        guard words.count == 2, let start = words[0].number(in: 0...UInt64.max),
            let stop = words[1].number(in: 0...UInt64.max)
        else { return nil }
        self.init(start: start, stop: stop)
    }
}

extension ConnectionAddress {
    init?(_ text: Substring) {
        self.init(words: text.words[...])
    }

    /// `IN IP4 224.2.36.42/127/3`, `IN IP6 FF15::101/3`: numbers after slashes are for multicast.
    fileprivate init?(words: ArraySlice<Substring>) {
        guard words.count == 3, let network = words.first, network == "IN",
            let family = Family(rawValue: String(words[words.startIndex + 1]))
        else { return nil }
        var pieces = words[words.startIndex + 2].pieces(at: Sign.slash)[...]
        guard let host = pieces.popFirst(), !host.isEmpty else { return nil }
        self.init(String(host))
        self.family = family
        if family == .ip4, let text = pieces.popFirst() {
            guard let time = text.number(in: 0...255) else { return nil }
            timeToLive = UInt8(time)
        }
        if let text = pieces.popFirst() {
            guard let count = text.number(in: 0...UInt64(UInt32.max)) else { return nil }
            self.count = UInt32(count)
        }
        guard pieces.isEmpty else { return nil }
    }

    var text: String {
        var text = "IN \(family.rawValue) \(host)"
        if family == .ip4, let timeToLive { text += "/\(timeToLive)" }
        if let count, family == .ip6 || timeToLive != nil { text += "/\(count)" }
        return text
    }
}
