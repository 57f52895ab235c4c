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
}
