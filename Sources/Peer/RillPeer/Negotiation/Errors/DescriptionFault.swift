import RillRTP

/// A problem of a remote description before its line is known.
struct DescriptionFault: Error {
    let problem: DescriptionProblem
    var section: Int?
    var mid: String?
    /// How the line begins: `a=setup`. Without it, or if there is none, it is the m= line of the section.
    var lineStart: String?

    init(_ problem: DescriptionProblem, section: Int? = nil, mid: String? = nil, line lineStart: String? = nil) {
        self.problem = problem
        self.section = section
        self.mid = mid
        self.lineStart = lineStart
    }

    init(_ problem: DescriptionProblem, in section: RemoteSection, line lineStart: String? = nil) {
        self.init(problem, section: section.index, mid: section.media.mid, line: lineStart)
    }

    /// Streams of a section contradict each other, or those of the sections before.
    init(_ error: StreamDescriptionError, in section: RemoteSection) {
        let line: String? =
            switch error {
            case .sourceInUse(let ssrc): "a=ssrc:\(ssrc.rawValue) "
            case .invalidCanonicalName: "a=ssrc"
            case .identifierInUse(let name): "a=rid:\(name) "
            case .headerExtensionInUse(let id): "a=extmap:\(id)"
            default: nil
            }
        self.init(.contradictoryStreams(error), in: section, line: line)
    }

    /// The error, with the number of its line in the text.
    func error(in text: String?) -> NegotiationError {
        let line = text.flatMap { DescriptionLines.number(of: lineStart, section: section, in: $0) }
        return .invalid(problem, at: DescriptionPlace(section: section, mid: mid, line: line))
    }
}

/// Finds lines in the text of a description.
enum DescriptionLines {
    /// Returns the number of the line that begins in some way: in the section; otherwise in the session's lines, which
    /// the sections share; otherwise the section's m= line.
    static func number(of start: String?, section: Int?, in text: String) -> Int? {
        var (number, index) = (0, -1)
        var (inSession, heading): (Int?, Int?) = (nil, nil)
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            var end = position
            while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
            number += 1
            let line = bytes[position..<end]
            let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
            position = end + (isPair ? 2 : 1)
            if line.starts(with: "m=".utf8) {
                index += 1
                if index == section { heading = number }
            }
            guard let start, line.starts(with: start.utf8) else { continue }
            if index == section ?? -1 { return number }
            if index == -1, inSession == nil { inSession = number }
        }
        return inSession ?? heading
    }
}
