import RillRTP

/// A remote description that is consistent by itself.
struct RemoteDescription {
    let session: SessionDescription
    let attributes: SessionAttributes
    let sections: [RemoteSection]
    /// The index of the section with each MID.
    let positions: [String: Int]

    init(_ session: SessionDescription, limits: NegotiationSettings) throws(DescriptionFault) {
        guard session.media.count <= limits.maximumSectionCount else {
            throw DescriptionFault(
                .tooManySections(count: session.media.count, limit: limits.maximumSectionCount),
                section: limits.maximumSectionCount)
        }
        self.session = session
        let attributes = SessionAttributes(session)
        self.attributes = attributes
        sections = session.media.enumerated().map { RemoteSection($1, index: $0, of: attributes) }
        positions = try RemoteDescription.positions(sections)
        for mid in attributes.bundles.joined() where positions[mid] == nil {
            throw DescriptionFault(.unknownMID(mid), line: "a=group")
        }
        for section in sections where !section.isRejected && section.isSecureRTP {
            try section.checkHeaderExtensions()
            try section.checkStreams(limit: limits.maximumStreamCount)
        }
    }

    /// Checks that no two sections have the same MID (RFC 5888 §4).
    private static func positions(_ sections: [RemoteSection]) throws(DescriptionFault) -> [String: Int] {
        var positions: [String: Int] = [:]
        for section in sections {
            guard let mid = section.media.mid else { continue }
            guard (1...RemoteDescription.maximumMIDByteCount).contains(mid.utf8.count),
                mid.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw DescriptionFault(.invalidMID(mid), in: section, line: "a=mid") }
            guard positions.updateValue(section.index, forKey: mid) == nil else {
                throw DescriptionFault(.duplicateMID(mid), in: section, line: "a=mid")
            }
        }
        return positions
    }

    /// A MID of more than 16 bytes is allowed, and packets do not carry it.
    static let maximumMIDByteCount = 256
}

extension RemoteSection {
    /// Checks that no two extensions have the same ID (RFC 8285 §5).
    fileprivate func checkHeaderExtensions() throws(DescriptionFault) {
        var seen: Set<UInt16> = []
        // IDs from 4096 are to be chosen by the answerer (RFC 8285 §6), and may repeat.
        for mapping in media.headerExtensions where mapping.id < 4096 {
            guard seen.insert(mapping.id).inserted else {
                throw DescriptionFault(
                    .duplicateHeaderExtension(id: mapping.id), in: self, line: "a=extmap:\(mapping.text)")
            }
        }
    }

    /// Checks the number and the names of the streams.
    fileprivate func checkStreams(limit: Int) throws(DescriptionFault) {
        guard media.rids.count <= limit else {
            throw DescriptionFault(.tooManyStreams(count: media.rids.count, limit: limit), in: self, line: "a=rid")
        }
        // A stream has at most its own source and one for its retransmissions.
        let sourceCount = Set(media.sources.map(\.ssrc)).count
        guard sourceCount <= 2 * limit else {
            throw DescriptionFault(.tooManyStreams(count: sourceCount, limit: 2 * limit), in: self, line: "a=ssrc")
        }
        for way in [RestrictionIdentifier.Direction.send, .receive] {
            var seen: Set<String> = []
            for rid in media.rids where rid.direction == way {
                guard SendingEncoding.isRID(rid.id) else {
                    throw DescriptionFault(.invalidRID(rid.id), in: self, line: "a=rid:\(rid.id)")
                }
                guard seen.insert(rid.id).inserted else {
                    throw DescriptionFault(.duplicateRID(rid.id), in: self, line: "a=rid:\(rid.id)")
                }
            }
            let listed = media.simulcast.map { way == .send ? $0.send : $0.receive } ?? []
            seen = []
            for alternative in listed.flatMap(\.alternatives) where !seen.insert(alternative.rid).inserted {
                throw DescriptionFault(.duplicateRID(alternative.rid), in: self, line: "a=simulcast")
            }
        }
    }
}
