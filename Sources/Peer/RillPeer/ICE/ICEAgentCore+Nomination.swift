import RillCore

// Which pair is used (RFC 8445 §8.1).
extension ICEAgentCore {
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
}
