import RillCore

// Silence and failure (RFC 7675, RFC 8863).
extension ICEAgentCore {
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
