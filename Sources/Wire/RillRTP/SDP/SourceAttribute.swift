/// a=ssrc: an attribute of one source (RFC 5576 §4.1).
public struct SourceAttribute: Equatable, Sendable {
    /// The source.
    public var ssrc: SSRC
    /// The attribute: `cname:…`, `msid:…`.
    public var attribute: SessionDescription.Attribute

    /// The attribute `attribute` of the source `ssrc`.
    public init(_ ssrc: SSRC, _ attribute: SessionDescription.Attribute) {
        self.ssrc = ssrc
        self.attribute = attribute
    }

    /// `1234 cname:user@host`.
    init?(_ text: Substring) {
        let (ssrc, rest) = text.trimmed.cut(at: Sign.space)
        guard let number = ssrc.number(in: 0...UInt64(UInt32.max)), let rest, !rest.trimmed.isEmpty else { return nil }
        self.init(SSRC(UInt32(number)), SessionDescription.Attribute(rest.trimmed))
    }

    var text: String {
        "\(ssrc.rawValue) \(attribute.name)" + (attribute.value.map { ":\($0)" } ?? "")
    }
}

/// a=ssrc-group: a group of related sources (RFC 5576 §4.2).
public struct SourceGroup: Equatable, Sendable {
    /// How they are related: `FID` for a stream and its retransmissions, `FEC-FR` for a stream and its FEC packets.
    public var semantics: String
    /// The sources; the semantics define the meaning of the order.
    public var ssrcs: [SSRC]

    /// A group of the sources `ssrcs` with that semantics.
    public init(_ semantics: String, _ ssrcs: [SSRC]) {
        self.semantics = semantics
        self.ssrcs = ssrcs
    }

    /// `FID 1234 5678`.
    init?(_ text: Substring) {
        let words = text.words
        guard let semantics = words.first else { return nil }
        self.init(String(semantics), [])
        for word in words.dropFirst() {
            guard let number = word.number(in: 0...UInt64(UInt32.max)) else { return nil }
            ssrcs.append(SSRC(UInt32(number)))
        }
    }

    var text: String { ([semantics] + ssrcs.map { "\($0.rawValue)" }).joined(separator: " ") }
}
