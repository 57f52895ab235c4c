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
}
