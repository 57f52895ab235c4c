import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Connections whose transport ends with its section, and offers that restart ICE and are taken back.
struct MovedTransportTests {
    private static let sections = [TransceiverSettings(.video), TransceiverSettings(.video)]

    private func pair(_ link: LinkSettings = .clean) throws -> PeerPair {
        // Those of the answerer wait for the sections of the offer.
        let pair = try PeerPair(Self.sections, Self.sections, link: link)
        try pair.negotiate()
        #expect(pair.connect())
        film(pair)
        pair.run(.seconds(1))
        return pair
    }

    private func film(_ pair: PeerPair) {
        for end in [pair.offerer, pair.answerer] { end.film(from: pair.network.now) }
    }

    private func stop(_ end: PeerEnd, at position: Int = 0) throws {
        let id = end.peer.negotiator.transceivers[position].id
        try end.peer.change { (negotiator) throws(NegotiationError) in try negotiator.stop(id) }
    }

    /// Whether frames of all streams go on in both directions.
    private func flows(_ pair: PeerPair, within duration: MediaDuration = .seconds(3)) -> Bool {
        let ends = [pair.offerer, pair.answerer]
        let before = ends.map { $0.decoded.mapValues(\.count) }
        pair.network.run(until: pair.network.now + duration) {
            zip(ends, before).allSatisfy { end, before in
                let active = end.peer.receivingStreams.filter(\.isActive)
                return !active.isEmpty
                    && active.allSatisfy { end.decoded[$0.id]?.count ?? 0 > (before[$0.id] ?? 0) + 3 }
            }
        }
        return zip(ends, before).allSatisfy { end, before in
            let active = end.peer.receivingStreams.filter(\.isActive)
            return !active.isEmpty && active.allSatisfy { end.decoded[$0.id]?.count ?? 0 > (before[$0.id] ?? 0) + 3 }
        }
    }

