import RillCore

extension ICEAgentCore {
    mutating func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEAction {
        let action = isStalled ? .wait(until: now) : nextAction(at: now, into: &bytes)
        guard case .wait(until: let time) = action else {
            wakeBound.reset()
            return action
        }
        if let later = wakeBound.wait(until: time, after: now) { return .wait(until: later) }
        guard !hasEnded else { return .wait(until: .distantFuture) }
        hasEnded = true
        setState(.failed)
        return .event(.internalError(pollsWithoutProgress: wakeBound.count))
    }

    private mutating func nextAction(at now: MediaTime, into bytes: inout [UInt8]) -> ICEAction {
        updateState(at: now)
        if !events.isEmpty { return .event(events.removeFirst()) }
        while !responses.isEmpty {
            let response = responses.removeFirst()
            write(into: &bytes) { output in write(response, into: &output) }
            // Of a path without a pair, a response is smaller than its request allows.
            let index = index(of: response.path, in: response.generation)
            guard index.map({ spend(bytes.count, on: $0) }) ?? true else { continue }
            return .transmit(on: response.path)
        }
        while let request = nextRequest(at: now) {
            write(into: &bytes) { output in
                writeRequest(of: request.index, request.id, isNomination: request.isNomination, into: &output)
            }
            // Without it, the check goes on as if the datagram were lost.
            guard spend(bytes.count, on: request.index) else { continue }
            return .transmit(on: pairs[request.index].path)
        }
        // A check may just have failed for good.
        updateState(at: now)
        if !events.isEmpty { return .event(events.removeFirst()) }
        return .wait(until: wakeTime)
    }

    var wakeTime: MediaTime {
        mutating get {
            if !events.isEmpty || !responses.isEmpty { return MediaTime(nanoseconds: .min) }
            guard state != .failed else { return .distantFuture }
            var time = MediaTime.distantFuture
            if selectedID != nil {
                let limit = state == .disconnected ? settings.consentTimeout : settings.disconnectedTimeout
                time = min(consent.lastConfirmed + limit, consent.nextRequest)
            } else if let connectDeadline, hasNothingToTry {
                time = connectDeadline
            }
            if let nominationDeadline { time = min(time, nominationDeadline) }
            for index in pairs.indices { if let check = pairs[index].check { time = min(time, check.deadline) } }
            return min(time, nextCheckStart)
        }
    }

    // MARK: Addresses that have not answered

    /// Takes the bytes of a datagram from what may be sent to a pair's address.
    ///
    /// - Returns: whether it may be sent.
    mutating func spend(_ byteCount: Int, on index: Int) -> Bool {
        if pairs[index].isValidated || pairs[index].budget.spend(byteCount) { return true }
        if pairs[index].remote.kind != .peerReflexive, announcedBudget.spend(byteCount) { return true }
        counts.datagramsWithheld += 1
        return false
    }

    mutating func spend(_ byteCount: Int, on path: ICEPath) -> Bool {
        index(of: path, in: generation).map { spend(byteCount, on: $0) } ?? false
    }

    /// The address from which an authentic request came last, while none has answered a check yet.
    var heardPath: ICEPath? {
        guard selectedID == nil, state == .checking else { return nil }
        let heard = pairs.indices.filter { isCurrent($0) && pairs[$0].isHeard }
        return heard.max { pairs[$0].lastHeard < pairs[$1].lastHeard }.map { pairs[$0].path }
    }

    // MARK: Writing

    private func write(into bytes: inout [UInt8], _ body: (inout OutputSpan<UInt8>) -> Void) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(addingCapacity: STUNMessageWriter.maximumICEByteCount) { output in body(&output) }
    }

    /// RFC 8445 §7.3: a response has the integrity of the request's receiver.
    @_lifetime(output: copy output)
    private func write(_ response: ICEResponse, into output: inout OutputSpan<UInt8>) {
        let writer = STUNMessageWriter(
            response.error == nil ? .bindingSuccess : .bindingError, response.id, into: &output)
        if let error = response.error {
            writer.append(.errorCode(error), into: &output)
            if !response.unknown.isEmpty { writer.append(.unknownAttributes(response.unknown), into: &output) }
        } else {
            writer.append(.mappedAddress(response.path.remote), into: &output)
        }
        writer.finish(response.generation.localKey, response.algorithm, into: &output)
    }

    /// RFC 8445 §7.1.
    @_lifetime(output: copy output)
    private func writeRequest(
        of index: Int, _ id: STUNTransactionID, isNomination: Bool, into output: inout OutputSpan<UInt8>
    ) {
        let pair = pairs[index]
        let writer = STUNMessageWriter(.bindingRequest, id, into: &output)
        writer.append(.username(pair.generation.outgoingUsername), into: &output)
        // §7.1.1: the priority of the peer-reflexive candidate that the other side may discover.
        let preference = pair.local.localPreference
        writer.append(.priority(ICECandidate.priority(.peerReflexive, localPreference: preference)), into: &output)
        writer.append(
            role == .controlling ? .iceControlling(tiebreaker) : .iceControlled(tiebreaker), into: &output)
        if isNomination { writer.append(.useCandidate, into: &output) }
        // The side that offers sends the first check. Padded like that, it lets the other side begin the handshake at
        // once (see ``ICEPathBudget``).
        if role == .controlling { writer.append(.other(.software, Array("Rill".utf8)), into: &output) }
        writer.finish(pair.generation.remoteKey, into: &output)
    }
}
