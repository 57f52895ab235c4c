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
}
