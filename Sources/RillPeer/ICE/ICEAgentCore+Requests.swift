import RillCore

/// A response that waits to be written.
struct ICEResponse {
    let path: ICEPath
    let id: STUNTransactionID
    let generation: ICEGeneration
    let algorithm: STUNIntegrityAlgorithm
    /// `nil` for success.
    let error: STUNErrorCode?
    /// The attributes that an error of code 420 is about.
    let unknown: [STUNAttributeType]
}

// Requests of the other side: checks and consent checks (RFC 8445 §7.3).
extension ICEAgentCore {
    mutating func insertRequest(_ request: borrowing STUNMessage, on path: ICEPath, at now: MediaTime)
        -> ICEInsertResult
    {
        guard let name = request.username, let algorithm = request.integrityAlgorithm else {
            return .dropped(.unauthenticated)
        }
        guard let generation = generation(named: name) else { return .dropped(.wrongUsername) }
        guard request.hasValidFingerprint != false else { return .dropped(.wrongFingerprint) }
        guard request.hasIntegrity(of: generation.localKey) else { return .dropped(.wrongIntegrity) }

        // From here on, it is from the peer.
        func respond(_ error: STUNErrorCode?, unknown: [STUNAttributeType] = []) {
            queue(
                ICEResponse(
                    path: path, id: request.transactionID, generation: generation, algorithm: algorithm, error: error,
                    unknown: unknown))
        }
        func refuse(_ error: STUNErrorCode, unknown: [STUNAttributeType] = []) -> ICEInsertResult {
            respond(error, unknown: unknown)
            return .refused(error)
        }
        if request.unknownRequiredCount > 0 {
            return refuse(.unknownAttribute, unknown: request.unknownRequired(limit: ICEAgentCore.maximumReportedCount))
        }
        guard let priority = request.priority else { return refuse(.badRequest) }
        guard isRoleAccepted(request, at: now) else { return refuse(.roleConflict) }

        let found = generation === self.generation ? learn(path, priority: priority, at: now) : nil
        guard let index = found ?? index(of: path, in: generation) else {
            guard generation !== self.generation else {
                return .dropped(.tooManyPairs(limit: settings.maximumReflexiveCount))
            }
            // A consent check of the former generation from a new address: it is answered, not followed.
            respond(nil)
            return .answered(nominates: false)
        }
        respond(nil)
        note(request, of: index, at: now)
        return .answered(nominates: request.usesCandidate)
    }

    /// The attributes that UNKNOWN-ATTRIBUTES lists at most.
    private static let maximumReportedCount = 8
    /// The responses that wait for a poll at most. Polled after each insertion, there is never more than one.
    private static let maximumResponseCount = 32

    private mutating func queue(_ response: ICEResponse) {
        if responses.count >= ICEAgentCore.maximumResponseCount { responses.removeFirst() }
        responses.append(response)
        if let index = index(of: response.path, in: response.generation) { pairs[index].counts.responsesSent += 1 }
    }

    private func generation(named name: Span<UInt8>) -> ICEGeneration? {
        if generation.isUsername(name) { return generation }
        if let formerGeneration, formerGeneration.isUsername(name) { return formerGeneration }
        return nil
    }

    /// Compares roles, and changes this side's if the tiebreakers say so (RFC 8445 §7.3.1.1). Returns whether the request
    /// is accepted.
    ///
    /// A lite agent never gives way: it sends no checks, so it could not nominate.
    private mutating func isRoleAccepted(_ request: borrowing STUNMessage, at now: MediaTime) -> Bool {
        switch role {
        case .controlling:
            guard let theirs = request.iceControlling else { return true }
            guard tiebreaker < theirs, !isRemoteLite else { return false }
            changeRole(to: .controlled, at: now)
        case .controlled:
            guard let theirs = request.iceControlled else { return true }
            guard tiebreaker >= theirs, !isLite else { return false }
            changeRole(to: .controlling, at: now)
        }
        return true
    }

    mutating func changeRole(to new: ICERole, at now: MediaTime) {
        setRole(new)
        events.append(.roleChanged(to: new))
        nominateBest(at: now)
    }

    private mutating func note(_ request: borrowing STUNMessage, of index: Int, at now: MediaTime) {
        begin(at: now)
        pairs[index].counts.requestsReceived += 1
        pairs[index].isValidated = true
        pairs[index].lastHeard = now
        let isRepeated = pairs[index].lastRequest == request.transactionID
        pairs[index].lastRequest = request.transactionID
        let nominates = request.usesCandidate && role == .controlled && !isRepeated
        if isLite {
            // RFC 8445 §7.3.2. What the other side sends on any path shows that it is there.
            pairs[index].state = .succeeded
            if selectedID == nil { select(index, at: now) }
            if nominates && isCurrent(index) { nominate(index, at: now) }
            confirmConsent(at: now)
        } else if isCurrent(index) {
            let id = pairs[index].id
            if nominates { noteNomination(of: index, at: now) }
            // With a nomination, the pairs of the former generation go.
            if let index = self.index(of: id) { trigger(index) }
        }
    }

    /// RFC 8445 §7.3.1.5.
    private mutating func noteNomination(of index: Int, at now: MediaTime) {
        if pairs[index].state == .succeeded {
            nominate(index, at: now)
        } else {
            pairs[index].isNominatedByPeer = true
        }
    }

    /// RFC 8445 §7.3.1.4: a check from the other side is a reason to check the same pair now.
    private mutating func trigger(_ index: Int) {
        switch pairs[index].state {
        case .succeeded: return
        case .failed: pairs[index].state = .waiting
        case .inProgress, .waiting, .frozen: break
        }
        if !triggered.contains(pairs[index].id) { triggered.append(pairs[index].id) }
    }
}
