import RillCore

// Responses to our requests: checks (RFC 8445 §7.2.5) and consent checks (RFC 7675 §5.1).
extension ICEAgentCore {
    mutating func insertResponse(_ response: borrowing STUNMessage, on path: ICEPath, at now: MediaTime)
        -> ICEInsertResult
    {
        let id = response.transactionID
        let checked = pairs.firstIndex { $0.check?.id == id || $0.check?.former == id }
        let consenting = consent.sendTime(of: id) != nil ? selectedIndex : nil
        guard let index = checked ?? consenting, let key = pairs[index].generation.remoteKey else {
            return .dropped(.unknownTransaction)
        }
        guard response.hasValidFingerprint != false else { return .dropped(.wrongFingerprint) }
        guard response.hasIntegrity(of: key) else { return .dropped(.wrongIntegrity) }
        // The check is not given up, as RFC 8445 §7.2.5.2.1 has it: this may be a copy that overtook the answer.
        guard pairs[index].path == path else { return .dropped(.asymmetric) }
        pairs[index].counts.responsesReceived += 1
        pairs[index].isValidated = true
        pairs[index].lastHeard = now
        if response.type.messageClass == .error || response.unknownRequiredCount > 0 {
            return insertError(response.errorCode ?? .badRequest, of: index, isCheck: checked != nil, at: now)
        }
        return checked != nil ? succeed(index, response, at: now) : consentConfirmed(index, id, at: now)
    }

    private mutating func consentConfirmed(_ index: Int, _ id: STUNTransactionID, at now: MediaTime) -> ICEInsertResult
    {
        guard let sent = consent.sendTime(of: id) else { return .dropped(.unknownTransaction) }
        consent.noteResponse(id)
        confirmConsent(at: now)
        pairs[index].counts.noteRoundTrip(now - sent)
        return .confirmed(roundTripTime: now - sent)
    }

    private mutating func succeed(_ index: Int, _ response: borrowing STUNMessage, at now: MediaTime) -> ICEInsertResult
    {
        guard let check = pairs[index].check else { return .dropped(.unknownTransaction) }
        pairs[index].check = nil
        pairs[index].state = .succeeded
        noteMappedAddress(response.mappedAddress, of: index)
        var roundTripTime: MediaDuration?
        let isLatest = check.id == response.transactionID
        if check.transmissionCount == 1, isLatest {
            roundTripTime = now - check.firstTime
            pairs[index].counts.noteRoundTrip(now - check.firstTime)
        }
        unfreeze(like: index)
        // A path that has fallen silent gives way to one that has just answered.
        if selectedID == nil || isRecovering && isCurrent(index) { select(index, at: now) }
        if pairs[index].id == selectedID { confirmConsent(at: now) }
        let isNominated = isLatest && check.isNomination && check.role == .controlling && role == .controlling
        if isNominated || pairs[index].isNominatedByPeer && role == .controlled {
            pairs[index].isNominatedByPeer = false
            nominate(index, at: now)
        } else {
            nominateBest(at: now)
        }
        return .confirmed(roundTripTime: roundTripTime)
    }

    /// RFC 8445 §7.2.5.3.1: an address that is not one of ours was assigned by a NAT on the way. Data is sent from the
    /// same socket, so the pair itself stands for the valid pair.
    private mutating func noteMappedAddress(_ mapped: UDPAddress?, of index: Int) {
        guard let mapped, !locals.contains(where: { $0.candidate.address == mapped }) else { return }
        guard pairs[index].local.address != mapped, let base = local(of: pairs[index].path) else { return }
        let foundation = "prflx/\(base.candidate.foundation)"
        var reflexive = ICECandidate(
            .peerReflexive, mapped, foundation: foundation, localPreference: base.candidate.localPreference)
        reflexive.related = base.candidate.address
        pairs[index].local = reflexive
    }

    private mutating func insertError(
        _ code: STUNErrorCode, of index: Int, isCheck: Bool, at now: MediaTime
    ) -> ICEInsertResult {
        guard isCheck, let check = pairs[index].check else { return .declined(code) }
        // Towards a lite agent there is only one role.
        guard code == .roleConflict, !isRemoteLite else {
            fail(index, at: now)
            return .declined(code)
        }
        // RFC 8445 §7.2.5.1.
        pairs[index].check = nil
        pairs[index].state = .waiting
        if check.role == role {
            changeRole(to: role.opposite, at: now)
            tiebreaker = random.next()
        }
        if !triggered.contains(pairs[index].id) { triggered.append(pairs[index].id) }
        return .declined(code)
    }
}
