import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillSession
import RillTestSupport
import Testing

/// Publishers and viewers who do anything.
@Suite(.serialized) struct ForwardUnknownPeerTests {
    /// Whatever arrives from a viewer's address, before and after it is connected.
    @Test func `Mutated datagrams of a publisher and a viewer harm nobody else`() throws {
        let room = try ForwardNetwork("delay=5ms")
        let publisher = try room.publish("lobby")
        let (viewer, other) = (try room.watch("lobby"), try room.watch("lobby"))
        room.run(.seconds(2))
        let seeds = Array(viewer.end.sent.suffix(40) + publisher.end.sent.suffix(40))
        var random = SeededGenerator(seed: 3)
        let before = other.frames.count
        let count = isLongRun ? 1_000_000 : 20_000
        for (index, bytes) in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 9)).enumerated() {
            var bytes = bytes
            var span = bytes.mutableSpan
            let source = Bool.random(using: &random) ? viewer.address : publisher.address
            room.forwarder.insert(&span, on: ICEPath(source), at: room.now)
            if index % 100 == 0 { room.run(.milliseconds(10)) }
        }
        room.run(.seconds(2))
        let seconds = Double(count) / 10_000 + 2
        #expect(Double(other.frames.count - before) > 28 * seconds, "\(other.frames.count - before) in \(seconds) s")
        #expect(room.forwarder.sessionCount == (1, 2))
    }

    @Test func `Mutated offers are refused or answered, and leave nothing`() throws {
        let room = try ForwardNetwork("delay=5ms")
        let publisher = try room.publish("lobby")
        let viewer = try room.watch("lobby")
        room.run(.seconds(1))
        let offers = try [publisher, viewer].map { client in
            Array(try existing(client.end.peer.negotiator.currentLocalDescription).text.utf8)
        }
        var (answered, refused) = (0, 0)
        for bytes in MutatedInputs(of: offers, count: isLongRun ? 100_000 : 2000, using: SeededGenerator(seed: 4)) {
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(ForwardError) {
                let isPublisher = answered % 2 == 0
                let id =
                    isPublisher
                    ? try room.forwarder.publish("x", offer: text, at: room.now).id
                    : try room.forwarder.watch("lobby", offer: text, at: room.now).id
                answered += 1
                try room.forwarder.end(id, at: room.now)
            } catch {
                refused += 1
            }
            room.run(.milliseconds(1))
        }
        room.run(.seconds(60))
        note("\(answered) answered, \(refused) refused")
        #expect(answered > 100 && refused > 100)
        #expect(room.forwarder.sessionCount == (1, 1))
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["lobby"])
    }

    @Test func `Sessions that never connect, layers, restarts and ends in any order: nothing stays`() throws {
        var settings = ForwardSettings()
        (settings.sessionLimit, settings.streamLimit) = (40, 4)
        let room = try ForwardNetwork("delay=5ms", settings)
        var random = SeededGenerator(seed: 8)
        var ids: [ICEPeerID] = []
        let names = ["a", "b", "c", "d", "e"]
        // Offers of real peers, of whom most never send a datagram.
        func offer(isPublisher: Bool) throws -> String {
            var transceiver = TransceiverSettings(.video, isPublisher ? .sendOnly : .receiveOnly)
            if isPublisher { transceiver.sending = ForwardNetwork.layers }
            let peer = PeerConnection(
                .controlling, certificate: ForwardNetwork.certificates.client,
                settings: PeerConnectionSettings(seed: random.next()), using: SeededGenerator(seed: random.next()))
            try peer.change { _ = try $0.addTransceiver(transceiver) }
            return try peer.offer(at: room.now).text
        }
        var meter = GrowthMeter()
        for _ in 0..<(isLongRun ? 20 : 4) {
            for _ in 0..<500 {
                let name = names[Int.random(in: 0..<names.count, using: &random)]
                let id = ids.randomElement(using: &random)
                do throws(any Error) {
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0...1:
                        ids.append(
                            try room.forwarder.publish(name, offer: try offer(isPublisher: true), at: room.now).id)
                    case 2...4:
                        ids.append(
                            try room.forwarder.watch(name, offer: try offer(isPublisher: false), at: room.now).id)
                    case 5: if let id { try room.forwarder.end(id, at: room.now) }
                    case 6:
                        if let id {
                            try room.forwarder.select(
                                ["high", "low", "x", nil][Int.random(in: 0..<4, using: &random)], for: id, at: room.now)
                        }
                    case 7:
                        if let id {
                            _ = try room.forwarder.restart(
                                id, usernameFragment: "abcd", password: "0123456789012345678901", at: room.now)
                        }
                    case 8:
                        if let id {
                            try room.forwarder.addCandidate(
                                "candidate:1 1 udp 1 10.0.0.9 9 typ host", mid: "0", of: id, at: room.now)
                        }
                    default: room.run(.milliseconds(Int.random(in: 1...2000, using: &random)))
                    }
                } catch is ForwardError {
                    // Who asks for what is not there is told so.
                }
                let count = room.forwarder.sessionCount
                #expect(count.publishers + count.viewers <= 40 && count.publishers <= 16)
                if ids.count > 60 { ids.removeFirst(20) }
            }
            room.run(.seconds(120))
            #expect(room.forwarder.sessionCount == (0, 0))
            #expect(room.forwarder.statistics(at: room.now).isEmpty)
            try meter.endRound()
        }
        let least = try existing(meter.least)
        note("\(least) bytes grew in the best round")
        #expect(!isLongRun || least < 500_000)
    }
}
