import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

/// Clients that take what they can get, and others beside them.
@Suite struct ForwardQuotaTests {
    /// An offer whose sender never sends a datagram.
    private func silentOffer(isPublisher: Bool, in room: ForwardNetwork) throws -> String {
        var transceiver = TransceiverSettings(.video, isPublisher ? .sendOnly : .receiveOnly)
        if isPublisher { transceiver.sending = ForwardNetwork.layers }
        let peer = PeerConnection(.controlling, certificate: ForwardNetwork.certificates.client)
        _ = try peer.change { try $0.addTransceiver(transceiver) }
        return try peer.offer(at: room.now).text
    }

    private static func address(_ number: Int) -> IPAddress { .v4(0xC633_6400 + UInt32(number)) }
    private static let innocent = ForwardClient(bearer: "innocent", address: address(200))

    /// What a thousand offers come from.
    enum Crowd: String, CaseIterable {
        case oneToken
        case oneTokenOfManyAddresses
        case hundredTokens
        case hundredTokensAndAddresses
        case oneAddress

        func client(_ index: Int) -> ForwardClient {
            switch self {
            case .oneToken: ForwardClient(bearer: "0", address: ForwardQuotaTests.address(0))
            case .oneTokenOfManyAddresses:
                ForwardClient(bearer: "0", address: ForwardQuotaTests.address(index % 100))
            case .hundredTokens: ForwardClient(bearer: "\(index % 100)", address: ForwardQuotaTests.address(0))
            case .hundredTokensAndAddresses:
                ForwardClient(bearer: "\(index % 100)", address: ForwardQuotaTests.address(index % 100))
            case .oneAddress: ForwardClient(address: ForwardQuotaTests.address(0))
            }
        }
    }

