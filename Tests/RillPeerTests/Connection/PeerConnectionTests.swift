import Foundation
import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillTestSupport
import Testing

/// Two connections in virtual time: media both ways, loss, changes of the path, and the end.
struct PeerConnectionTests {
    static let layers = [SendingEncoding(rid: "h"), SendingEncoding(rid: "l")]

    /// A video section with a simulcast in both directions. A name belongs to one direction (RFC 8851 §10).
    static var simulcast: TransceiverSettings {
        var settings = TransceiverSettings(.video, .sendAndReceive)
        (settings.sending, settings.receivedRIDs) = (layers, ["x", "y"])
        return settings
    }

    /// What the other side has for that.
    static var answering: TransceiverSettings {
        var settings = TransceiverSettings(.video, .sendAndReceive)
        settings.sending = [SendingEncoding(rid: "x"), SendingEncoding(rid: "y")]
        return settings
    }

    @Test func `simulcast goes both ways`() throws {
        let pair = try PeerPair([Self.simulcast], [Self.answering])
        try pair.negotiate()
        #expect(pair.connect())
        for end in [pair.offerer, pair.answerer] {
            let isOfferer = end === pair.offerer
            #expect(end.peer.sendingStreams.map(\.description.rid) == (isOfferer ? ["h", "l"] : ["x", "y"]))
            #expect(end.peer.receivingStreams.map(\.description.rid) == (isOfferer ? ["x", "y"] : ["h", "l"]))
            end.film(from: pair.network.now)
        }
        pair.run(.seconds(5))
        for end in [pair.offerer, pair.answerer] {
            let counts = end.peer.receivingStreams.map { end.decoded[$0.id]?.count ?? 0 }
            #expect(counts[0] > 145 && counts[1] >= 24, "\(counts)")
            // One when the connection was there, and none for the sake of the other layer.
            #expect(end.peer.sendingStreams.allSatisfy { end.keyFrameRequests[$0.id] ?? 0 <= 1 })
            #expect(end.failure == nil && end.states == [.connecting, .connected], "\(end.states)")
            #expect(end.peer.session?.statistics.transport.packetsOfUnknownSources == 0)
        }
    }

