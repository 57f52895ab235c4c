public import RillRTP

extension Negotiator {
    /// Sets a description of the other side (RFC 9429 §5.5, §5.6).
    ///
    /// An offer that arrives while ours is out takes ours back first.
    ///
    /// - Parameters:
    ///   - kind: what it is for.
    ///   - text: the description; it does not count for a rollback.
    /// - Throws: `wrongState`, `malformed` or `invalid`. Errors of the text name the line.
    public mutating func setRemote(
        _ kind: DescriptionKind, text: String
    ) throws(NegotiationError) -> NegotiationOutcome {
        try checkState(kind)
        guard kind != .rollback else { return rollBack() }
        let description: SessionDescription
        do throws(SDPError) { description = try SessionDescription(text) } catch { throw .malformed(error) }
        return try setRemote(kind, description, text: text)
    }

    /// Sets a description of the other side that was parsed already: as ``setRemote(_:text:)``, and errors have no
    /// line.
    public mutating func setRemote(
        _ kind: DescriptionKind, _ description: SessionDescription = SessionDescription()
    ) throws(NegotiationError) -> NegotiationOutcome {
        try checkState(kind)
        guard kind != .rollback else { return rollBack() }
        return try setRemote(kind, description, text: nil)
    }

    private func checkState(_ kind: DescriptionKind) throws(NegotiationError) {
        switch (kind, signalingState) {
        case (_, .closed): throw .closed
        case (.offer, .stable), (.offer, .haveLocalOffer), (.offer, .haveRemoteOffer), (.rollback, .haveRemoteOffer):
            break
        case (.answer, .haveLocalOffer), (.answer, .haveRemoteProvisionalAnswer): break
        case (.provisionalAnswer, .haveLocalOffer), (.provisionalAnswer, .haveRemoteProvisionalAnswer): break
        default: throw .wrongState(signalingState, kind, .remote)
        }
    }

    private mutating func setRemote(
        _ kind: DescriptionKind, _ description: SessionDescription, text: String?
    ) throws(NegotiationError) -> NegotiationOutcome {
        var next = self
        let outcome: NegotiationOutcome
        do throws(DescriptionFault) {
            let remote = try RemoteDescription(description, limits: settings)
            outcome =
                if kind == .offer { try next.setRemoteOffer(remote) } else {
                    try next.setRemoteAnswer(remote, isFinal: kind == .answer)
                }
        } catch {
            throw error.error(in: text)
        }
        self = next
        return outcome
    }

    /// Notes the transport of the other side, and what of it is new.
    ///
    /// - Parameters:
    ///   - transport: the transport.
    ///   - reported: the one that was reported last.
    ///   - moves: whether it is another one, though its lines may be the same.
    ///   - outcome: gets what follows.
    mutating func takeTransport(
        _ transport: RemoteTransport, reported: RemoteTransport?, moves: Bool, _ outcome: inout NegotiationOutcome
    ) {
        remoteTransport = transport
        guard transport != reported || moves else { return }
        outcome.remote = transport
        guard let reported else { return }
        outcome.movesTransport = moves
        outcome.restartsICE = transport.credentials != reported.credentials
        outcome.restartsDTLS = moves || !transport.hasSameAssociation(as: reported)
    }

    /// Whether the transport moves to the section with a MID: another one described it when something was agreed on
    /// last.
    ///
    /// By RFC 9143 §7.3 the group goes on with another tagged section. Browsers (Chromium 156, Firefox 153) end the
    /// transport of the former one then, and make another for the new one: other sockets and candidates, and a
    /// handshake with the same certificate and, unless they restart ICE as well, the same credentials.
    func moves(to mid: String?) -> Bool {
        guard let taggedMID, let mid else { return false }
        return mid != taggedMID
    }

    /// The MID of the section that describes the transport by an offer: the first accepted one of its group.
    ///
    /// - Parameters:
    ///   - offer: the offer.
    ///   - accepted: the MIDs that its answer accepts, in the order of their sections.
    static func tag(of offer: SessionDescription, accepted: [String]) -> String? {
        SessionAttributes(offer).bundles.joined().first(where: accepted.contains) ?? accepted.first
    }