    @Test(arguments: [true, false]) func `media goes on when the first section stops`(isOfferers: Bool) throws {
        let pair = try pair(LinkSettings(notation: "delay=10ms,loss=2%"))
        #expect(flows(pair))
        let former = pair.offerer.peer.dtls?.srtpKeys?.sending
        let ends = isOfferers ? (pair.offerer, pair.answerer) : (pair.answerer, pair.offerer)
        try stop(ends.0)
        if isOfferers { try pair.negotiate() } else { try pair.negotiateBack() }
        #expect(ends.0.peer.sendingStreams.count == 1 && ends.1.peer.receivingStreams.count == 1)
        // Nothing is lost meanwhile: the former association is used until there is another one.
        #expect(pair.isConnected)
        #expect(flows(pair) && pair.isConnected)
        let keys = try existing(pair.offerer.peer.dtls?.srtpKeys?.sending)
        #expect(keys != former && pair.answerer.peer.dtls?.srtpKeys?.receiving == keys)
        for end in [pair.offerer, pair.answerer] {
            #expect(end.failure == nil && end.states == [.connecting, .connected], "\(end.states)")
        }
        // Another section joins it.
        try pair.offerer.peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video)) }
        try pair.answerer.peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video)) }
        try pair.negotiate()
        film(pair)
        #expect(pair.offerer.peer.sendingStreams.count == 2 && flows(pair))
        #expect(pair.offerer.peer.dtls?.srtpKeys?.sending == keys, "the transport stayed")
    }

    @Test func `a transport that the peer ends before its answer arrives is not the end of the connection`() throws {
        let pair = try pair()
        try stop(pair.offerer)
        let now = pair.network.now
        let offer = try pair.offerer.peer.offer(at: now).text
        // Browsers close DTLS when they set their answer. It is a close of the same association here.
        let keys = pair.offerer.peer.dtls
        pair.answerer.peer.dtls?.close(at: now)
        pair.run(.milliseconds(200))
        #expect(keys?.state == .closed && pair.offerer.peer.state == .connecting, "\(pair.offerer.peer.state)")
        let answer = try pair.answerer.peer.answer(offer, at: pair.network.now).text
        try pair.offerer.peer.setRemote(.answer, answer, at: pair.network.now)
        #expect(flows(pair) && pair.isConnected)
    }

    @Test func `a peer that closes ends the connection, if its section goes on`() throws {
        let pair = try pair()
        try stop(pair.offerer, at: 1)
        _ = try pair.offerer.peer.offer(at: pair.network.now)
        pair.answerer.peer.close(at: pair.network.now)
        pair.run(.milliseconds(200))
        #expect(pair.offerer.peer.state == .closed)
    }

    @Test func `after all sections stopped, another one connects again`() throws {
        let pair = try pair()
        for position in [0, 1] { try stop(pair.offerer, at: position) }
        try pair.negotiate()
        pair.answerer.peer.dtls?.close(at: pair.network.now)
        // Longer than consent lasts.
        pair.run(.seconds(60))
        #expect(pair.offerer.peer.state == .new && pair.offerer.failure == nil, "\(pair.offerer.states)")
        for end in [pair.offerer, pair.answerer] {
            try end.peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video)) }
        }
        try pair.negotiate()
        film(pair)
        #expect(flows(pair, within: .seconds(5)) && pair.isConnected, "\(pair.offerer.states) \(pair.answerer.states)")
    }

    @Test(arguments: [false, true]) func `an offer that restarted ICE is taken back for another offer`(
        bothRestart: Bool
    ) throws {
        let pair = try pair()
        let (before, remote) = (pair.offerer.peer.agent.credentials, pair.offerer.peer.agent.remoteCredentials)
        // The offerer is the polite one.
        _ = try pair.offerer.peer.offer(restartsICE: true, at: pair.network.now)
        #expect(pair.offerer.peer.agent.credentials != before)
        pair.run(.milliseconds(300))
        let offer = try pair.answerer.peer.offer(restartsICE: bothRestart, at: pair.network.now).text
        let answer = try pair.offerer.peer.answer(offer, at: pair.network.now)
        try pair.answerer.peer.setRemote(.answer, answer.text, at: pair.network.now)
        // An answer has new credentials exactly if its offer has (RFC 8839 §4.4.3.2).
        #expect((pair.offerer.peer.agent.credentials != before) == bothRestart)
        #expect((pair.offerer.peer.agent.remoteCredentials != remote) == bothRestart)
        #expect(
            answer.lines("a=ice-ufrag").allSatisfy { $0.contains(pair.offerer.peer.agent.credentials.usernameFragment) }
        )
        #expect(flows(pair))
        // Longer than consent lasts: it is given with the right credentials.
        pair.run(.seconds(40))
        #expect(pair.isConnected && pair.offerer.failure == nil && pair.answerer.failure == nil)
        #expect(flows(pair))
    }

    @Test func `their offer that moved the transport is taken back, and nothing has changed`() throws {
        let pair = try pair()
        let (credentials, dtls) = (pair.offerer.peer.agent.credentials, pair.offerer.peer.dtls)
        try stop(pair.answerer)
        let offer = try pair.answerer.peer.offer(at: pair.network.now).text
        try pair.offerer.peer.setRemote(.offer, offer, at: pair.network.now)
        #expect(pair.offerer.peer.dtls !== dtls)
        try pair.offerer.peer.setRemote(.rollback, at: pair.network.now)
        try pair.answerer.peer.rollback(at: pair.network.now)
        #expect(pair.offerer.peer.agent.credentials == credentials && pair.offerer.peer.dtls === dtls)
        #expect(flows(pair))
        pair.run(.seconds(40))
        #expect(pair.isConnected && flows(pair))
    }

    @Test func `a peer whose transport stays goes on with its association`() throws {
        let pair = try pair()
        let dtls = pair.answerer.peer.dtls
        // The group is in another order, and nothing else has changed there.
        let offer = try pair.offerer.peer.offer(at: pair.network.now).text
        let other = offer.replacing("BUNDLE 0 1", with: "BUNDLE 1 0")
        let answer = try pair.answerer.peer.answer(other, at: pair.network.now).text
        try pair.offerer.peer.setRemote(.answer, answer, at: pair.network.now)
        #expect(pair.answerer.peer.dtls !== dtls && flows(pair))
        // Longer than a handshake may take.
        pair.run(.seconds(40))
        #expect(pair.answerer.peer.dtls === dtls && pair.isConnected && flows(pair))
        #expect(pair.offerer.failure == nil && pair.answerer.failure == nil)
    }

    @Test func `an offer in the wrong state restarts nothing`() throws {
        let pair = try pair()
        let credentials = pair.offerer.peer.agent.credentials
        try pair.offerer.peer.setRemote(
            .offer, pair.answerer.peer.offer(at: pair.network.now).text, at: pair.network.now)
        #expect(throws: PeerError.negotiation(.cannotMake(.offer, in: .haveRemoteOffer))) {
            try pair.offerer.peer.offer(restartsICE: true, at: pair.network.now)
        }
        #expect(pair.offerer.peer.agent.credentials == credentials)
    }
}
