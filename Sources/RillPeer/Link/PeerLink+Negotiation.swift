package import RillCore
package import RillRTP

/// Offer and answer. What is returned of them is for the media: the sections that are negotiated now.
extension PeerLink {
    /// An offer or answer of this side, and what follows for the media.
    package typealias Local = (description: SessionDescription, sections: [NegotiatedSection]?)

    /// Makes an offer, and sets it as the local description.
    package func offer(restartsICE: Bool, at now: MediaTime) throws(PeerError) -> Local {
        try requireOpen()
        if restartsICE {
            hasOfferedRestart = true
            restartICE(at: now)
        }
        return try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            let offer = try negotiator.makeOffer(localTransport)
            return (offer, try negotiator.setLocal(.offer, offer))
        }
    }

    /// Makes the answer, and sets it as the local description.
    package func answer(at now: MediaTime) throws(PeerError) -> Local {
        try requireOpen()
        return try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            let answer = try negotiator.makeAnswer(localTransport)
            return (answer, try negotiator.setLocal(.answer, answer))
        }
    }

    /// Sets a description of the other side.
    package func setRemote(
        _ kind: DescriptionKind, _ text: String, at now: MediaTime
    ) throws(PeerError) -> [NegotiatedSection]? {
        try requireOpen()
        return try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            ((), try negotiator.setRemote(kind, text: text))
        }.sections
    }

    /// Takes back our offer that was not answered.
    package func rollback(at now: MediaTime) throws(PeerError) {
        try requireOpen()
        _ = try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            ((), try negotiator.setLocal(.rollback))
        }
    }

    /// Adds a candidate of the other side that was trickled. An empty text ends the candidates.
    package func addRemoteCandidate(_ text: String, mid: String?, at now: MediaTime) throws(PeerError) -> Bool {
        try requireOpen()
        do throws(NegotiationError) {
            switch try negotiator.addRemoteCandidate(text, mid: mid) {
            case .candidate(let candidate): return agent.addRemoteCandidate(candidate, at: now)
            case .ignored: return false
            case nil:
                agent.endRemoteCandidates()
                return true
            }
        } catch {
            throw .negotiation(error)
        }
    }

    private func requireOpen() throws(PeerError) {
        guard state != .closed else { throw .closed }
    }

    /// What our descriptions say of the transport.
    private var localTransport: LocalTransport {
        LocalTransport(
            credentials: agent.credentials, fingerprints: [certificate.fingerprint], candidates: agent.localCandidates,
            hasAllCandidates: true)
    }

    /// Changes the negotiator, and does what follows; if anything fails, the negotiator is as before.
    private func negotiate<Value>(
        at now: MediaTime,
        _ body: (inout Negotiator) throws(NegotiationError) -> (Value, NegotiationOutcome)
    ) throws(PeerError) -> (description: Value, sections: [NegotiatedSection]?) {
        var changed = negotiator
        let (value, outcome): (Value, NegotiationOutcome)
        do throws(NegotiationError) { (value, outcome) = try body(&changed) } catch { throw .negotiation(error) }
        if outcome.rolledBack, hasOfferedRestart {
            hasOfferedRestart = false
            // Of two restarts at once, the other side's goes on, with the credentials that ours has drawn.
            if !outcome.restartsICE { agent.cancelRestart(at: now) }
        }
        if let remote = outcome.remote { try apply(remote, restartsICE: outcome.restartsICE, at: now) }
        negotiator = changed
        sections = outcome.sections ?? sections
        updateState()
        return (value, outcome.sections)
    }

    private func apply(_ remote: RemoteTransport, restartsICE: Bool, at now: MediaTime) throws(PeerError) {
        // Whoever answers a restart restarts too (RFC 8839 §4.4.3.2). Who offered it has restarted already.
        if restartsICE, agent.remoteCredentials != nil { restartICE(at: now) }
        startTime = startTime ?? now
        if agent.remoteCredentials == nil {
            hasOfferedRestart = false
            do throws(ICEError) { try agent.setRemote(remote.credentials, isLite: remote.isLite, at: now) } catch {
                throw .ice(error)
            }
        }
        for candidate in remote.candidates { agent.addRemoteCandidate(candidate, at: now) }
        if remote.hasAllCandidates { agent.endRemoteCandidates() }
        setRemote(remote.fingerprints, remote.role, at: now)
    }

    private func restartICE(at now: MediaTime) {
        agent.restart(with: drawCredentials())
        (startTime, failure) = (now, nil)
    }
}
