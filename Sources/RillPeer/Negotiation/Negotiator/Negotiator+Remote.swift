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

    /// Sets a description of the other side that was parsed already: as ``setRemote(_:text:)``, and errors have no line.
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
    mutating func takeTransport(
        _ transport: RemoteTransport?, reported: RemoteTransport?, _ outcome: inout NegotiationOutcome
    ) {
        guard let transport else { return }
        remoteTransport = transport
        guard transport != reported else { return }
        outcome.remote = transport
        guard let reported else { return }
        outcome.restartsICE = transport.credentials != reported.credentials
        outcome.restartsDTLS = !transport.hasSameAssociation(as: reported)
    }
}
