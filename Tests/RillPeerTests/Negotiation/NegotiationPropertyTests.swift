import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// What holds for all offers and answers.
@Suite struct NegotiationPropertyTests {
    /// Adds or changes something at random; without a transceiver, there may be nothing to change.
    private func change(_ end: inout NegotiationEnd, _ generator: inout SeededGenerator) throws {
        let directions = MediaDirection.allCases
        let used = end.negotiator.transceivers.filter { !$0.isStopping }
        switch generator.next() % 5 {
        case 0, 1:
            let layers = [[], [], ["h", "l"], ["h", "m", "l"]].randomElement(using: &generator) ?? []
            let rids = [[], [], ["a", "b"]].randomElement(using: &generator) ?? []
            let isVideo = generator.next() % 3 > 0
            try end.add(
                isVideo ? .video : .audio, directions.randomElement(using: &generator) ?? .inactive, layers: layers,
                receiving: rids)
        case 2:
            guard let one = used.randomElement(using: &generator) else { return }
            try end.negotiator.setDirection(directions.randomElement(using: &generator) ?? .inactive, of: one.id)
        case 3:
            guard let one = used.randomElement(using: &generator) else { return }
            try end.negotiator.stop(one.id)
        default:
            guard let one = used.randomElement(using: &generator) else { return }
            let codecs = ["VP8", "VP9", "opus"].shuffled(using: &generator).prefix(2)
            try end.negotiator.setCodecPreferences(codecs.map { RTPFormat.Encoding($0) }, of: one.id)
        }
    }

    @Test(arguments: 0..<40)
    func `Two of our own ends always agree, and in each exchange again`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var ends = [try NegotiationEnd(seed: 2 * seed + 1), try NegotiationEnd(seed: 2 * seed + 2)]
        for round in 0..<12 {
            for _ in 0..<generator.next() % 4 { try change(&ends[0], &generator) }
            for _ in 0..<generator.next() % 3 { try change(&ends[1], &generator) }
            let offerer = Int(generator.next() % 2)
            var (one, two) = (ends[offerer], ends[1 - offerer])
            if generator.next() % 4 == 0 {
                // Both offer, and one gives way.
                _ = try two.offer()
            }
            try exchange(from: &one, to: &two)
            // Each sends what the other receives: the same layers, formats, sources and extensions.
            #expect(one.negotiator.sections.map(\.mid) == two.negotiator.sections.map(\.mid), "round \(round)")
            for (mine, theirs) in zip(one.negotiator.sections, two.negotiator.sections) {
                #expect(mine.direction.rawValue == opposite(theirs.direction).rawValue)
                try compare(mine.sending, theirs.receiving)
                try compare(theirs.sending, mine.receiving)
            }
            // Places never change, and none is lost.
            let (ours, others) = (one.negotiator.currentLocalDescription, two.negotiator.currentLocalDescription)
            #expect(
                ours?.media.map(\.mid) == others?.media.map(\.mid)
                    && ours?.media.map(\.kind) == others?.media.map(\.kind))
            ends[offerer] = one
            ends[1 - offerer] = two
        }
    }

    private func opposite(_ direction: MediaDirection) -> MediaDirection {
        switch direction {
        case .sendOnly: .receiveOnly
        case .receiveOnly: .sendOnly
        default: direction
        }
    }

    private func compare(_ sent: [StreamDescription], _ received: [StreamDescription]) throws {
        #expect(sent.count == received.count)
        for (one, other) in zip(sent, received) {
            #expect(one.rid == other.rid && one.mid == other.mid && one.payloadType == other.payloadType)
            #expect(one.encoding == other.encoding && one.headerExtensions == other.headerExtensions)
            #expect(one.feedback == other.feedback && one.isPaused == other.isPaused)
            #expect(other.ssrc == nil || other.ssrc == one.ssrc)
            #expect(one.repair.redPayloadType == other.repair.redPayloadType)
            #expect(one.repair.retransmission?.payloadType == other.repair.retransmission?.payloadType)
        }
        try sent.validate()
        try received.validate()
    }

    @Test func `A damaged offer gets an answer or an error, and a good one is taken after it`() throws {
        let seeds = try RecordedDescription.offers.map { Array(try $0.text.utf8) }
        let count = isAddressSanitized ? 500 : 3000
        var (answered, failed) = (0, 0)
        for input in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 12)) {
            var end = try NegotiationEnd()
            try end.add(.video, .sendAndReceive, layers: ["h", "l"])
            let text = String(decoding: input, as: UTF8.self)
            do throws(NegotiationError) {
                _ = try end.negotiator.setRemote(.offer, text: text)
                let answer = try end.negotiator.makeAnswer(end.transport)
                _ = try end.negotiator.setLocal(.answer, answer)
                answered += 1
            } catch {
                failed += 1
                #expect(!"\(error)".isEmpty)
                if end.negotiator.signalingState == .haveRemoteOffer { _ = try end.negotiator.setRemote(.rollback) }
                _ = try end.negotiator.setRemote(.offer, text: RecordedDescription.chromiumCall.text)
            }
        }
        #expect(answered > count / 10 && failed > count / 10, "\(answered) \(failed)")
    }

    @Test func `A damaged answer is taken or is an error, and a good one is taken after it`() throws {
        let seeds = try [RecordedDescription.chromiumAnswer, .gstreamerAnswer, .aiortcAnswer].map {
            Array(try $0.text.utf8)
        }
        var offerer = try NegotiationEnd.recorded()
        for kind in [MediaDescription.Kind.audio, .video] { try offerer.add(kind) }
        try offerer.add(.video, .sendOnly, layers: ["h", "l"])
        try offerer.add(.video, .receiveOnly)
        _ = try offerer.offer()
        var failed = 0
        for input in MutatedInputs(of: seeds, count: 1500, using: SeededGenerator(seed: 13)) {
            var end = offerer
            do throws(NegotiationError) {
                _ = try end.negotiator.setRemote(.answer, text: String(decoding: input, as: UTF8.self))
                #expect(end.negotiator.signalingState == .stable)
            } catch {
                failed += 1
                _ = try end.negotiator.setRemote(.answer, text: RecordedDescription.chromiumAnswer.text)
            }
        }
        #expect((100..<1450).contains(failed), "\(failed)")
    }
}
