import RillPeer
import RillRTP
import RillTestSupport
import Testing

/// Which description may be set when, and what a rollback takes back.
@Suite struct NegotiationStateTests {
    /// An end in a state, with an offer and an answer of the other side's that fit.
    private func end(in state: SignalingState) throws -> NegotiationEnd {
        var (end, peer) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try end.add()
        try peer.add()
        switch state {
        case .stable: break
        case .haveLocalOffer: _ = try end.offer()
        case .haveRemoteOffer: _ = try end.negotiator.setRemote(.offer, peer.offer())
        case .haveLocalProvisionalAnswer:
            _ = try end.negotiator.setRemote(.offer, peer.offer())
            _ = try end.negotiator.setLocal(.provisionalAnswer, end.negotiator.makeAnswer(end.transport))
        case .haveRemoteProvisionalAnswer:
            let answer = try peer.answer(end.offer()).description
            _ = try end.negotiator.setRemote(.provisionalAnswer, answer)
        case .closed: end.negotiator.close()
        }
        #expect(end.negotiator.signalingState == state)
        return end
    }

    /// The state that follows (RFC 9429 §3.2); `nil` for an error.
    private func next(_ state: SignalingState, _ kind: DescriptionKind, _ side: DescriptionSide) -> SignalingState? {
        switch (side, kind, state) {
        case (.local, .offer, .stable), (.local, .offer, .haveLocalOffer): .haveLocalOffer
        // Our offer is rolled back.
        case (.remote, .offer, .stable), (.remote, .offer, .haveRemoteOffer), (.remote, .offer, .haveLocalOffer):
            .haveRemoteOffer
        case (.local, .answer, .haveRemoteOffer), (.local, .answer, .haveLocalProvisionalAnswer): .stable
        case (.remote, .answer, .haveLocalOffer), (.remote, .answer, .haveRemoteProvisionalAnswer): .stable
        case (.local, .provisionalAnswer, .haveRemoteOffer),
            (.local, .provisionalAnswer, .haveLocalProvisionalAnswer):
            .haveLocalProvisionalAnswer
        case (.remote, .provisionalAnswer, .haveLocalOffer),
            (.remote, .provisionalAnswer, .haveRemoteProvisionalAnswer):
            .haveRemoteProvisionalAnswer
        case (.local, .rollback, .haveLocalOffer), (.remote, .rollback, .haveRemoteOffer): .stable
        default: nil
        }
    }

    @Test(arguments: SignalingState.allCases, DescriptionKind.allCases)
    func `Each state takes the descriptions that it should`(state: SignalingState, kind: DescriptionKind) throws {
        for side in [DescriptionSide.local, .remote] {
            var end = try end(in: state)
            var peer = try NegotiationEnd(seed: 3)
            try peer.add()
            let expected: NegotiationError? =
                next(state, kind, side) != nil
                ? nil : state == .closed ? .closed : .wrongState(state, kind, side)
            do throws(NegotiationError) {
                if side == .remote {
                    let description = try theirs(kind, state, &end, &peer)
                    _ = try end.negotiator.setRemote(kind, text: description.text)
                } else {
                    _ = try end.negotiator.setLocal(kind, ours(kind, &end))
                }
                #expect(end.negotiator.signalingState == next(state, kind, side), "\(state) \(side) \(kind)")
            } catch {
                #expect(
                    error == expected && end.negotiator.signalingState == state, "\(state) \(side) \(kind): \(error)")
            }
            if let expected { #expect("\(expected)".contains(state == .closed ? "closed" : state.rawValue)) }
        }
    }

    private func ours(_ kind: DescriptionKind, _ end: inout NegotiationEnd) throws(NegotiationError)
        -> SessionDescription
    {
        switch kind {
        case .offer: (try? end.negotiator.makeOffer(end.transport)) ?? SessionDescription()
        case .answer, .provisionalAnswer: (try? end.negotiator.makeAnswer(end.transport)) ?? SessionDescription()
        case .rollback: SessionDescription()
        }
    }

    private func theirs(
        _ kind: DescriptionKind, _ state: SignalingState, _ end: inout NegotiationEnd, _ peer: inout NegotiationEnd
    ) throws(NegotiationError) -> SessionDescription {
        if kind == .answer || kind == .provisionalAnswer, let offer = end.negotiator.pendingLocalDescription,
            let answer = try? peer.answer(offer).description
        {
            return answer
        }
        return try peer.negotiator.makeOffer(peer.transport)
    }

