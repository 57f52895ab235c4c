import RillRTP

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
            lines.add(to: &description.media[index], isTagged: index == results.taggedIndex, isBundleOnly: false)
            if let mid = description.media[index].mid { accepted.insert(mid) }
        }
        // The order is the offer's (RFC 9143 §7.3).
        let bundled = results.bundle.filter { accepted.contains($0) }
        description.otherAttributes = lines.sessionAttributes(bundling: bundled)
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
