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
                guard StreamDescription.isRID(rid.id) else {
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

extension RemoteDescription {
    /// The transport that a section describes (RFC 8839, RFC 8842, RFC 8122).
    ///
    /// - Parameters:
    ///   - section: the section that describes the transport for all.
    ///   - role: our role by the section's a=setup.
    func transport(
        _ section: RemoteSection, role: (String?) throws(DescriptionFault) -> DTLSRole
    ) throws(DescriptionFault) -> RemoteTransport {
        let attributes = section.transport
        var transport = RemoteTransport(
            credentials: try credentials(section), isLite: attributes.isLite,
            fingerprints: try fingerprints(section), role: try role(attributes.setup))
        transport.usesTrickle = attributes.usesTrickle
        transport.hasAllCandidates = attributes.hasAllCandidates
        transport.associationID = attributes.associationID
        transport.ignoredCandidateCount = attributes.excessCandidateCount
        for text in attributes.candidates {
            // One that cannot be read is counted like one of no use: others, or a check, may lead to the peer.
            if case .candidate(let candidate)? = try? ICECandidateText(parsing: text) {
                transport.candidates.append(candidate)
            } else {
                transport.ignoredCandidateCount += 1
            }
        }
        return transport
    }

    private func credentials(_ section: RemoteSection) throws(DescriptionFault) -> ICECredentials {
        guard let fragment = section.transport.usernameFragment, let password = section.transport.password else {
            let line = section.transport.usernameFragment == nil ? "a=ice-pwd" : "a=ice-ufrag"
            throw DescriptionFault(.missingCredentials, in: section, line: line)
        }
        do throws(ICEError) {
            return try ICECredentials(usernameFragment: fragment, password: password)
        } catch {
            let isPassword =
                switch error {
                case .invalidPassword: true
                case .invalidUsernameFragment: false
                default: fragment.utf8.allSatisfy(ICECharacters.contains)
                }
            throw DescriptionFault(
                .invalidCredentials(error), in: section, line: isPassword ? "a=ice-pwd" : "a=ice-ufrag")
        }
    }

    /// The fingerprints with known hash functions; others are skipped (RFC 8122 §5).
    private func fingerprints(_ section: RemoteSection) throws(DescriptionFault) -> [DTLSFingerprint] {
        let texts = section.transport.fingerprints
        guard !texts.isEmpty else { throw DescriptionFault(.missingFingerprint, in: section) }
        var fingerprints: [DTLSFingerprint] = []
        for text in texts {
            do throws(DTLSError) {
                fingerprints.append(try DTLSFingerprint(parsing: text))
            } catch .unknownHashAlgorithm {
                continue
            } catch {
                throw DescriptionFault(.invalidFingerprint(error), in: section, line: "a=fingerprint:\(text)")
            }
        }
        guard !fingerprints.isEmpty else {
            throw DescriptionFault(.unknownFingerprints, in: section, line: "a=fingerprint")
        }
        return fingerprints
    }
}

extension RemoteTransport {
    /// Whether both are of one DTLS association: the fingerprints and the tls-id are the same (RFC 8842 §4).
    func hasSameAssociation(as other: RemoteTransport) -> Bool {
        fingerprints == other.fingerprints && associationID == other.associationID
    }

    /// The role that a remote offer leaves us, or asks for (RFC 8842 §5.3). An association that goes on keeps its
    /// roles.
    static func role(
        offered setup: String?, current: DTLSRole?, preferred: DTLSRole
    ) -> DTLSRole? {
        switch setup {
        // RFC 8842 requires the attribute. Without it the choice is open.
        case "actpass", nil: current ?? preferred
        case "active": current == .client ? nil : .server
        case "passive": current == .server ? nil : .client
        default: nil
        }
    }

    /// The role that a remote answer to our `actpass` leaves us (RFC 8842 §5.4). RFC 4145 §4: the default is passive.
    ///
    /// An association that goes on keeps its roles, whatever the answer says: Firefox 153 answers `active` each time.
    static func role(answered setup: String?, current: DTLSRole?) -> DTLSRole? {
        switch setup {
        case "active": current ?? .server
        case "passive", nil: current ?? .client
        default: nil
        }
    }
}
