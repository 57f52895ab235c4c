import RillRTP

/// The lines of our sections that describe the transport: the same in all of them.
///
/// RFC 9143 §7 leaves them out of all sections but one. Browsers write them everywhere, and older peers want that.
struct TransportLines {
    let transport: LocalTransport
    /// The value of a=setup.
    let setup: String

    /// Adds the lines to an accepted section.
    ///
    /// - Parameters:
    ///   - media: the section.
    ///   - isTagged: whether it is the one that describes the transport for all: it has the candidates.
    ///   - isBundleOnly: whether the section can only be accepted together with the tagged one.
    func add(to media: inout MediaDescription, isTagged: Bool, isBundleOnly: Bool) {
        let address = transport.defaultAddress
        media.connection = ConnectionAddress(address.map { "\($0.ip)" } ?? "0.0.0.0")
        media.port = isBundleOnly ? 0 : address?.port ?? 9
        var lines = media.otherAttributes
        func line(_ name: String, _ value: String? = nil) { lines.append(SessionDescription.Attribute(name, value)) }
        if isBundleOnly { line("bundle-only") }
        line("rtcp", "9 IN IP4 0.0.0.0")
        line("rtcp-rsize")
        line("ice-ufrag", transport.credentials.usernameFragment)
        line("ice-pwd", transport.credentials.password)
        line("ice-options", "trickle")
        for fingerprint in transport.fingerprints { line("fingerprint", fingerprint.description) }
        line("setup", setup)
        if isTagged {
            for candidate in transport.candidates { line("candidate", String(candidate.text.dropFirst(10))) }
            if transport.hasAllCandidates { line("end-of-candidates") }
        }
        media.otherAttributes = lines
    }

    /// The session's own attributes.
    func sessionAttributes(bundling mids: [String]) -> [SessionDescription.Attribute] {
        var attributes: [SessionDescription.Attribute] = []
        if !mids.isEmpty { attributes.append(.init("group", (["BUNDLE"] + mids).joined(separator: " "))) }
        attributes.append(.init("extmap-allow-mixed"))
        attributes.append(.init("msid-semantic", " WMS *"))
        return attributes
    }
}
