import RillCore

// Sending checks (RFC 8445 §6.1.4, §14): one begins every Ta; those without a response are retransmitted. Checks that
// the other side's triggered, and nominations, do not wait: each follows a datagram of the other side's.
extension ICEAgentCore {
    /// The pair whose request is to be sent now, with the request noted as sent; `nil` if none is due.
    mutating func nextRequest(at now: MediaTime) -> (index: Int, id: STUNTransactionID, isNomination: Bool)? {
        guard state != .failed else { return nil }
        if let index = consentRequest(at: now) {
            let id = makeTransactionID()
            consent.noteRequest(id, at: now)
            pairs[index].counts.consentRequestsSent += 1
            // A NAT may give us a new address. The other side only follows if it is nominated.
            return (index, id, role == .controlling && pairs[index].isNominated)
        }
        guard let index = retransmission(at: now) ?? newCheck(at: now), let check = pairs[index].check else {
            return nil
        }
        pairs[index].check?.noteTransmission(limit: settings.maximumTransmissionCount, at: now)
        return (index, check.id, check.isNomination)
    }

    private mutating func consentRequest(at now: MediaTime) -> Int? {
        guard let index = selectedIndex, consent.nextRequest <= now else { return nil }
        consent.schedule(settings.consentInterval, using: &random, at: now)
        return index
    }

    // MARK: Retransmissions

    private mutating func retransmission(at now: MediaTime) -> Int? {
        for index in pairs.indices {
            guard let check = pairs[index].check, check.deadline <= now else { continue }
            guard check.transmissionCount < settings.maximumTransmissionCount else {
                fail(index, at: now)
                continue
            }
            pairs[index].counts.retransmissionsSent += 1
            return index
        }
        return nil
    }

    /// The check of a pair failed.
    mutating func fail(_ index: Int, at now: MediaTime) {
        pairs[index].check = nil
        pairs[index].state = .failed
        pairs[index].isNominatedByPeer = false
        // Data still goes to the selected path, as long as consent lasts.
        if pairs[index].id != selectedID { pairs[index].isValidated = false }
        if pairs[index].id == nominatingID { nominatingID = nil }
        unfreeze(like: index)
        nominateBest(at: now)
    }

    // MARK: New checks

    private mutating func newCheck(at now: MediaTime) -> Int? {
        guard generation.remoteKey != nil, let index = urgentPair() ?? ordinaryPair(at: now) else { return nil }
        let isNomination = pairs[index].id == nominatingID
        let waiting = pairs.count { $0.state == .waiting || $0.state == .inProgress }
        pairs[index].check = ICECheck(
            makeTransactionID(), instead: pairs[index].check?.id, role: role, isNomination: isNomination,
            timeout: max(settings.retransmissionTimeout, settings.checkInterval * waiting))
        // A nomination checks a pair which is known to work.
        if !isNomination { pairs[index].state = .inProgress }
        pairs[index].counts.requestsSent += 1
        return index
    }

    /// The pair whose check does not wait for its turn (RFC 8445 §6.1.4.1).
    private mutating func urgentPair() -> Int? {
        if let id = nominatingID, let index = index(of: id), pairs[index].check?.isNomination != true { return index }
        while !triggered.isEmpty {
            if let index = index(of: triggered.removeFirst()), pairs[index].check == nil,
                pairs[index].state != .succeeded
            {
                return index
            }
        }
        return nil
    }

    /// The pair to check next, in the order of RFC 8445 §6.1.4.2.
    private mutating func ordinaryPair(at now: MediaTime) -> Int? {
        guard nextCheckTime <= now, let index = nextOrdinaryPair() else { return nil }
        nextCheckTime = now + settings.checkInterval
        return index
    }

    private mutating func nextOrdinaryPair() -> Int? {
        guard !isConcluded else { return nil }
        let current = pairs.indices.filter { isCurrent($0) }
        func best(_ state: ICEPairState) -> Int? {
            current.filter { pairs[$0].state == state }.max { pairs[$0].priority < pairs[$1].priority }
        }
        return best(.waiting) ?? best(.frozen)
    }

    /// Whether a pair is nominated and works, so that no further ones are tried (RFC 8445 §8.1.2).
    var isConcluded: Bool {
        mutating get {
            guard let index = selectedIndex else { return false }
            return isCurrent(index) && pairs[index].isNominated && !isRecovering
        }
    }

    /// When the next check begins, if nothing is inserted before.
    var nextCheckStart: MediaTime {
        mutating get {
            guard generation.remoteKey != nil, state != .failed else { return .distantFuture }
            if let id = nominatingID, let index = index(of: id), pairs[index].check?.isNomination != true {
                return MediaTime(nanoseconds: .min)
            }
            guard triggered.isEmpty else { return MediaTime(nanoseconds: .min) }
            return !isConcluded && nextOrdinaryPair() != nil ? nextCheckTime : .distantFuture
        }
    }