    /// Takes an offer of the other side (RFC 9429 §5.10).
    mutating func setRemoteOffer(_ remote: RemoteDescription) throws(DescriptionFault) -> NegotiationOutcome {
        let reported = remoteTransport
        var outcome = NegotiationOutcome()
        if signalingState != .stable {
            let isOurs = signalingState == .haveLocalOffer
            outcome = rollBack()
            outcome.remote = nil
            outcome.restartsICE = false
            outcome.rolledBack = isOurs
        }
        try checkContinuity(remote)
        checkpoint = makeCheckpoint()
        adopt(remote, &outcome)
        let results = OfferResults(remote, self)
        try checkAnswerable(remote, results)
        outcome.rejections = results.rejections(remote)
        if let index = results.transportIndex {
            let moves = moves(to: transceivers.first { $0.index == results.taggedIndex }?.mid)
            let current = moves ? nil : remoteTransport
            let transport = try offeredTransport(remote, remote.sections[index], current: current)
            takeTransport(transport, reported: reported, moves: moves, &outcome)
            transportIndex = index
        }
        for section in remote.sections { numbering.note(section.media) }
        pendingRemoteDescription = remote.session
        signalingState = .haveRemoteOffer
        draft = nil
        return outcome
    }

    /// The transport of an offer. A DTLS association that goes on keeps its roles (RFC 8842 §5.3).
    private func offeredTransport(
        _ remote: RemoteDescription, _ section: RemoteSection, current: RemoteTransport?
    ) throws(DescriptionFault) -> RemoteTransport {
        var setup: String?
        var transport = try remote.transport(section) { value throws(DescriptionFault) in
            setup = value
            return settings.answeringRole
        }
        let role = current.flatMap { $0.hasSameAssociation(as: transport) ? $0.role : nil }
        guard let chosen = RemoteTransport.role(offered: setup, current: role, preferred: settings.answeringRole) else {
            throw DescriptionFault(.invalidSetup(setup ?? ""), in: section, line: "a=setup")
        }
        transport.role = chosen
        return transport
    }

    /// Checks that sections in use are still what and where they were (RFC 3264 §8).
    private func checkContinuity(_ remote: RemoteDescription) throws(DescriptionFault) {
        guard let previous = currentRemoteDescription?.media else { return }
        guard remote.sections.count >= previous.count else {
            throw DescriptionFault(.sectionCount(remote.sections.count, expected: previous.count))
        }
        for transceiver in transceivers {
            guard let index = transceiver.index, index < previous.count else { continue }
            let (old, new) = (previous[index], remote.sections[index])
            if let mid = old.mid, new.media.mid != mid {
                throw DescriptionFault(.midChanged(new.media.mid, expected: mid), in: new, line: "a=mid")
            }
            try new.check(kind: old.kind, transport: old.transport)
        }
    }

    /// Gives each section that can be accepted a transceiver: its own, one that waits for such an offer, or a new one.
    private mutating func adopt(_ remote: RemoteDescription, _ outcome: inout NegotiationOutcome) {
        let results = OfferResults(remote, self)
        var used = Set(transceivers.compactMap(\.index))
        var mids = Set(remote.positions.keys).union(transceivers.compactMap(\.mid))
        for section in remote.sections where results.accepts(section.index) {
            if used.insert(section.index).inserted {
                let mid = section.media.mid ?? numbering.newMID(besides: mids)
                mids.insert(mid)
                place(waiting(section) ?? create(section, &outcome), at: section.index, mid: mid)
            }
            guard let position = transceivers.firstIndex(where: { $0.index == section.index }) else { continue }
            transceivers[position].remoteStreams = section.direction.sends ? section.streams : []
            transceivers[position].takeRIDs(section)
        }
    }

    /// The first transceiver without a section that sends what the section wants to receive.
    private func waiting(_ section: RemoteSection) -> TransceiverID? {
        guard section.direction.receives else { return nil }
        return transceivers.first {
            $0.index == nil && $0.kind == section.media.kind && $0.answersOffers && $0.direction.sends && !$0.isStopping
        }?.id
    }

    private mutating func create(_ section: RemoteSection, _ outcome: inout NegotiationOutcome) -> TransceiverID {
        let id = append(
            TransceiverSettings(section.media.kind, .receiveOnly), names: [MediaStreamName(stream: streamName)])
        transceivers[transceivers.count - 1].isRemote = true
        outcome.addedTransceivers.append(id)
        return id
    }

