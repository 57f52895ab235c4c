public import RillRTP

extension Negotiator {
    /// Sets a description that was made here: the last one, unchanged (RFC 9429 §5.4).
    ///
    /// - Parameters:
    ///   - kind: what it is for. An answer may be set as a provisional one first.
    ///   - description: the description; it does not count for a rollback.
    /// - Throws: `wrongState`, `notLastMade`, or `invalid` if the two sides' streams contradict each other.
    public mutating func setLocal(
        _ kind: DescriptionKind, _ description: SessionDescription = SessionDescription()
    ) throws(NegotiationError) -> NegotiationOutcome {
        switch (kind, signalingState) {
        case (.rollback, .haveLocalOffer): return rollBack()
        case (.offer, .stable), (.offer, .haveLocalOffer):
            return setLocalOffer(try made(.offer, description))
        case (.answer, .haveRemoteOffer), (.answer, .haveLocalProvisionalAnswer),
            (.provisionalAnswer, .haveRemoteOffer),
            (.provisionalAnswer, .haveLocalProvisionalAnswer):
            return try setLocalAnswer(kind, try made(kind, description))
        case (_, .closed): throw .closed
        default: throw .wrongState(signalingState, kind, .local)
        }
    }

    private func made(
        _ kind: DescriptionKind, _ description: SessionDescription
    ) throws(NegotiationError) -> Draft {
        guard let draft, draft.isOffer == (kind == .offer), draft.description == description else {
            throw .notLastMade(kind)
        }
        return draft
    }

    private mutating func setLocalOffer(_ draft: Draft) -> NegotiationOutcome {
        if signalingState == .stable { checkpoint = makeCheckpoint() }
        for position in transceivers.indices {
            guard let place = draft.places[transceivers[position].id] else { continue }
            transceivers[position].index = place.index
            transceivers[position].mid = place.mid
            transceivers[position].needsOffer = false
        }
        for media in draft.description.media { numbering.note(media) }
        pendingLocalDescription = draft.description
        localTransport = draft.transport
        signalingState = .haveLocalOffer
        return NegotiationOutcome()
    }

    private mutating func setLocalAnswer(
        _ kind: DescriptionKind, _ draft: Draft
    ) throws(NegotiationError) -> NegotiationOutcome {
        guard let offer = pendingRemoteDescription else { throw .wrongState(signalingState, kind, .local) }
        var next = self
        var outcome = NegotiationOutcome()
        do throws(DescriptionFault) {
            let remote = try RemoteDescription(offer, limits: settings)
            outcome.rejections = OfferResults(remote, self).rejections(remote)
            next.rejections = outcome.rejections
            try next.agree(local: draft.description, remote: remote, answer: .local, &outcome)
        } catch {
            throw error.error(in: nil)
        }
        next.localTransport = draft.transport
        next.pendingLocalDescription = draft.description
        if kind == .answer {
            next.finish(isAnswerer: true, &outcome)
        } else {
            next.signalingState = .haveLocalProvisionalAnswer
        }
        self = next
        return outcome
    }