    /// RFC 8445 §7.2.5.3.3: once a pair is done, those with the same foundation need not wait for it any more.
    mutating func unfreeze(like index: Int) {
        for other in pairs.indices
        where pairs[other].state == .frozen && isCurrent(other) && pairs[other].hasFoundation(of: pairs[index]) {
            pairs[other].state = .waiting
        }
    }

    // Which pair is used (RFC 8445 §8.1).

    /// Makes a pair the one where data goes: a check of ours was just answered there.
    mutating func select(_ index: Int, at now: MediaTime) {
        guard pairs[index].id != selectedID else { return }
        precondition(pairs[index].isValidated, "data would go where nobody has answered")
        let former = selectedPath
        selectedID = pairs[index].id
        consent.begin(at: now)
        consent.schedule(settings.consentInterval, using: &random, at: now)
        isRecovering = false
        if former != pairs[index].path {
            events.append(.selectedPathChanged(from: former, to: pairs[index].path))
        }
        if state != .completed { setState(.connected) }
    }

    /// A pair is nominated: it is used, checks of others end, and the former generation too.
    ///
    /// The latest nomination counts: there is no aggressive one any more, and a peer that changes its address nominates
    /// the new pair.
    mutating func nominate(_ index: Int, at now: MediaTime) {
        (nominatingID, nominationDeadline) = (nil, nil)
        guard !pairs[index].isNominated || pairs[index].id != selectedID else { return }
        for other in pairs.indices {
            (pairs[other].isNominated, pairs[other].isNominatedByPeer) = (other == index, false)
        }
        select(index, at: now)
        setState(.completed)
        isRecovering = false
        endFormerGeneration()
        for other in pairs.indices {
            pairs[other].check = nil
            if pairs[other].state == .inProgress { pairs[other].state = .waiting }
        }
    }

    /// Begins to nominate the best pair that works, if this side is controlling and none is nominated: when no better
    /// one may come any more, or when the time is up.
    mutating func nominateBest(at now: MediaTime) {
        guard role == .controlling, nominatingID == nil, !isConcluded else { return }
        let current = pairs.indices.filter { isCurrent($0) }
        let working = current.filter { pairs[$0].state == .succeeded }
        guard let best = working.max(by: { pairs[$0].priority < pairs[$1].priority }) else { return }
        let deadline = nominationDeadline ?? now + settings.nominationDelay
        nominationDeadline = deadline
        let mayImprove = current.contains {
            pairs[$0].priority > pairs[best].priority
                && (pairs[$0].state == .waiting || pairs[$0].state == .frozen || pairs[$0].state == .inProgress)
        }
        guard !mayImprove || deadline <= now else { return }
        nominatingID = pairs[best].id
        nominationDeadline = nil
    }

    // Silence and failure (RFC 7675, RFC 8863).

    /// The selected path works: the other side was heard.
    mutating func confirmConsent(at now: MediaTime) {
        consent.confirm(at: now)
        guard state == .disconnected, let index = selectedIndex else { return }
        isRecovering = false
        setState(pairs[index].isNominated && isCurrent(index) ? .completed : .connected)
    }

    /// Applies what follows from the time alone.
    mutating func updateState(at now: MediaTime) {
        guard state != .failed else { return }
        if let index = selectedIndex {
            let silence = now - consent.lastConfirmed
            if silence >= settings.consentTimeout {
                events.append(.consentLost(on: pairs[index].path, after: silence))
                end()
            } else if silence >= settings.disconnectedTimeout, state != .disconnected {
                setState(.disconnected)
                recover()
            }
        } else if let deadline = connectDeadline, deadline <= now, let startTime, hasNothingToTry {
            events.append(.checksFailed(pairCount: pairs.count, after: now - startTime))
            end()
        }
        if let deadline = nominationDeadline, deadline <= now {
            nominateBest(at: now)
            nominationDeadline = nil
        }
    }

    /// Whether all checks have failed.
    var hasNothingToTry: Bool {
        pairs.allSatisfy { $0.state == .failed || $0.state == .succeeded } || generation.remoteKey == nil
    }

    /// Checks all pairs again: the selected path may be gone for good, and another may work.
    private mutating func recover() {
        guard generation.remoteKey != nil else { return }
        isRecovering = true
        (nominatingID, nominationDeadline) = (nil, nil)
        for index in pairs.indices where isCurrent(index) {
            pairs[index].check = nil
            pairs[index].state = .waiting
        }
    }

    private mutating func end() {
        selectedID = nil
        endFormerGeneration()
        for index in pairs.indices {
            pairs[index].check = nil
            if pairs[index].state != .succeeded { pairs[index].state = .failed }
            (pairs[index].isValidated, pairs[index].isNominated) = (false, false)
        }
        (triggered, responses) = ([], [])
        (nominatingID, nominationDeadline, connectDeadline, isRecovering) = (nil, nil, nil, false)
        setState(.failed)
    }
}
