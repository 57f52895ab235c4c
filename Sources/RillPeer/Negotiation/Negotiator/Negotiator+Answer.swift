import RillRTP

extension Negotiator {
    /// Makes an answer to the remote offer (RFC 9429 §5.3). Nothing changes until it is set, as an answer or provisional one.
    ///
    /// - Parameter transport: the transport. If the offer restarts ICE, its credentials must be new.
    /// - Throws: `cannotMake`, `noFingerprint`, `bothLite` or `credentialsNotRenewed`.
    public mutating func makeAnswer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        guard signalingState == .haveRemoteOffer || signalingState == .haveLocalProvisionalAnswer,
            let offer = pendingRemoteDescription
        else { throw .cannotMake(.answer, in: signalingState) }
        guard !transport.fingerprints.isEmpty else { throw .noFingerprint }
        if let remoteTransport {
            if transport.isLite, remoteTransport.isLite { throw .bothLite }
            if let old = agreedCredentials, old.remote != remoteTransport.credentials,
                old.local == transport.credentials
            {
                throw .credentialsNotRenewed(usernameFragment: transport.credentials.usernameFragment)
            }
        }
        let remote: RemoteDescription
        do throws(DescriptionFault) {
            remote = try RemoteDescription(offer, limits: settings)
        } catch {
            throw error.error(in: nil)
        }
        let description = answer(to: remote, OfferVerdicts(remote, self), transport)
        draft = Draft(isOffer: false, description: description, transport: transport)
        return description
    }

    private mutating func answer(
        to remote: RemoteDescription, _ verdicts: OfferVerdicts, _ transport: LocalTransport
    ) -> SessionDescription {
        let lines = TransportLines(
            transport: transport, setup: remoteTransport?.role == .server ? "passive" : "active")
        var description = SessionDescription()
        var bundled: [String] = []
        for (section, verdict) in zip(remote.sections, verdicts.list) {
            guard case .accepted(let answered) = verdict,
                let transceiver = transceivers.first(where: { $0.index == section.index })
            else {
                description.media.append(.rejected(like: section.media))
                continue
            }
            var media = answered.make(transceiver, canonicalName: canonicalName)
            lines.add(to: &media, isTagged: section.index == verdicts.taggedIndex, isBundleOnly: false)
            description.media.append(media)
            if let mid = media.mid, verdicts.isBundled { bundled.append(mid) }
        }
        // The order is the offer's (RFC 9143 §7.3).
        if verdicts.isBundled {
            let accepted = Set(bundled)
            bundled = verdicts.bundle.filter { accepted.contains($0) }
        }
        description.otherAttributes = lines.sessionAttributes(bundling: bundled)
        sign(&description)
        return description
    }
}