    /// Makes an offer (RFC 9429 §5.2). Nothing changes until it is set.
    ///
    /// Transceivers keep their sections. New ones take sections that are out of use, or are appended.
    ///
    /// - Parameter transport: the transport. Other credentials than before restart ICE.
    /// - Throws: `cannotMake`, `noFingerprint`, `noCodec` or `tooManySections`.
    public mutating func makeOffer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        guard signalingState == .stable || signalingState == .haveLocalOffer else {
            throw .cannotMake(.offer, in: signalingState)
        }
        guard !transport.fingerprints.isEmpty else { throw .noFingerprint }
        let places = try offerPlaces()
        let kept = numbering
        var sections: [MediaDescription]
        do throws(NegotiationError) {
            sections = try offerSections(places)
        } catch {
            numbering = kept
            throw error
        }
        let bundle = sections.filter { !$0.isOutOfUse }.compactMap(\.mid)
        dress(&sections, transport, tag: bundle.first)
        var description = SessionDescription(media: sections)
        description.otherAttributes = TransportLines(transport: transport, setup: "actpass")
            .sessionAttributes(bundling: bundle)
        sign(&description)
        draft = Draft(isOffer: true, description: description, transport: transport, places: places)
        return description
    }

    /// Where each transceiver is offered: in its section, in one that is out of use, or in a new one.
    ///
    /// The first section in use describes the transport for all. No other comes before it as long as there is room
    /// behind: browsers make another transport for another first one (Chromium orders the group of its answers by
    /// section).
    private func offerPlaces() throws(NegotiationError) -> [TransceiverID: Draft.Place] {
        var places: [TransceiverID: Draft.Place] = [:]
        var taken: Set<Int> = []
        for transceiver in transceivers {
            guard let index = transceiver.index, let mid = transceiver.mid else { continue }
            places[transceiver.id] = Draft.Place(index: index, mid: mid)
            taken.insert(index)
        }
        let count = localDescription?.media.count ?? 0
        let tagged = transceivers.first { $0.mid == taggedMID && !$0.isStopping }?.index ?? -1
        // Firefox refuses to turn a section for data into one for media.
        let unused = (0..<count).filter { !taken.contains($0) && localDescription?.media[$0].isRTP == true }
        let wanted = transceivers.count { $0.index == nil }
        let behind = unused.filter { $0 > tagged }
        let hasRoom = count + wanted - behind.count <= settings.maximumSectionCount
        var free = (hasRoom ? behind : unused)[...]
        var appended = count
        var mids = Set(transceivers.compactMap(\.mid))
        for transceiver in transceivers where transceiver.index == nil {
            let mid = numbering.newMID(besides: mids)
            mids.insert(mid)
            var index = appended
            if let recycled = free.popFirst() { index = recycled } else { appended += 1 }
            places[transceiver.id] = Draft.Place(index: index, mid: mid)
        }
        guard appended <= settings.maximumSectionCount else {
            throw .tooManySections(count: appended, limit: settings.maximumSectionCount)
        }
        return places
    }

    private mutating func offerSections(
        _ places: [TransceiverID: Draft.Place]
    ) throws(NegotiationError) -> [MediaDescription] {
        let previous = localDescription?.media ?? []
        let maker = OfferedSection(
            settings: settings, canonicalName: canonicalName,
            allowsTwoBytes: remoteDescription.map { SessionAttributes($0).allowsMixedExtensions } ?? false)
        // Sections out of use stay so, unless a transceiver takes them.
        var sections = previous.map { MediaDescription.rejected(like: $0) }
        let placed = transceivers.compactMap { transceiver in places[transceiver.id].map { (transceiver, $0) } }
        for (transceiver, place) in placed.sorted(by: { $0.1.index < $1.1.index }) {
            let old = transceiver.index == nil ? nil : previous[place.index]
            guard !transceiver.isStopping else { continue }
            let section = maker.make(transceiver, mid: place.mid, previous: old, &numbering)
            guard FormatTable(section).entries.contains(where: { !$0.key.isRepair }) else {
                throw .noCodec(transceiver.kind)
            }
            if place.index < sections.count { sections[place.index] = section } else { sections.append(section) }
        }
        return sections
    }

    /// Adds the lines of the transport. The section with the tag describes it; others that have never been accepted can
    /// only be accepted together with that (max-bundle, RFC 9429 §4.1.1).
    private func dress(_ sections: inout [MediaDescription], _ transport: LocalTransport, tag: String?) {
        let lines = TransportLines(transport: transport, setup: "actpass")
        let accepted = Set(self.sections.map(\.mid))
        for index in sections.indices where !sections[index].isOutOfUse {
            let isTagged = sections[index].mid == tag
            let isNew = sections[index].mid.map { !accepted.contains($0) } ?? true
            lines.add(to: &sections[index], isTagged: isTagged, isBundleOnly: isNew && !isTagged)
            if isTagged { sections[index].otherAttributes.append(.init("rtcp-mux-only")) }
        }
    }

    /// Whether an exchange under way ends the transport: the section that describes it goes out of use.
    package var endsTransport: Bool {
        guard let taggedMID else { return false }
        if let pendingLocalDescription {
            return !pendingLocalDescription.media.contains { $0.mid == taggedMID && !$0.isOutOfUse }
        }
        if let pendingRemoteDescription {
            return !pendingRemoteDescription.media.contains { $0.mid == taggedMID && $0.port != 0 }
        }
        return sections.isEmpty
    }

    /// Adds the origin. The version rises by one if the description differs from the last one (RFC 9429 §5.2.2).
    mutating func sign(_ description: inout SessionDescription) {
        description.origin = SessionDescription.Origin(sessionID: sessionID, version: version)
        if description == draft?.description || description == localDescription { return }
        version += 1
        description.origin.version = version
    }
}

