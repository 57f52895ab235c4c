import RillRTP

extension Negotiator {
    /// Takes an answer of the other side (RFC 9429 §5.11).
    mutating func setRemoteAnswer(
        _ remote: RemoteDescription, isFinal: Bool
    ) throws(DescriptionFault) -> NegotiationOutcome {
        var outcome = NegotiationOutcome()
        guard let offer = pendingLocalDescription else { return outcome }
        guard remote.sections.count == offer.media.count else {
            throw DescriptionFault(.sectionCount(remote.sections.count, expected: offer.media.count))
        }
        for (section, ours) in zip(remote.sections, offer.media) { try section.check(answerTo: ours) }
        let accepted = remote.sections.filter { !$0.isRejected }
        let tagged = try remote.taggedSection(accepted)
        outcome.rejections = remote.sections.compactMap { section in
            guard section.isRejected, !offer.media[section.index].isOutOfUse else { return nil }
            return SectionRejection(
                index: section.index, mid: offer.media[section.index].mid, reason: .rejectedByPeer)
        }
        if let tagged {
            transportIndex = tagged.index
            // A provisional answer has moved it already.
            let mids = accepted.compactMap { offer.media[$0.index].mid }
            let moves = pendingRemoteDescription == nil && moves(to: Negotiator.tag(of: offer, accepted: mids))
            let transport = try answeredTransport(remote, tagged, current: moves ? nil : remoteTransport)
            takeTransport(transport, reported: remoteTransport, moves: moves, &outcome)
        }
        for section in remote.sections { numbering.reserve(section.media) }
        try agree(local: offer, remote: remote, answer: .remote, &outcome)
        pendingRemoteDescription = remote.session
        if isFinal {
            finish(isAnswerer: false, &outcome)
        } else {
            signalingState = .haveRemoteProvisionalAnswer
        }
        return outcome
    }

    private func answeredTransport(
        _ remote: RemoteDescription, _ section: RemoteSection, current: RemoteTransport?
    ) throws(DescriptionFault) -> RemoteTransport {
        var setup: String?
        var transport = try remote.transport(section) { value throws(DescriptionFault) in
            setup = value
            return .client
        }
        let association = current.flatMap { $0.hasSameAssociation(as: transport) ? $0.role : nil }
        guard let role = RemoteTransport.role(answered: setup, current: association) else {
            throw DescriptionFault(.invalidSetup(setup ?? ""), in: section, line: "a=setup")
        }
        transport.role = role
        return transport
    }
}

extension RemoteDescription {
    /// The section of an answer that describes the transport: the first of the group (RFC 9143 §7.3).
    ///
    /// - Throws: `notBundled` if a section is accepted outside the group.
    fileprivate func taggedSection(_ accepted: [RemoteSection]) throws(DescriptionFault) -> RemoteSection? {
        guard let first = accepted.first else { return nil }
        guard accepted.count > 1 else { return first }
        let groups = attributes.bundles.map { $0.compactMap { positions[$0] } }
        let group = groups.first { $0.contains(first.index) } ?? [first.index]
        let members = Set(group)
        for section in accepted where !members.contains(section.index) {
            throw DescriptionFault(.notBundled, in: section)
        }
        let usable = group.map { sections[$0] }.filter { !$0.isRejected }
        return usable.first { $0.transport.usernameFragment != nil } ?? first
    }
}

extension RemoteSection {
    /// Checks that a section answers the one of ours at its place.
    fileprivate func check(answerTo ours: MediaDescription) throws(DescriptionFault) {
        try check(kind: ours.kind, transport: ours.transport)
        if let mid = media.mid, let expected = ours.mid, mid != expected {
            throw DescriptionFault(.midChanged(mid, expected: expected), in: self, line: "a=mid")
        }
        guard !isRejected else { return }
        guard !ours.isOutOfUse else { throw DescriptionFault(.notOffered, in: self) }
        guard media.isRTCPMultiplexed else { throw DescriptionFault(.notMultiplexed, in: self) }
        var uris: [UInt16: String] = [:]
        var ids: [String: UInt16] = [:]
        for mapping in ours.headerExtensions {
            uris[mapping.id] = mapping.uri
            ids[mapping.uri] = mapping.id
        }
        for mapping in media.headerExtensions {
            // Extensions that were not offered are of no effect, unless their ID is another's (RFC 8285 §6).
            guard ids[mapping.uri] ?? mapping.id == mapping.id, uris[mapping.id] ?? mapping.uri == mapping.uri else {
                throw DescriptionFault(
                    .headerExtensionChanged(id: mapping.id, uri: mapping.uri), in: self,
                    line: "a=extmap:\(mapping.text)")
            }
        }
    }
}