    @Test(arguments: Crowd.allCases, [true, false])
    func `A thousand offers keep neither publishers nor viewers out`(_ crowd: Crowd, publish: Bool) throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.publish("lobby", from: ForwardClient(subject: "anna", bearer: "anna"))
        let viewer = try room.watch("lobby", from: Self.innocent)
        room.run(.seconds(2))
        let offer = try silentOffer(isPublisher: publish, in: room)
        var (newcomer, return_): (ForwardNetwork.Client?, ForwardNetwork.Client?)
        for index in 0..<1000 {
            do throws(ForwardError) {
                if publish {
                    _ = try room.forwarder.publish(
                        "stream\(index % 300)", offer: offer, from: crowd.client(index), at: room.now)
                } else {
                    _ = try room.forwarder.watch("lobby", offer: offer, from: crowd.client(index), at: room.now)
                }
            } catch {
                Issue.record("offer \(index): \(error)")
            }
            // A hundred a second: the ones that were made are not waited for.
            room.run(.milliseconds(10))
            if index == 500 { newcomer = try room.watch("lobby", from: Self.innocent) }
            if index == 600 {
                publisher.end.peer.close(at: room.now)
                return_ = try room.publish("lobby", from: ForwardClient(subject: "anna", bearer: "anna"))
            }
            #expect(room.forwarder.halfOpenCount <= (crowd == .hundredTokensAndAddresses ? 200 : 51))
        }
        room.run(.seconds(1))
        #expect(newcomer?.end.peer.state == .connected && return_?.end.peer.state == .connected)
        // 12 s with a publisher, of which it was away for a moment.
        #expect(viewer.highFrames.count > 330, "\(viewer.highFrames.count)")
        #expect((newcomer?.highFrames.count ?? 0) > 130)
        #expect(room.forwarder.admissions.evicted > 700)
        room.run(.seconds(20))
        #expect(room.forwarder.sessionCount == (1, 2) && room.forwarder.halfOpenCount == 0)
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["lobby"])
    }

    @Test func `Viewers never get the last places, and publishers do`() throws {
        var settings = ForwardSettings()
        settings.sessionLimit = 12
        settings.quotas.publisherReserve = 3
        let room = try ForwardNetwork("delay=1ms", settings)
        _ = try room.publish("lobby")
        for _ in 0..<9 { _ = try room.watch("lobby") }
        room.run(.seconds(1))
        #expect(throws: ForwardError.tooManySessions(limit: 9)) { _ = try room.watch("lobby") }
        for name in ["a", "b"] { #expect(try room.publish(name).end.peer.state == .connected) }
        room.run(.milliseconds(10))
        #expect(throws: ForwardError.tooManySessions(limit: 12)) { _ = try room.publish("c") }
        #expect(room.forwarder.sessionCount == (3, 9))
        #expect(room.forwarder.admissions.refusedSessions == 2 && room.forwarder.admissions.evicted == 0)
    }

    @Test(arguments: ForwardQuota.allCases)
    func `Each quota refuses with its name, and only who has used it up`(_ quota: ForwardQuota) throws {
        var settings = ForwardSettings()
        settings.quotas.sessionsPerBearer = quota == .bearerSessions ? 2 : 100
        settings.quotas.sessionsPerAddress = quota == .addressSessions ? 2 : 100
        settings.quotas.streamsPerBearer = quota == .bearerStreams ? 2 : 100
        settings.quotas.streamsPerAddress = quota == .addressStreams ? 2 : 100
        settings.quotas.viewersPerStream = quota == .streamViewers ? 2 : 100
        let room = try ForwardNetwork("delay=1ms", settings)
        _ = try room.publish("lobby")
        let client = ForwardClient(bearer: "one", address: Self.address(1))
        func ask(_ number: Int, _ client: ForwardClient) throws {
            switch quota {
            case .bearerStreams, .addressStreams: _ = try room.publish("s\(number)", from: client)
            case .bearerSessions, .addressSessions, .streamViewers: _ = try room.watch("lobby", from: client)
            }
            room.run(.milliseconds(500))
        }
        for number in 0..<2 { try ask(number, client) }
        #expect(throws: ForwardError.quotaReached(quota, limit: 2)) { try ask(2, client) }
        #expect(room.forwarder.admissions.refusedQuotas == [quota: 1])
        let other = ForwardClient(bearer: "two", address: Self.address(2))
        if quota == .streamViewers {
            #expect(throws: ForwardError.quotaReached(quota, limit: 2)) { try ask(2, other) }
            _ = try room.publish("another")
            _ = try room.watch("another", from: client)
        } else {
            try ask(2, other)
        }
    }

    @Test func `Of a crowd its own oldest goes, also where an older one is somebody else's`() throws {
        var settings = ForwardSettings()
        settings.quotas.halfOpenLimit = 4
        let room = try ForwardNetwork("delay=1ms", settings)
        _ = try room.publish("lobby")
        room.run(.milliseconds(10))
        let offer = try silentOffer(isPublisher: false, in: room)
        func watch(_ number: Int) throws -> ICEPeerID {
            let client = ForwardClient(bearer: "\(number)", address: Self.address(number))
            return try room.forwarder.watch("lobby", offer: offer, from: client, at: room.now).id
        }
        let ids = try [1, 2, 2, 2].map(watch)
        let more = try [2, 3].map(watch)
        room.run(.milliseconds(100))
        let ended = room.server.events.compactMap { event in
            if case .ended(let session, .evicted) = event.event { session.id } else { nil }
        }
        #expect(ended == [ids[1], ids[2]])
        // All have one: the oldest of all goes.
        _ = try room.forwarder.end(more[0], at: room.now)
        _ = try watch(4)
        _ = try watch(5)
        #expect(room.forwarder[ids[0]] == nil || room.forwarder[ids[0]]?.state == .closed)
        #expect(room.forwarder.halfOpenCount == 4)
    }

    @Test func `A stream that nobody has seen anything of leaves nothing`() throws {
        var settings = ForwardSettings()
        settings.streamLimit = 2
        let room = try ForwardNetwork("delay=1ms", settings)
        let offer = try silentOffer(isPublisher: true, in: room)
        for index in 0..<10 { _ = try room.forwarder.publish("s\(index)", offer: offer, at: room.now) }
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["s8", "s9"])
        // With connected publishers there is no room.
        for name in ["a", "b"] { _ = try room.publish(name) }
        room.run(.milliseconds(10))
        #expect(throws: ForwardError.tooManyStreams(limit: 2)) { _ = try room.publish("c") }
        #expect(room.forwarder.admissions.refusedStreams == 1)
    }
}
