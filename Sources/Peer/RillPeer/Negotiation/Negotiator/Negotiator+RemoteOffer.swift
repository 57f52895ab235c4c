import RillRTP

extension Negotiator {
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