extension MediaDescription {
    /// Whether the section of a description of ours is rejected or out of use, rather than bundled.
    var isOutOfUse: Bool {
        guard isRTP else { return true }
        return port == 0 && direction == .inactive && !otherAttributes.contains { $0.name == "bundle-only" }
    }
}

extension Negotiator {
    /// Makes an answer to the remote offer (RFC 9429 §5.3). Nothing changes until it is set, as an answer or
    /// provisional one.
    ///
    /// - Parameter transport: the transport. If the offer restarts ICE, its credentials must be new.
    /// - Throws: `cannotMake`, `noFingerprint` or `credentialsNotRenewed`.
    public mutating func makeAnswer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        guard signalingState == .haveRemoteOffer || signalingState == .haveLocalProvisionalAnswer,
            let offer = pendingRemoteDescription
        else { throw .cannotMake(.answer, in: signalingState) }
        guard !transport.fingerprints.isEmpty else { throw .noFingerprint }
        if let remoteTransport, let old = agreedCredentials, old.remote != remoteTransport.credentials,
            old.local == transport.credentials
        {
            throw .credentialsNotRenewed(usernameFragment: transport.credentials.usernameFragment)
        }
        let remote: RemoteDescription
        do throws(DescriptionFault) {
            remote = try RemoteDescription(offer, limits: settings)
        } catch {
            throw error.error(in: nil)
        }
        let description = answer(to: remote, OfferResults(remote, self), transport)
        draft = Draft(isOffer: false, description: description, transport: transport)
        return description
    }

    private mutating func answer(
        to remote: RemoteDescription, _ results: OfferResults, _ transport: LocalTransport
    ) -> SessionDescription {
        let lines = TransportLines(
            transport: transport, setup: remoteTransport?.role == .server ? "passive" : "active")
        var description = SessionDescription(media: answerSections(to: remote, results))
        var accepted: Set<String> = []
        for index in description.media.indices where results.accepts(index) {
            lines.add(
                to: &description.media[index], isTagged: index == results.taggedIndex,
                answering: remote.sections[index])
            if let mid = description.media[index].mid { accepted.insert(mid) }
        }
        // The order is the offer's (RFC 9143 §7.3).
        let bundled = results.bundle.filter { accepted.contains($0) }
        description.otherAttributes = lines.sessionAttributes(
            bundling: bundled, mixesExtensions: remote.attributes.allowsMixedExtensions)
        sign(&description)
        return description
    }

    /// The sections of an answer, without the lines for the transport.
    private func answerSections(to remote: RemoteDescription, _ results: OfferResults) -> [MediaDescription] {
        zip(remote.sections, results.list).map { section, result in
            guard case .accepted(let answered) = result,
                let transceiver = transceivers.first(where: { $0.index == section.index })
            else { return .rejected(like: section.media) }
            return answered.make(transceiver, canonicalName: canonicalName)
        }
    }

    /// Checks that an offer can be answered without the streams of both sides contradicting each other.
    func checkAnswerable(_ remote: RemoteDescription, _ results: OfferResults) throws(DescriptionFault) {
        var (trial, outcome) = (self, NegotiationOutcome())
        let answer = SessionDescription(media: answerSections(to: remote, results))
        try trial.agree(local: answer, remote: remote, answer: .local, &outcome)
    }
}