    private mutating func place(_ id: TransceiverID, at index: Int, mid: String) {
        guard let position = transceivers.firstIndex(where: { $0.id == id }) else { return }
        transceivers[position].index = index
        transceivers[position].mid = mid
        numbering.note(mid: mid)
    }
}

extension Transceiver {
    /// Names the encodings as an offer to receive a simulcast does, if it knows none of their names: in its order.
    fileprivate mutating func takeRIDs(_ section: RemoteSection) {
        guard sending.count > 1 else { return }
        let offered = SectionLayers(section.media, .receive)
        let names = Set(offered.rids.map(\.id))
        guard !sending.contains(where: { $0.rid.map { names.contains($0) } ?? false }) else { return }
        let ordered = offered.streams.compactMap { $0.alternatives.first?.rid }
        ridsBeforeOffer = sending.map(\.rid)
        for (position, rid) in zip(sending.indices, ordered) { sending[position].rid = rid }
    }
}

extension RemoteSection {
    /// Checks that the section is of the same kind as before, or as offered.
    func check(kind: MediaDescription.Kind, transport: String) throws(DescriptionFault) {
        guard media.kind == kind else {
            throw DescriptionFault(.kindChanged(media.kind.rawValue, expected: kind.rawValue), in: self)
        }
        // The names of encrypted RTP are one and the same (RFC 9429 §5.1.2).
        guard media.transport == transport || isRejected || isSecureRTP else {
            throw DescriptionFault(.transportChanged(media.transport, expected: transport), in: self)
        }
    }
}

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
        rejections = outcome.rejections
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

extension Negotiator {
    /// Takes a candidate of the other side that trickled in (RFC 8840, RFC 9429 §4.1.20).
    ///
    /// - Parameters:
    ///   - text: the candidate; the empty text, or `end-of-candidates`, says that none follow.
    ///   - mid: the MID of its section.
    ///   - index: the index of its section, which counts if there is no `mid`.
    ///   - usernameFragment: the generation that it belongs to, if known.
    /// - Returns: the candidate; `nil` at the end of candidates.
    /// - Throws: `closed`, `noRemoteDescription`, `unknownSection`, `otherGeneration` or `invalidCandidate`.
    public func addRemoteCandidate(
        _ text: String, mid: String?, index: Int? = nil, usernameFragment: String? = nil
    ) throws(NegotiationError) -> ICECandidateText? {
        guard signalingState != .closed else { throw .closed }
        guard let remote = remoteDescription, let remoteTransport else { throw .noRemoteDescription }
        let position = mid.map { mid in remote.media.firstIndex { $0.mid == mid } } ?? index
        // Without a name and a number it is for the transport; there is only one.
        guard position.map(remote.media.indices.contains) ?? (mid == nil && index == nil) else {
            throw .unknownSection(mid: mid, index: index)
        }
        if let usernameFragment, usernameFragment != remoteTransport.credentials.usernameFragment {
            throw .otherGeneration(usernameFragment: usernameFragment)
        }
        let isEnd = ["", "end-of-candidates", "a=end-of-candidates"].contains(text)
        let candidate: ICECandidateText?
        do throws(ICEError) {
            candidate = isEnd ? nil : try ICECandidateText(parsing: text)
        } catch {
            throw .invalidCandidate(error)
        }
        if case .candidate(let one) = candidate, let fragment = one.usernameFragment,
            fragment != remoteTransport.credentials.usernameFragment
        {
            throw .otherGeneration(usernameFragment: fragment)
        }
        if let position, hasOtherTransport(remote.media[position], position) { return .ignored(.section(position)) }
        return candidate
    }

    /// Whether a section is described with a transport that the answer gives up: a browser gathers candidates for each
    /// section of a first offer, until an answer bundles them.
    private func hasOtherTransport(_ media: MediaDescription, _ index: Int) -> Bool {
        guard signalingState == .haveRemoteOffer || signalingState == .haveLocalProvisionalAnswer else { return false }
        guard index != transportIndex, !sections.contains(where: { $0.index == index }) else { return false }
        return !media.otherAttributes.contains { $0.name == "bundle-only" }
    }
}
