/// The lines of a session description. Those of ICE are replaced or sent: credentials and candidates.
///
/// WHIP restarts ICE and trickles candidates with fragments, and keeps the rest of the descriptions (RFC 9725 §4.3).
/// So a new description is the former one with other lines of ICE.
struct DescriptionLines {
    /// The lines before the first section.
    private var session: [Substring] = []
    /// The lines of each section, the m= line first.
    private var sections: [[Substring]] = []

    /// The maximum number of sections. Further ones are ignored.
    static let maximumSectionCount = 64

    init(_ text: String) {
        // "\r\n" is one character.
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("m=") {
                guard sections.count < DescriptionLines.maximumSectionCount else { break }
                sections.append([line])
            } else if sections.isEmpty {
                session.append(line)
            } else {
                sections[sections.count - 1].append(line)
            }
        }
    }

    /// This description with the credentials and candidates of a fragment instead of its own.
    func replacingICE(by fragment: SDPFragment) -> String {
        let old = ["a=ice-ufrag:", "a=ice-pwd:", "a=candidate:", "a=end-of-candidates"]
        func kept(_ lines: [Substring]) -> [String] {
            lines.filter { line in !old.contains { line.hasPrefix($0) } }.map(String.init)
        }
        var lines = kept(session)
        for (index, section) in sections.enumerated() {
            lines += kept(section)
            if let name = fragment.usernameFragment { lines.append("a=ice-ufrag:\(name)") }
            if let password = fragment.password { lines.append("a=ice-pwd:\(password)") }
            let mid = DescriptionLines.value("mid", in: section)
            // Candidates of no section in particular are those of the first one.
            let added = fragment.sections.filter { $0.mid == nil ? index == 0 : $0.mid == mid }
            lines += added.flatMap(\.candidates).map { "a=" + $0 }
            if added.contains(where: \.isEnd) { lines.append("a=end-of-candidates") }
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    /// The text of a fragment of this description, as `application/trickle-ice-sdpfrag` (RFC 8840 §9): sections are
    /// named by their m= line and identification, and credentials that the fragment lacks are the description's.
    func text(of fragment: SDPFragment) -> String {
        var lines: [String] = []
        if let group = session.first(where: { $0.hasPrefix("a=group:BUNDLE") }) { lines.append(String(group)) }
        if let name = fragment.usernameFragment ?? value("ice-ufrag") { lines.append("a=ice-ufrag:\(name)") }
        if let password = fragment.password ?? value("ice-pwd") { lines.append("a=ice-pwd:\(password)") }
        for part in fragment.sections {
            let section = sections.first { DescriptionLines.value("mid", in: $0) == part.mid } ?? sections.first
            guard let section else { continue }
            lines.append(String(section[0]))
            if let mid = DescriptionLines.value("mid", in: section) { lines.append("a=mid:\(mid)") }
            lines += part.candidates.map { "a=" + $0 }
            if part.isEnd { lines.append("a=end-of-candidates") }
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    /// The first value of an attribute, of the session or a section.
    func value(_ name: String) -> String? {
        ([session] + sections).lazy.compactMap { DescriptionLines.value(name, in: $0) }.first
    }

    private static func value(_ name: String, in lines: [Substring]) -> String? {
        let prefix = "a=\(name):"
        return lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