    @Test func `Only the description that was made last can be set`() throws {
        var end = try NegotiationEnd()
        try end.add()
        let first = try end.negotiator.makeOffer(end.transport)
        try end.add(.audio)
        let second = try end.negotiator.makeOffer(end.transport)
        #expect(throws: NegotiationError.notLastMade(.offer)) { try end.negotiator.setLocal(.offer, first) }
        var changed = second
        changed.media[0].direction = .inactive
        #expect(throws: NegotiationError.notLastMade(.offer)) { try end.negotiator.setLocal(.offer, changed) }
        #expect(throws: NegotiationError.cannotMake(.answer, in: .stable)) {
            try end.negotiator.makeAnswer(end.transport)
        }
        _ = try end.negotiator.setLocal(.offer, second)
        #expect(end.negotiator.pendingLocalDescription == second && end.negotiator.currentLocalDescription == nil)
        #expect(first.origin.version + 1 == second.origin.version)
    }

    @Test func `An answer may be provisional first`() throws {
        var (end, peer) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try end.add()
        let offer = try end.offer()
        _ = try peer.negotiator.setRemote(.offer, offer)
        let early = try peer.negotiator.makeAnswer(peer.transport)
        let outcome = try peer.negotiator.setLocal(.provisionalAnswer, early)
        #expect(outcome.sections?.count == 1 && peer.negotiator.currentLocalDescription == nil)
        #expect(try end.negotiator.setRemote(.provisionalAnswer, early).remote?.role == .server)
        let answer = try peer.negotiator.makeAnswer(peer.transport)
        let final = try peer.negotiator.setLocal(.answer, answer)
        #expect(final.sections == nil, "nothing changed")
        let last = try end.negotiator.setRemote(.answer, answer)
        #expect(last.sections == nil && last.remote == nil)
        #expect(end.negotiator.signalingState == .stable && peer.negotiator.signalingState == .stable)
    }
}

/// Offers that are taken back.
@Suite struct NegotiationRollbackTests {
    @Test func `A rollback of our offer takes the sections of new transceivers away`() throws {
        var end = try NegotiationEnd()
        let id = try end.add()
        let before = end.negotiator.transceivers
        _ = try end.offer()
        #expect(try end.transceiver(id).mid == "0")
        let late = try end.add(.audio)
        let outcome = try end.negotiator.setLocal(.rollback)
        #expect(outcome.rolledBack && outcome.removedTransceivers.isEmpty && outcome.sections == nil)
        #expect(end.negotiator.transceivers.prefix(1) == before[...] && end.negotiator.transceivers.count == 2)
        #expect(try end.transceiver(late).mid == nil && end.negotiator.localDescription == nil)
        #expect(end.negotiator.isNegotiationNeeded)
        #expect(try end.offer().media.map(\.mid) == ["0", "1"])
    }

    @Test func `A rollback of their offer removes what it created and frees what it took`() throws {
        var (end, peer) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        let waiting = try end.add(.video, .sendOnly, layers: ["h", "l"])
        let before = end.negotiator.transceivers
        try peer.add(.audio)
        try peer.add(.video, .receiveOnly, receiving: ["x", "y"])
        let outcome = try end.negotiator.setRemote(.offer, text: peer.offer().text)
        #expect(outcome.addedTransceivers.count == 1)
        #expect(try end.transceiver(waiting).mid == "1")
        #expect(try end.transceiver(waiting).sending.map(\.rid) == ["x", "y"], "renamed as the offer names them")
        let rollback = try end.negotiator.setRemote(.rollback)
        #expect(rollback.removedTransceivers == outcome.addedTransceivers)
        #expect(end.negotiator.transceivers == before)
        #expect(end.negotiator.remoteDescription == nil && end.negotiator.remoteTransport == nil)
    }

    @Test func `A rollback of a restart brings the old credentials back`() throws {
        var (end, peer) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        try peer.add()
        try exchange(from: &peer, to: &end)
        let stable = try existing(end.negotiator.remoteTransport)
        let sections = end.negotiator.sections
        try peer.restart(seed: 77)
        #expect(try end.negotiator.setRemote(.offer, peer.offer()).restartsICE)
        let outcome = try end.negotiator.setRemote(.rollback)
        #expect(outcome.remote == stable && outcome.restartsICE && end.negotiator.sections == sections)
    }

    @Test func `When both offer, one takes its offer back and answers`() throws {
        var (polite, other) = (try NegotiationEnd(seed: 1), try NegotiationEnd(seed: 2))
        let mine = try polite.add(.video, .sendAndReceive)
        try other.add(.video, .sendAndReceive)
        _ = try polite.offer()
        let offer = try other.offer()
        let (answer, offered, _) = try polite.answer(offer)
        #expect(offered.rolledBack && offered.addedTransceivers.isEmpty)
        #expect(try polite.transceiver(mine).currentDirection == .sendAndReceive)
        _ = try other.negotiator.setRemote(.answer, answer)
        #expect(!polite.negotiator.isNegotiationNeeded && !other.negotiator.isNegotiationNeeded)
    }

    @Test func `An offer that is an error takes nothing back`() throws {
        var end = try NegotiationEnd()
        try end.add()
        let offer = try end.offer()
        #expect(throws: NegotiationError.self) { try end.negotiator.setRemote(.offer, text: "v=0\r\nm=video\r\n") }
        #expect(end.negotiator.signalingState == .haveLocalOffer && end.negotiator.pendingLocalDescription == offer)
    }
}
