import RillRTP

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
