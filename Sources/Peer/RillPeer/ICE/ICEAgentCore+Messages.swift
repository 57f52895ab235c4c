import RillCore

extension ICEAgentCore {
    mutating func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard STUNMessage.matches(datagram) else { return insertData(datagram.count, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch { return .dropped(.malformed(error)) }
    }

    /// Takes a datagram that is not STUN.
    mutating func insertData(_ byteCount: Int, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard state != .failed, let index = validatedIndex(path) else {
            if state != .failed, let index = index(of: path, in: generation), pairs[index].isHeard { return .early }
            counts.datagramsUnvalidated += 1
            return .dropped(.unvalidatedAddress)
        }
        countData(byteCount, of: index, at: now)
        return .data
    }

    private mutating func countData(_ byteCount: Int, of index: Int, at now: MediaTime) {
        pairs[index].counts.packetsReceived += 1
        pairs[index].counts.bytesReceived += byteCount
        pairs[index].counts.lastPacketReceivedTime = now
    }

    mutating func countData(_ byteCount: Int, on path: ICEPath, at now: MediaTime) {
        if let index = validatedIndex(path) { countData(byteCount, of: index, at: now) }
    }

    /// Whether data is taken from an address.
    mutating func isValidated(_ path: ICEPath) -> Bool { state != .failed && validatedIndex(path) != nil }

    /// Takes a message that was parsed already.
    mutating func insert(_ message: borrowing STUNMessage, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard message.type.method == STUNMessageType.binding else {
            return .dropped(.unsupportedMethod(message.type.method))
        }
        guard state != .failed else { return .dropped(.failed) }
        guard local(of: path) != nil else { return .dropped(.unknownSocket(path.socket)) }
        switch message.type.messageClass {
        case .request: return insertRequest(message, on: path, at: now)
        case .indication: return .keepalive
        case .success, .error: return insertResponse(message, on: path, at: now)
        }
    }
}

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

        // From here on, it is the peer's. But somebody else may have sent a copy of it.
        let known = index(of: path, in: generation)
        if let known { pairs[known].budget.receive(request.bytes.count) }
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

        guard generation === self.generation else {
            // A consent check of the former generation: it is answered, and not followed.
            respond(nil)
            if let known { pairs[known].counts.requestsReceived += 1 }
            return .answered(nominates: false)
        }
        let isNew: Bool
        switch history.find(request.transactionID) {
        case .new: isNew = true
        case .known(pair: let id, isFollowed: let isFollowed):
            let original = self.index(of: id)
            isNew = original.map { pairs[$0].path } != path
            // The first to arrive may be the copy, as long as its address has not answered.
            let mayBeOriginal = original.map { !pairs[$0].isValidated && !isFollowed } ?? false
            guard !isNew || mayBeOriginal else {
                counts.requestsReplayed += 1
                return .dropped(.replayed)
            }
            if isNew { history.follow(request.transactionID) }
        }
        guard let index = learn(path, priority: priority) else {
            return .dropped(.tooManyPairs(limit: settings.maximumReflexiveCount))
        }
        if known == nil { pairs[index].budget.receive(request.bytes.count) }
        respond(nil)
        record(request, of: index, isNew: isNew, at: now)
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

    /// Compares roles, and changes this side's if the tiebreakers say so (RFC 8445 §7.3.1.1). Returns whether the
    /// request is accepted.
    private mutating func isRoleAccepted(_ request: borrowing STUNMessage, at now: MediaTime) -> Bool {
        switch role {
        case .controlling:
            guard let theirs = request.iceControlling else { return true }
            guard tiebreaker < theirs, !isRemoteLite else { return false }
            changeRole(to: .controlled, at: now)
        case .controlled:
            guard let theirs = request.iceControlled else { return true }
            guard tiebreaker >= theirs else { return false }
            changeRole(to: .controlling, at: now)
        }
        return true
    }

    mutating func changeRole(to new: ICERole, at now: MediaTime) {
        setRole(new)
        events.append(.roleChanged(to: new))
        nominateBest(at: now)
    }

    /// Takes an authentic request on a pair. `isNew`: it is not a retransmission.
    private mutating func record(_ request: borrowing STUNMessage, of index: Int, isNew: Bool, at now: MediaTime) {
        begin(at: now)
        if isNew { history.insert(request.transactionID, on: pairs[index].id) }
        pairs[index].counts.requestsReceived += 1
        (pairs[index].isHeard, pairs[index].lastHeard) = (true, now)
        let id = pairs[index].id
        if isNew, request.usesCandidate, role == .controlled { recordNomination(of: index, at: now) }
        // With a nomination, the pairs of the former generation go.
        if let index = self.index(of: id) { trigger(index, at: now) }
    }

    /// RFC 8445 §7.3.1.5: a nominated pair is used once a check of ours is answered. If another one is in use, that
    /// check is a new one: the nomination may be a copy of an old one.
    private mutating func recordNomination(of index: Int, at now: MediaTime) {
        guard pairs[index].id != selectedID else { return nominate(index, at: now) }
        pairs[index].isNominatedByPeer = true
        if pairs[index].state == .succeeded { pairs[index].state = .waiting }
    }

    /// RFC 8445 §7.3.1.4: a check from the other side is a reason to check the same pair now.
    private mutating func trigger(_ index: Int, at now: MediaTime) {
        switch pairs[index].state {
        case .succeeded: return
        case .inProgress:
            // The same check goes on: a new one for each of the other side's would outrun its answers.
            guard let check = pairs[index].check, check.transmissionCount < settings.maximumTransmissionCount,
                now - check.lastTime >= settings.checkInterval
            else { return }
            pairs[index].check?.hasten(at: now)
            return
        case .failed: pairs[index].state = .waiting
        case .waiting, .frozen: break
        }
        if !triggered.contains(pairs[index].id) { triggered.append(pairs[index].id) }
    }

    // Responses to our requests: checks (RFC 8445 §7.2.5) and consent checks (RFC 7675 §5.1).

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
