import RillCore

extension ICEAgentCore {
    mutating func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ICEAction {
        updateState(at: now)
        if !events.isEmpty { return .event(events.removeFirst()) }
        if !responses.isEmpty {
            let response = responses.removeFirst()
            write(into: &bytes) { output in write(response, into: &output) }
            return .transmit(on: response.path)
        }
        if let request = nextRequest(at: now) {
            write(into: &bytes) { output in
                writeRequest(of: request.index, request.id, isNomination: request.isNomination, into: &output)
            }
            return .transmit(on: pairs[request.index].path)
        }
        // A check may just have failed for good.
        updateState(at: now)
        if !events.isEmpty { return .event(events.removeFirst()) }
        return .wait(until: wakeTime)
    }

    var wakeTime: MediaTime {
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
        for pair in pairs { if let check = pair.check { time = min(time, check.deadline) } }
        return hasWork ? min(time, nextCheckTime) : time
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
        writer.finish(pair.generation.remoteKey, into: &output)
    }
}
