import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// Offers that nobody means: each takes a place, and costs its sender nothing.
@Suite(.serialized) struct OfferFloodTests {
    /// Who sends the offers.
    enum Sender: CaseIterable {
        case oneToken
        case hundredTokens
        case hundredTokensAndAddresses

        func client(_ number: Int) -> ForwardClient {
            let place = self == .oneToken ? 0 : number % 100
            let address = self == .hundredTokensAndAddresses ? 0xCB00_7100 + UInt32(place) : 0xCB00_7100
            return ForwardClient(bearer: "token \(place)", address: .v4(address))
        }
    }

    private func offer(_ direction: MediaDirection, _ number: UInt64, at now: MediaTime) throws -> String {
        let peer = PeerConnection(
            .controlling, certificate: ForwardNetwork.certificates.client,
            settings: PeerConnectionSettings(seed: number), using: SeededGenerator(seed: number))
        try peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video, direction)) }
        return try peer.offer(at: now).text
    }

    @Test(arguments: Sender.allCases)
    func `1,000 offers leave room for publishers and viewers`(sender: Sender) throws {
        let siege = try Siege(viewers: 3)
        let forwarder = siege.room.forwarder
        // 1,000 offers within 10 s; one in four wants to publish.
        var (answered, refused) = (0, 0)
        let before = siege.viewers.map(\.frames.count)
        for number in 0..<1000 {
            let isPublisher = number % 4 == 0
            let text = try offer(isPublisher ? .sendOnly : .receiveOnly, UInt64(number), at: siege.room.now)
            do throws(ForwardError) {
                if isPublisher {
                    _ = try forwarder.publish(
                        "stream \(number)", offer: text, from: sender.client(number), at: siege.room.now)
                } else {
                    _ = try forwarder.watch("lobby", offer: text, from: sender.client(number), at: siege.room.now)
                }
                answered += 1
            } catch {
                refused += 1
            }
            let count = forwarder.sessionCount
            #expect(count.publishers + count.viewers <= 4 + (sender == .oneToken ? 51 : 201))
            siege.room.run(.milliseconds(10))
        }
        let shares = zip(siege.viewers, before).map { Double($0.frames.count - $1) / (10 / 0.033) * 100 }
        let counts = forwarder.admissions
        note("\(sender): \(answered) answered, \(refused) refused, \(counts); \(shares) %")
        #expect(shares.allSatisfy { $0 >= 99 }, "\(shares)")
        #expect(counts.evicted + refused >= 1000 - 201, "\(counts)")

        // The publisher loses its network and comes back; others come.
        let address = siege.publisher.address
        siege.room.network.isBlocked = { source, destination in source == address || destination == address }
        let again = try siege.room.publish("lobby", [SendingEncoding()], from: ForwardClient(bearer: "publisher"))
        let other = try siege.room.publish("other", [SendingEncoding()], from: ForwardClient(bearer: "another"))
        let viewer = try siege.room.watch("other")
        let known = siege.viewers.map(\.frames.count)
        siege.room.run(.seconds(5))
        #expect([again, other, viewer].allSatisfy { $0.end.peer.state == .connected })
        #expect(viewer.frames.count > 100, "\(viewer.frames.count)")
        let gained = zip(siege.viewers, known).map { $0.frames.count - $1 }
        #expect(gained.allSatisfy { $0 > 120 }, "\(gained)")

        // Nothing is left of the others.
        siege.room.run(.seconds(40))
        #expect(forwarder.sessionCount == (2, 4))
        #expect(forwarder.statistics(at: siege.room.now).map(\.name) == ["lobby", "other"])
    }
}
