import RillCore
import RillRTP

/// Offer and answer. What is returned of them is for the media: the sections that are negotiated now.
extension PeerLink {
    /// An offer or answer of this side, and what follows for the media.
    typealias Local = (description: SessionDescription, sections: [NegotiatedSection]?)

    /// Makes an offer, and sets it as the local description.
    func offer(restartsICE: Bool, at now: MediaTime) throws(PeerError) -> Local {
        try requireOpen()
        var transport = localTransport
        if restartsICE { transport.credentials = drawCredentials() }
        let made = try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            let offer = try negotiator.makeOffer(transport)
            return (offer, try negotiator.setLocal(.offer, offer))
        }
        // Not before there is an offer with the new credentials.
        if restartsICE {
            keepTransport()
            restartICE(with: transport.credentials, at: now)
        }
        return made
    }

    /// Makes the answer, and sets it as the local description.
    func answer(at now: MediaTime) throws(PeerError) -> Local {
        try requireOpen()
        return try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            let answer = try negotiator.makeAnswer(localTransport)
            return (answer, try negotiator.setLocal(.answer, answer))
        }
    }

    /// Sets a description of the other side.
    func setRemote(
        _ kind: DescriptionKind, _ text: String, at now: MediaTime
    ) throws(PeerError) -> [NegotiatedSection]? {
        try requireOpen()
        return try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            ((), try negotiator.setRemote(kind, text: text))
        }.sections
    }

    /// Takes back our offer that was not answered.
    func rollback(at now: MediaTime) throws(PeerError) {
        try requireOpen()
        _ = try negotiate(at: now) { (negotiator) throws(NegotiationError) in
            ((), try negotiator.setLocal(.rollback))
        }
    }

    /// Adds a candidate of the other side that was trickled. An empty text ends the candidates.
    func addRemoteCandidate(_ text: String, mid: String?, at now: MediaTime) throws(PeerError) -> Bool {
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
        // An offer of theirs that restarts ICE needs nothing of what was before.
        if outcome.rolledBack, changed.signalingState == .stable || !outcome.restartsICE { try restore(at: now) }
        if let remote = outcome.remote, !outcome.rolledBack || changed.signalingState != .stable {
            try apply(remote, outcome, at: now)
        }
        negotiator = changed
        if changed.signalingState == .stable { stableTransport = nil }
        sections = outcome.sections ?? sections
        updateState()
        return (value, outcome.sections)
    }

    private func apply(_ remote: RemoteTransport, _ outcome: NegotiationOutcome, at now: MediaTime) throws(PeerError) {
        if let stableTransport, stableTransport.remote.credentials == remote.credentials, !outcome.restartsDTLS {
            // Another offer, which takes back the restart of the one before.
            try restore(at: now)
        } else {
            if outcome.restartsICE || outcome.restartsDTLS { keepTransport() }
            // An answer to a restart restarts too (RFC 8839 §4.4.3.2). An offer has restarted already.
            if let known = agent.remoteCredentials, outcome.restartsICE || known != remote.credentials {
                restartICE(with: drawCredentials(), at: now)
            } else if outcome.movesTransport, agent.remoteCredentials != nil {
                // The same credentials, and another path: an agent restarts with others only.
                let own = agent.credentials
                agent.restart(with: drawCredentials())
                restartICE(with: own, at: now)
            }
        }
        startTime = startTime ?? now
        try setRemote(remote, at: now)
        setRemote(remote.fingerprints, remote.role, outcome, at: now)
    }

    private func setRemote(_ remote: RemoteTransport, at now: MediaTime) throws(PeerError) {
        if agent.remoteCredentials == nil {
            do throws(ICEError) { try agent.setRemote(remote.credentials, isLite: remote.isLite, at: now) } catch {
                throw .ice(error)
            }
        }
        for candidate in remote.candidates { agent.addRemoteCandidate(candidate, at: now) }
        if remote.hasAllCandidates { agent.endRemoteCandidates() }
    }

    private func restartICE(with credentials: ICECredentials, at now: MediaTime) {
        agent.restart(with: credentials)
        (startTime, failure) = (now, nil)
    }

    /// Keeps what a rollback returns to, before the first change.
    private func keepTransport() {
        guard stableTransport == nil, agent.remoteCredentials != nil, let remote = negotiator.remoteTransport else {
            return
        }
        stableTransport = StableTransport(
            local: agent.credentials, remote: remote, dtls: dtls, fingerprints: fingerprints)
    }

    /// Returns to the transport that was agreed on last: an offer that restarted ICE was taken back.
    private func restore(at now: MediaTime) throws(PeerError) {
        guard let stable = stableTransport else { return }
        stableTransport = nil
        if agent.credentials != stable.local, !agent.cancelRestart(at: now) {
            agent.restart(with: stable.local)
            try setRemote(stable.remote, at: now)
        }
        if dtls !== stable.dtls { (dtls, formerDTLS, fingerprints) = (stable.dtls, nil, stable.fingerprints) }
    }
}

/// What a rollback returns to, once ICE was restarted for an offer.
struct StableTransport {
    let local: ICECredentials
    let remote: RemoteTransport
    let dtls: DTLSEndpoint?
    let fingerprints: [DTLSFingerprint]
}