    @Test func `a layer is asked for its own key frame`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.connect()
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(2))
        let low = pair.answerer.peer.receivingStreams[1].id
        let before = pair.offerer.keyFrameRequests
        let session = try existing(pair.answerer.peer.session)
        session.setWanted(false, of: low, at: pair.network.now)
        pair.run(.seconds(1))
        session.setWanted(true, of: low, at: pair.network.now)
        pair.run(.seconds(2))
        let sent = pair.offerer.peer.sendingStreams.map(\.id)
        #expect(pair.offerer.keyFrameRequests[sent[0]] == before[sent[0]])
        #expect(pair.offerer.keyFrameRequests[sent[1]] ?? 0 == (before[sent[1]] ?? 0) + 1)
    }

    @Test func `time from the answer to the connection is at most three round trips and 60 ms`() throws {
        var times: [MediaDuration] = []
        for seed in UInt64(1)...20 {
            let pair = try PeerPair([Self.simulcast], link: LinkSettings(notation: "delay=10ms"), seed: seed)
            try pair.negotiate()
            #expect(pair.connect(within: .seconds(2)))
            times.append(pair.network.now - MediaTime.zero)
        }
        note("connected after \(times.sorted()[10]) (median)")
        #expect(times.sorted()[10] <= .milliseconds(120))
    }

    @Test(arguments: ["5%", "10%"]) func `fifty of fifty connect within ten seconds where packets are lost`(
        loss: String
    ) throws {
        var times: [Double] = []
        for seed in UInt64(1)...50 {
            let pair = try PeerPair(
                [Self.simulcast], link: LinkSettings(notation: "delay=100ms,loss=\(loss)"), seed: seed)
            try pair.negotiate()
            #expect(pair.connect(within: .seconds(10)), "seed \(seed)")
            times.append((pair.network.now - MediaTime.zero).seconds)
        }
        note("loss \(loss): median \(times.sorted()[25]) s, at most \(times.max() ?? 0) s")
    }

    @Test func `a peer that is gone for eight seconds comes back by itself`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.connect()
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(3))
        pair.network.isBlocked = { _, _ in true }
        pair.run(.seconds(8))
        pair.network.isBlocked = { _, _ in false }
        let high = pair.answerer.peer.receivingStreams[0].id
        let before = pair.answerer.decoded[high]?.count ?? 0
        // Feedback was missing for so long that the rate fell to its least: a key frame takes a while, and the rise
        // too.
        pair.run(.seconds(6))
        #expect(pair.isConnected && pair.answerer.failure == nil && pair.offerer.failure == nil)
        #expect((pair.answerer.decoded[high]?.count ?? 0) - before > 60)
    }

    @Test func `a peer moves to another port, and media follows`() throws {
        let pair = try PeerPair([Self.simulcast], [Self.answering])
        try pair.negotiate()
        pair.connect()
        pair.answerer.film(from: pair.network.now)
        pair.run(.seconds(2))
        // Its NAT forgets it.
        pair.network.translations[PeerPair.addresses.offerer] = AgentPair.address("198.51.100.7:61000")
        pair.run(.seconds(8))
        #expect(pair.answerer.peer.agent.selectedPath?.remote == AgentPair.address("198.51.100.7:61000"))
        let high = pair.offerer.peer.receivingStreams[0].id
        let before = pair.offerer.decoded[high]?.count ?? 0
        pair.run(.seconds(2))
        #expect((pair.offerer.decoded[high]?.count ?? 0) - before > 50)
    }

    @Test func `a restart of ICE keeps the keys and the media`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.connect()
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(2))
        let profile = pair.offerer.peer.dtls?.srtpKeys?.sending
        try pair.negotiate(restartsICE: true)
        pair.run(.seconds(3))
        #expect(pair.isConnected)
        #expect(pair.offers[0] != pair.offers[1])
        #expect(profile != nil && pair.offerer.states == [.connecting, .connected])
        let high = pair.answerer.peer.receivingStreams[0].id
        #expect((pair.answerer.decoded[high]?.count ?? 0) > 140)
    }

    @Test func `a peer with another certificate is refused, and gets no media`() throws {
        let pair = try PeerPair([Self.simulcast], [Self.answering])
        let offer = try pair.offerer.peer.offer(at: .zero).text
        let right = PeerPair.certificates.offerer.fingerprint.description
        let wrong = DTLSPair.certificate().fingerprint.description
        let answer = try pair.answerer.peer.answer(offer.replacing(right, with: wrong), at: .zero).text
        try pair.offerer.peer.setRemote(.answer, answer, at: .zero)
        pair.offerer.film(from: .zero)
        pair.run(.seconds(5))
        #expect(pair.answerer.peer.state == .failed)
        guard case .dtls(.wrongFingerprint) = pair.answerer.failure else {
            throw TestFailure("\(String(describing: pair.answerer.failure))")
        }
        #expect(pair.answerer.decoded.isEmpty)
        #expect(!pair.answerer.results.contains { if case .media = $0 { true } else { false } })
    }

    @Test func `what is closed on one side is closed on the other`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.connect()
        pair.offerer.peer.close(at: pair.network.now)
        pair.run(.seconds(1))
        #expect(pair.offerer.peer.state == .closed && pair.answerer.peer.state == .closed)
        #expect(throws: PeerError.closed) { _ = try pair.offerer.peer.offer(at: pair.network.now) }
        let count = pair.offerer.sent.count
        pair.run(.seconds(20))
        #expect(pair.offerer.sent.count == count)
    }

    @Test func `who never answers is given up after thirty seconds`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.network.isBlocked = { _, _ in true }
        pair.run(.seconds(60))
        guard case .timedOut(let time, _, _) = pair.answerer.failure else {
            throw TestFailure("\(String(describing: pair.answerer.failure))")
        }
        #expect(time == .seconds(30) && pair.answerer.peer.state == .failed)
        #expect(pair.offerer.peer.state == .failed)
    }

    @Test func `a stream rests when its section does, and goes on with its numbers`() throws {
        let pair = try PeerPair([Self.simulcast])
        try pair.negotiate()
        pair.connect()
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(2))
        let id = pair.offerer.peer.negotiator.transceivers[0].id
        let before = pair.offerer.peer.sendingStreams
        try pair.offerer.peer.change { (negotiator) throws(NegotiationError) in
            try negotiator.setDirection(.inactive, of: id)
        }
        try pair.negotiate()
        pair.run(.seconds(1))
        #expect(pair.offerer.peer.sendingStreams.allSatisfy { !$0.isActive })
        let high = pair.answerer.peer.receivingStreams[0].id
        let count = pair.answerer.decoded[high]?.count ?? 0
        pair.run(.seconds(2))
        #expect(pair.answerer.decoded[high]?.count == count)
        try pair.offerer.peer.change { (negotiator) throws(NegotiationError) in
            try negotiator.setDirection(.sendAndReceive, of: id)
        }
        try pair.negotiate()
        pair.run(.seconds(2))
        #expect(pair.offerer.peer.sendingStreams.map(\.id) == before.map(\.id))
        #expect((pair.answerer.decoded[high]?.count ?? 0) - count > 40)
        // A number of SRTP used twice would be refused.
        #expect(!pair.answerer.results.contains(.dropped(.refused(.replayed))))
    }

    @Test func `both offer at once, and one gives way`() throws {
        let pair = try PeerPair([Self.simulcast], [Self.answering])
        let mine = try pair.offerer.peer.offer(at: .zero).text
        _ = try pair.answerer.peer.offer(at: .zero)
        // The answerer is the polite one.
        let answer = try pair.answerer.peer.answer(mine, at: .zero).text
        try pair.offerer.peer.setRemote(.answer, answer, at: .zero)
        #expect(pair.connect())
        try pair.negotiateBack()
        pair.run(.seconds(1))
        #expect(pair.isConnected)
        // Both simulcasts are still there.
        for end in [pair.offerer, pair.answerer] {
            #expect(end.peer.sendingStreams.count == 2 && end.peer.sendingStreams.allSatisfy(\.isActive))
            #expect(end.peer.receivingStreams.count == 2 && end.peer.receivingStreams.allSatisfy(\.isActive))
        }
    }

    @Test func `statistics have the names and identities of W3C`() throws {
        let pair = try PeerPair([Self.simulcast], [Self.answering])
        try pair.negotiate()
        pair.connect()
        for end in [pair.offerer, pair.answerer] { end.film(from: pair.network.now) }
        pair.run(.seconds(3))
        let all = pair.offerer.peer.statistics(at: pair.network.now)
        let data = try JSONEncoder().encode(all)
        let object = try existing(JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        #expect(object.allSatisfy { $0.value["id"] as? String == $0.key && $0.value["timestamp"] is Double })
        let types = Dictionary(grouping: object.values) { $0["type"] as? String ?? "" }.mapValues(\.count)
        #expect(types["transport"] == 1 && types["candidate-pair"] == 1 && types["certificate"] == 2, "\(types)")
        #expect(types["inbound-rtp"] == 2 && types["outbound-rtp"] == 2, "\(types)")
        #expect(types["remote-inbound-rtp"] == 2 && types["remote-outbound-rtp"] == 2, "\(types)")
        // What they refer to is there.
        for entry in object.values {
            for (name, value) in entry where name.hasSuffix("Id") {
                #expect(object[try existing(value as? String)] != nil, "\(entry["id"] ?? "") \(name)")
            }
        }
        #expect(all.transport.dtlsState == "connected" && all.transport.srtpCipher == "SRTP_AEAD_AES_128_GCM")
        #expect(all.outbound.map(\.rid) == ["h", "l"] && all.outbound[0].framesSent > 80)
        #expect(all.inbound.map(\.rid) == ["x", "y"] && all.inbound[0].framesReceived > 80)
        #expect(all.candidatePairs[0].availableOutgoingBitrate ?? 0 > 100_000)
    }

    @Test func `sound goes over streams of its own, with its level`() throws {
        let pair = try PeerPair([TransceiverSettings(.audio, .sendOnly), Self.simulcast])
        try pair.negotiate()
        pair.connect()
        let (offerer, answerer) = (pair.offerer.peer, pair.answerer.peer)
        #expect(offerer.sendingStreams.count == 2 && offerer.sendingSounds.count == 1)
        #expect(answerer.receivingStreams.count == 2 && answerer.receivingSounds.count == 1)
        let bytes = [UInt8](repeating: 7, count: 60)
        let levels: [AudioLevel?] = [AudioLevel(attenuation: 30, isVoice: true), nil, .silence]
        for level in levels {
            let stamp = PayloadStamp(captureTime: pair.network.now, isMarked: level == nil, level: level)
            let number = offerer.send(bytes.span, stamp, of: offerer.sendingSounds[0].id, at: pair.network.now)
            #expect(number != nil)
            pair.run(.milliseconds(20))
        }
        pair.run(.seconds(1))
        #expect(pair.answerer.payloads.map(\.bytes) == [bytes, bytes, bytes])
        let payloads = pair.answerer.payloads.map(\.payload)
        #expect(payloads.map(\.level) == levels && payloads.map(\.hasMarker) == [false, true, false])
        #expect(payloads[2].timestamp.rawValue &- payloads[0].timestamp.rawValue == 1920)
    }
}
