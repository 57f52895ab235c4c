extension MediaDescription {
    /// Parses the value of `m=`.
    init?(_ text: Substring) {
        let words = text.words
        guard words.count >= 3 else { return nil }
        let (port, count) = words[1].cut(at: Sign.slash)
        guard let port = port.number(in: 0...65535) else { return nil }
        self.init(Kind(rawValue: String(words[0])), port: UInt16(port), transport: String(words[2]))
        if let count {
            guard let count = count.number(in: 1...65535) else { return nil }
            portCount = UInt16(count)
        }
        guard isRTP else {
            otherFormats = words[3...].map { String($0) }
            return
        }
        var isListed = InlineArray<128, Bool>(repeating: false)
        for word in words[3...] {
            guard let type = word.payloadType, !isListed[Int(type.rawValue)] else { return nil }
            isListed[Int(type.rawValue)] = true
            formats.append(RTPFormat(type))
        }
    }

    /// Adds a line that follows `m=`.
    mutating func add(_ line: SDPLines.Line) throws(SDPError) {
        switch line.type {
        case "c" where connection == nil:
            connection = try line.require(line.value, as: "connection address") { ConnectionAddress($0) }
        case "a":
            let attribute = SessionDescription.Attribute(line.value)
            guard try !understands(attribute, line) else { return }
            otherAttributes.append(attribute)
        default:
            otherLines.append(SessionDescription.Line(line.type, String(line.value)))
        }
    }

    /// The section, with its other lines in the order of writing.
    consuming func arranged() -> MediaDescription {
        otherLines.arrange()
        return self
    }

    /// Parses an attribute; returns `false` if it has no property here.
    private mutating func understands(
        _ attribute: SessionDescription.Attribute, _ line: SDPLines.Line
    ) throws(SDPError) -> Bool {
        guard let value = attribute.value.map({ $0[...] }) else { return try understandsFlag(attribute.name, line) }
        switch attribute.name {
        case "mid":
            try line.set(&mid, as: "mid", to: value) { text in
                text.words.count == 1 ? text.words.first.map { String($0) } : nil
            }
        case "crypto": crypto.append(try line.requireSecret(value, as: "crypto") { CryptoAttribute($0) })
        case "framerate": try line.set(&frameRate, as: "framerate", to: value) { FrameRateNotation.parse($0) }
        case "extmap":
            headerExtensions.append(try line.require(value, as: "extmap") { HeaderExtensionMapping($0) })
        case "rtpmap", "fmtp", "rtcp-fb":
            return try understandsFormat(attribute.name, value, line)
        case "rid":
            rids.append(try line.require(value, as: "rid") { RestrictionIdentifier($0) })
        case "simulcast":
            try line.set(&simulcast, as: "simulcast", to: value) { Simulcast($0) }
        case "ssrc-group":
            sourceGroups.append(try line.require(value, as: "ssrc-group") { SourceGroup($0) })
        case "ssrc":
            sources.append(try line.require(value, as: "ssrc") { SourceAttribute($0) })
        default: return false
        }
        return true
    }

    private mutating func understandsFlag(_ name: String, _ line: SDPLines.Line) throws(SDPError) -> Bool {
        if name == "rtcp-mux" {
            isRTCPMultiplexed = true
            return true
        }
        guard let direction = MediaDirection(rawValue: name) else { return false }
        guard self.direction == nil else { throw .repeated(line: line.number, field: "direction") }
        self.direction = direction
        return true
    }

    /// Parses an attribute of one payload type; returns `false` if the m= line does not list the payload type.
    private mutating func understandsFormat(
        _ name: String, _ value: Substring, _ line: SDPLines.Line
    ) throws(SDPError) -> Bool {
        guard isRTP else { return false }
        let (type, rest) = value.trimmed.cut(at: Sign.space)
        if name == "rtcp-fb", type == "*" {
            feedback.append(try line.require(rest ?? "", as: name) { RTCPFeedback($0) })
            return true
        }
        let payloadType = try line.require(type, as: "payload type of \(name)") { $0.payloadType }
        guard let index = formats.firstIndex(where: { $0.payloadType == payloadType }) else { return false }
        switch name {
        case "rtpmap":
            try line.set(&formats[index].encoding, as: name, to: rest ?? "") { RTPFormat.Encoding($0) }
        case "fmtp":
            formats[index].parameters += RTPFormat.Parameter.list(rest ?? "")
        default:
            formats[index].feedback.append(try line.require(rest ?? "", as: name) { RTCPFeedback($0) })
        }
        return true
    }

    // MARK: Writing

    func append(to text: inout String) {
        let ports = portCount.map { "\(port)/\($0)" } ?? "\(port)"
        let names = isRTP ? formats.map(\.payloadType.description) : otherFormats
        text.appendLine("m", ([kind.rawValue, ports, transport] + names).joined(separator: " "))
        for line in otherLines where line.rank == 0 { text.appendLine(line.type, line.value) }
        if let connection { text.appendLine("c", connection.text) }
        for line in otherLines where line.rank > 0 { text.appendLine(line.type, line.value) }

        if let mid { text.appendAttribute("mid", mid) }
        if let direction { text.appendAttribute(direction.rawValue) }
        if isRTCPMultiplexed { text.appendAttribute("rtcp-mux") }
        for key in crypto { text.appendAttribute("crypto", key.text) }
        if let frameRate { text.appendAttribute("framerate", FrameRateNotation.text(frameRate)) }
        for map in headerExtensions { text.appendAttribute("extmap", map.text) }
        if isRTP { for format in formats { format.append(to: &text) } }
        for message in feedback { text.appendAttribute("rtcp-fb", "* \(message.text)") }
        for rid in rids { text.appendAttribute("rid", rid.text) }
        if let simulcast { text.appendAttribute("simulcast", simulcast.text) }
        for group in sourceGroups { text.appendAttribute("ssrc-group", group.text) }
        for source in sources { text.appendAttribute("ssrc", source.text) }
        for attribute in otherAttributes { text.appendAttribute(attribute.name, attribute.value) }
    }
}

/// a=framerate: digits with at most one decimal point.
private enum FrameRateNotation {
    private static let range = 0.0001...1_000_000

    static func parse(_ text: Substring) -> Double? {
        let text = text.trimmed
        guard text.utf8.count <= 20, text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
            let value = Double(text), range.contains(value)
        else { return nil }
        return value
    }

    /// The shortest digits that parse to the same number.
    static func text(_ value: Double) -> String {
        precondition(range.contains(value), "a frame rate of \(value)")
        return value.rounded() == value ? "\(Int(value))" : "\(value)"
    }
}
