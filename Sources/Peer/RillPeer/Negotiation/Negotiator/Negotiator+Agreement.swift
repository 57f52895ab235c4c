import RillRTP

// What follows from an answer, whoever gives it.
extension Negotiator {
    /// Works out what both descriptions agree on, and takes it as the state of the session.
    mutating func agree(
        local: SessionDescription, remote: RemoteDescription, answer: DescriptionSide,
        _ outcome: inout NegotiationOutcome
    ) throws(DescriptionFault) {
        var agreed: [NegotiatedSection] = []
        for position in transceivers.indices {
            let transceiver = transceivers[position]
            guard let index = transceiver.index, let mid = transceiver.mid, index < local.media.count,
                index < remote.sections.count
            else { continue }
            let (ours, theirs) = (local.media[index], remote.sections[index])
            guard !ours.isOutOfUse, !theirs.isRejected else {
                transceivers[position].currentDirection = nil
                continue
            }
            let agreement = SectionAgreement(
                transceiver, local: ours, remote: theirs, answer: answer, settings: settings,
                canonicalName: canonicalName)
            var section: NegotiatedSection?
            do throws(StreamDescriptionError) {
                section = try agreement.section(mid: mid, index: index)
            } catch {
                throw DescriptionFault(error, in: theirs)
            }
            guard let section else { throw DescriptionFault(.noCommonCodec, in: theirs) }
            transceivers[position].currentDirection = section.direction
            transceivers[position].remoteStreams = section.direction.receives ? theirs.streams : []
            if section.direction.receives {
                transceivers[position].agreedRIDs = section.receiving.compactMap(\.rid)
            }
            agreed.append(section)
        }
        agreed.sort { $0.index < $1.index }
        try Negotiator.check(agreed, remote, limit: settings.maximumStreamCount)
        if agreed != sections { outcome.sections = agreed }
        sections = agreed
    }

    /// Checks that each packet can be assigned to one stream.
    private static func check(
        _ sections: [NegotiatedSection], _ remote: RemoteDescription, limit: Int
    ) throws(DescriptionFault) {
        for streams in [\NegotiatedSection.receiving, \NegotiatedSection.sending] {
            let all = sections.flatMap { $0[keyPath: streams] }
            if let last = sections.last, all.count > limit {
                throw DescriptionFault(.tooManyStreams(count: all.count, limit: limit), in: remote.sections[last.index])
            }
            do throws(StreamDescriptionError) {
                try all.validate()
            } catch {
                throw DescriptionFault(error, in: remote.sections[faultySection(sections, streams) ?? 0])
            }
        }
    }

    /// The first section whose streams contradict those before it.
    private static func faultySection(
        _ sections: [NegotiatedSection], _ streams: KeyPath<NegotiatedSection, [StreamDescription]>
    ) -> Int? {
        var all: [StreamDescription] = []
        for section in sections {
            all += section[keyPath: streams]
            // Why is known to the caller; here it is asked where.
            if (try? all.validate()) == nil { return section.index }
        }
        return nil
    }

    /// Ends an exchange: pending descriptions become current, and transceivers without a section are removed.
    mutating func finish(isAnswerer: Bool, _ outcome: inout NegotiationOutcome) {
        currentLocalDescription = pendingLocalDescription
        currentRemoteDescription = pendingRemoteDescription
        pendingLocalDescription = nil
        pendingRemoteDescription = nil
        signalingState = .stable
        self.isAnswerer = isAnswerer
        checkpoint = nil
        draft = nil
        let used = Set(sections.map(\.transceiver))
        let stopped = transceivers.filter { $0.index != nil && !used.contains($0.id) }.map(\.id)
        outcome.stoppedTransceivers = stopped
        let gone = Set(stopped)
        transceivers.removeAll { gone.contains($0.id) }
        for position in transceivers.indices {
            transceivers[position].ridsBeforeOffer = nil
            transceivers[position].keepAccepted(sections.first { $0.transceiver == transceivers[position].id })
        }
        let offer = isAnswerer ? currentRemoteDescription : currentLocalDescription
        taggedMID = offer.flatMap { Negotiator.tag(of: $0, accepted: sections.map(\.mid)) } ?? taggedMID
        if let localTransport, let remoteTransport {
            agreedCredentials = (localTransport.credentials, remoteTransport.credentials)
        }
    }

    // MARK: Rollback

    func makeCheckpoint() -> Checkpoint {
        Checkpoint(
            transceivers: transceivers, numbering: numbering, remoteTransport: remoteTransport,
            transportIndex: transportIndex, localTransport: localTransport)
    }

    /// Returns to the last stable state (RFC 9429 §5.7). What the app changed since stays.
    mutating func rollBack() -> NegotiationOutcome {
        var outcome = NegotiationOutcome()
        outcome.rolledBack = true
        guard let checkpoint else { return outcome }
        let before = Dictionary(checkpoint.transceivers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for position in transceivers.indices {
            let old = before[transceivers[position].id]
            transceivers[position].mid = old?.mid
            transceivers[position].index = old?.index
            transceivers[position].currentDirection = old?.currentDirection
            transceivers[position].remoteStreams = old?.remoteStreams ?? []
            if old?.needsOffer == true { transceivers[position].needsOffer = true }
            transceivers[position].restoreRIDs()
        }
        outcome.removedTransceivers = transceivers.filter { before[$0.id] == nil && $0.isRemote }.map(\.id)
        let removed = Set(outcome.removedTransceivers)
        outcome.stoppedTransceivers = transceivers.filter { $0.index == nil && $0.isStopping }.map(\.id)
        let gone = removed.union(outcome.stoppedTransceivers)
        transceivers.removeAll { gone.contains($0.id) }
        numbering = checkpoint.numbering
        if remoteTransport != checkpoint.remoteTransport {
            outcome.remote = checkpoint.remoteTransport
            outcome.restartsICE = remoteTransport?.credentials != checkpoint.remoteTransport?.credentials
        }
        remoteTransport = checkpoint.remoteTransport
        transportIndex = checkpoint.transportIndex
        localTransport = checkpoint.localTransport
        pendingLocalDescription = nil
        pendingRemoteDescription = nil
        signalingState = .stable
        self.checkpoint = nil
        draft = nil
        return outcome
    }
}

extension Transceiver {
    /// Forgets the encodings that an answer left out: they are not sent, and never offered again (W3C webrtc-pc
    /// §4.4.1.5: what an answer leaves out is removed for good). A section in which we do not send says nothing about
    /// them.
    fileprivate mutating func keepAccepted(_ section: NegotiatedSection?) {
        guard let streams = section?.sending, !streams.isEmpty else { return }
        agreedSendingRIDs = streams.compactMap(\.rid)
        guard sending.count > 1 else { return }
        let names = Set(agreedSendingRIDs)
        // Without names, the first one is sent.
        let kept = sending.indices.filter { sending[$0].rid.map(names.contains) ?? false }
        let positions = kept.isEmpty ? [0] : kept
        sending = positions.map { sending[$0] }
        sources = positions.map { sources[$0] }
    }

    /// Undoes what an offer did to the names of the encodings.
    fileprivate mutating func restoreRIDs() {
        guard let old = ridsBeforeOffer else { return }
        for (position, rid) in zip(sending.indices, old) { sending[position].rid = rid }
        ridsBeforeOffer = nil
    }
}
