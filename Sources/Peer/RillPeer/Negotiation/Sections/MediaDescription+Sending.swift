import RillRTP

extension MediaDescription {
    /// Adds what we say about the streams that we send, without those that have RIDs: the media stream, and the sources
    /// with their CNAME (RFC 8830, RFC 5576).
    mutating func addSending(_ transceiver: Transceiver, canonicalName: String) {
        for name in transceiver.localStreams {
            otherAttributes.append(SessionDescription.Attribute("msid", name.text))
        }
        // Streams with RIDs are found by them (RFC 8853 §5.5), and browsers write no sources for them.
        guard !rids.contains(where: { $0.direction == .send }), let source = transceiver.sources.first else { return }
        let repairs = formats.contains { $0.isNamed("rtx") }
        if repairs { sourceGroups.append(SourceGroup("FID", [source.ssrc, source.retransmission])) }
        for ssrc in repairs ? [source.ssrc, source.retransmission] : [source.ssrc] {
            sources.append(SourceAttribute(ssrc, SessionDescription.Attribute("cname", canonicalName)))
            for name in transceiver.localStreams.prefix(1) {
                sources.append(SourceAttribute(ssrc, SessionDescription.Attribute("msid", name.text)))
            }
        }
    }

    /// A section without media, at port 0 (RFC 3264 §6). It still needs a format.
    static func rejected(like media: MediaDescription) -> MediaDescription {
        var rejected = MediaDescription(media.kind, port: 0, transport: media.transport)
        rejected.mid = media.mid
        rejected.connection = ConnectionAddress("0.0.0.0")
        if media.isRTP {
            let format = media.formats.first
            rejected.formats = [RTPFormat(format?.payloadType ?? PayloadType(0), encoding: format?.encoding)]
            rejected.direction = .inactive
        } else {
            rejected.otherFormats = media.otherFormats.isEmpty ? ["0"] : Array(media.otherFormats.prefix(1))
        }
        return rejected
    }
}

extension MediaDirection {
    /// A direction by its two halves.
    init(sends: Bool, receives: Bool) {
        self =
            switch (sends, receives) {
            case (true, true): .sendAndReceive
            case (true, false): .sendOnly
            case (false, true): .receiveOnly
            case (false, false): .inactive
            }
    }

    /// Whether its writer sends.
    var sends: Bool { self == .sendAndReceive || self == .sendOnly }
    /// Whether its writer receives.
    var receives: Bool { self == .sendAndReceive || self == .receiveOnly }

    /// The direction as the other side sees it.
    var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// What two sides have in common; both as the same side sees it (RFC 3264 §6.1).
    func intersection(_ other: MediaDirection) -> MediaDirection {
        MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
    }
}

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
    ///   - offered: the section that is answered; `nil` in an offer.
    func add(
        to media: inout MediaDescription, isTagged: Bool, isBundleOnly: Bool = false,
        answering offered: RemoteSection? = nil
    ) {
        let address = transport.defaultAddress
        media.connection = ConnectionAddress(address.map { "\($0.ip)" } ?? "0.0.0.0")
        media.port = isBundleOnly ? 0 : address?.port ?? 9
        var lines = media.otherAttributes
        func line(_ name: String, _ value: String? = nil) { lines.append(SessionDescription.Attribute(name, value)) }
        if isBundleOnly { line("bundle-only") }
        line("rtcp", "9 IN IP4 0.0.0.0")
        if offered?.usesReducedSizeRTCP != false { line("rtcp-rsize") }
        if offered?.mixesExtensions == true { line("extmap-allow-mixed") }
        if let mode = offered?.roundTripReports { line("rtcp-xr", "rcvr-rtt=\(mode)") }
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
    ///
    /// - Parameters:
    ///   - mids: the sections that share the transport.
    ///   - mixesExtensions: whether both forms of header extensions may be mixed. An answer says so only if the offer
    ///     does (RFC 8285 §6).
    func sessionAttributes(bundling mids: [String], mixesExtensions: Bool = true) -> [SessionDescription.Attribute] {
        var attributes: [SessionDescription.Attribute] = []
        if !mids.isEmpty { attributes.append(.init("group", (["BUNDLE"] + mids).joined(separator: " "))) }
        if mixesExtensions { attributes.append(.init("extmap-allow-mixed")) }
        attributes.append(.init("msid-semantic", " WMS *"))
        return attributes
    }
}
