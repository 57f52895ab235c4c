import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport

@testable import RillForward

/// Attacks on a forwarder that need a certain order, settings, or a long time.
enum DirectedForwardAttack: String, CaseIterable {
    case bearerSessions, addressSessions, bearerStreams, addressStreams, streamViewers
    case sessions, streams, otherPublisher, secondVideo, halfOpen, manyPublishers, sound, breakers, codecs

    func run(_ report: AttackReport) throws {
        report.watchdog.begin("directed \(rawValue)", 0, [])
        defer { report.watchdog.rest() }
        switch self {
        case .sound: try sound(report)
        case .breakers: try breakers(report)
        case .codecs: try codecs(report)
        default:
            let stage = try ForwardStage(report, limit)
            do { try ask(stage) } catch let error as ForwardError {
                if case .quotaReached(let quota, _) = error { report.book.note(QuotaOutcome(quota)) }
            }
            stage.run(.milliseconds(100))
            stage.server.noteCounters()
        }
    }

    /// Limits that the publisher of the stage keeps.
    private func limit(_ settings: inout ForwardSettings) {
        switch self {
        case .bearerSessions: settings.quotas.sessionsPerBearer = 1
        case .addressSessions: settings.quotas.sessionsPerAddress = 1
        case .bearerStreams: settings.quotas.streamsPerBearer = 1
        case .addressStreams: settings.quotas.streamsPerAddress = 1
        case .streamViewers: settings.quotas.viewersPerStream = 1
        case .sessions: settings.sessionLimit = 1
        case .streams: settings.streamLimit = 1
        case .halfOpen: settings.quotas.halfOpenLimit = 1
        case .manyPublishers: settings.quotas.publishersPerStream = 2
        case .otherPublisher, .secondVideo, .sound, .breakers, .codecs: break
        }
    }

    /// Asks for more than these.
    private func ask(_ stage: ForwardStage) throws {
        switch self {
        case .bearerSessions, .addressSessions, .bearerStreams, .addressStreams, .sessions, .streams:
            try stage.publish("two", 2)
        case .streamViewers:
            _ = try stage.watch(2)
            try stage.watch(halfOpen: 3)
        case .halfOpen: for number in 2...4 as ClosedRange<UInt64> { try stage.watch(halfOpen: number) }
        case .manyPublishers: for number in 2...4 as ClosedRange<UInt64> { try stage.publish("one", number) }
        case .otherPublisher: try stage.publish("one", 2, .following([]))
        case .secondVideo: try stage.publish("two", 2, videoCount: 2)
        case .sound, .breakers, .codecs: break
        }
    }

    // MARK: Codecs

    /// A publisher goes over to a codec that a viewer does not have, and back, again and again.
    private func codecs(_ report: AttackReport) throws {
        let stage = try ForwardStage(codecs: [.vp8, .vp9], report)
        let viewer = try stage.watch(2, codecs: [.vp8], sendsEarly: true)
        for number in 1...20 {
            stage.publisher.inner.change(to: number % 2 == 1 ? .vp9 : .vp8)
            stage.run(.milliseconds(50 * number))
        }
        report.require(viewer.end.peer.state == .connected, "the viewer is lost")
        stage.server.noteCounters()
    }

    // MARK: Sound

    private func sound(_ report: AttackReport) throws {
        let stage = try ForwardStage(soundCount: 2, isMember: true, report)
        let viewer = try stage.watch(2)
        let type = try existing(stage.publisher.audioType)
        let section = try existing(stage.publisher.peer.negotiator.sections.first { $0.kind == .audio })
        let mid = try existing(section.sending.first?.headerExtensions[.mid])
        let level = try existing(section.sending.first?.headerExtensions[.audioLevel])
        func packet(_ number: Int, ssrc: UInt32 = 0xA0D10, byteCount: Int) -> [UInt8] {
            var packet = EditableRTP(payloadType: type, UInt16(number), UInt32(number) * 960, ssrc: ssrc)
            packet.payload = [UInt8](repeating: 1, count: byteCount)
            packet.set(mid, Array(section.mid.utf8))
            packet.set(level, [20])
            return packet.bytes
        }
        let attacks: [(outcome: PublishedSound.Outcome, packets: [[UInt8]])] = [
            (.forwarded, [packet(1, byteCount: 60)]),
            // Fewer packets than the limit, and less than its bytes.
            (.tooManyBytes, (100..<200).map { packet($0, byteCount: 1000) }),
            (.tooManyPackets, (200..<600).map { packet($0, byteCount: 1) }),
        ]
        for (outcome, packets) in attacks {
            stage.run(.milliseconds(1500))
            let before = (stage.server.forwarder.droppedSoundPackets, stage.server.forwarder.counts.audioPackets)
            // No more at a time than a session keeps for those who poll it.
            for start in stride(from: 0, to: packets.count, by: 50) {
                stage.publish(Array(packets[start..<min(start + 50, packets.count)]))
            }
            let after = (stage.server.forwarder.droppedSoundPackets, stage.server.forwarder.counts.audioPackets)
            let hasRisen =
                switch outcome {
                case .forwarded: after.1 > before.1
                case .tooManyBytes, .tooManyPackets: after.0 > before.0
                }
            if hasRisen { report.book.note(SoundOutcome(outcome)) }
        }
        // Somebody who shouts for a second is the speaker.
        for number in 0..<100 { stage.publish([packet(1000 + number, byteCount: 60)]) }
        report.require(viewer.end.peer.state == .connected, "the viewer is lost")
        stage.server.noteCounters()
    }

    // MARK: Circuit breakers

    /// A viewer reports nothing, then again; then that nothing arrives.
    private func breakers(_ report: AttackReport) throws {
        let stage = try ForwardStage(report)
        let viewer = try stage.watch(2).end
        stage.run(.seconds(2))
        viewer.sendsMedia = false
        stage.run(.seconds(22))
        viewer.sendsMedia = true
        stage.run(.seconds(8))
        viewer.sendsMedia = false
        var reports = FalseReports(.nothingArrives)
        for _ in 0..<15 {
            stage.run(.seconds(1))
            stage.send([reports.next(viewer.seen)], from: viewer)
        }
        stage.server.noteCounters()
    }
}
