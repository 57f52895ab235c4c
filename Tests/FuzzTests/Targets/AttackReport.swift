import RillCore
import RillPeer
import RillRTP
import RillSecurity
import RillSession

/// What one or many runs have shown: outcomes, and the largest values of what must stay small. It also checks each
/// value as it comes.
final class AttackReport {
    var book = OutcomeBook()
    let watchdog: Watchdog
    private(set) var inputCount = 0
    /// The most actions, and transmitted bytes, from an insertion until `wait`.
    private(set) var mostActions = 0
    private(set) var mostBytes = 0

    /// Hundreds of packets may leave for one that asks for them; more is a loop.
    static let actionLimit = 4096
    static let byteLimit = 4_000_000

    init(_ watchdog: Watchdog) {
        self.watchdog = watchdog
        book.expect(PeerResultOutcome.self)
        book.expect(PeerDropOutcome.self)
        book.expect(PortOutcome.self)
        book.expect(ICEOutcome.self)
        book.expect(STUNProblem.self)
        book.expect(DTLSOutcome.self)
        book.expect(UnprotectedOutcome.self)
        book.expect(UnknownProtocolOutcome.self)
        book.expect(PeerEventOutcome.self)
        book.expect(ICEEventOutcome.self)
        book.expect(PeerFailure.self)
        book.expect(SessionOutcome.self)
        book.expect(BufferOutcome.self)
        book.expect(WireProblem.self)
        book.expect(MessageOutcome.self)
        book.expect(SessionEventOutcome.self)
        book.expect(CircuitBreakOutcome.self)
        book.expect(ForwardEventOutcome.self)
        book.expect(SoundOutcome.self)
        book.expect(QuotaOutcome.self)
        book.expect(CallEventOutcome.self)
    }

    // MARK: Bounds

    /// Counts the actions of one poll sequence. It must come to `wait` within the limits.
    struct PollCount {
        var (actions, bytes) = (0, 0)
    }

    func note(_ byteCount: Int, in count: inout PollCount) {
        count.actions += 1
        count.bytes += byteCount
        mostActions = max(mostActions, count.actions)
        mostBytes = max(mostBytes, count.bytes)
        if count.actions > AttackReport.actionLimit { watchdog.fail("\(count.actions) actions without a wait") }
        if count.bytes > AttackReport.byteLimit { watchdog.fail("\(count.bytes) bytes transmitted without a wait") }
    }

    func require(_ isTrue: Bool, _ text: @autoclosure () -> String) { if !isTrue { watchdog.fail(text()) } }

    func noteInputs(_ count: Int) { inputCount += count }

    // MARK: Outcomes

    func note(_ result: PeerPortResult) {
        book.note(PortOutcome(result))
        switch result {
        case .peer(_, let result): note(result)
        case .dropped(.malformed(let error)): book.note(STUNProblem(error))
        case .dropped: break
        }
    }

    func note(_ result: PeerInsertResult) {
        book.note(PeerResultOutcome(result))
        switch result {
        case .ice(let result):
            book.note(ICEOutcome(result))
            if case .dropped(.malformed(let error)) = result { book.note(STUNProblem(error)) }
        case .dtls(let result): book.note(DTLSOutcome(result))
        case .media(let result): note(result)
        case .held, .passed: break
        case .dropped(let reason):
            book.note(PeerDropOutcome(reason))
            switch reason {
            case .refused(let outcome): book.note(UnprotectedOutcome(outcome))
            case .unknownProtocol(let kind): book.note(UnknownProtocolOutcome(kind))
            case .noKeys, .early, .noRole, .closed: break
            }
        }
    }

    func note(_ result: SessionInsertResult) {
        book.note(SessionOutcome(result))
        switch result {
        case .media(_, let result?):
            book.note(UnprotectedOutcome.rtp)
            book.note(BufferOutcome(result))
            if case .malformed(let error) = result { book.note(WireProblem(error)) }
        case .malformed(let error): book.note(WireProblem(error))
        case .feedback: book.note(UnprotectedOutcome.rtcp)
        case .media, .other, .unknownSource, .contradictory, .ownSource: break
        }
    }

    func note(_ event: PeerEvent) {
        book.note(PeerEventOutcome(event))
        switch event {
        case .ice(let event):
            book.note(ICEEventOutcome(event))
            if case .internalError = event { watchdog.fail("\(event)") }
        case .session(let event):
            book.note(SessionEventOutcome(event))
            switch event {
            case .failed(let error): watchdog.fail("\(error)")
            case .sendingStopped(_, let reason): book.note(CircuitBreakOutcome(reason))
            default: break
            }
        case .failed(let error):
            book.note(PeerFailure(error))
            require(error.pollsWithoutProgress == nil, "\(error)")
        case .stateChanged, .streamsChanged, .warning, .keysAgreed: break
        }
    }

    /// Parses RTCP that is sent, to count its kinds and its errors.
    func note(rtcp packet: [UInt8]) {
        guard DatagramKind(of: packet.span) == .rtcp else { return }
        var compound = RTCPCompound(packet.span)
        while true {
            do throws(RTPError) {
                guard let next = try compound.next() else { return }
                let message = try RTCPMessage(parsing: next)
                book.note(MessageOutcome(message))
                guard case .extendedReport(var report) = message else { continue }
                while try report.next() != nil {}
            } catch { book.note(WireProblem(error)) }
        }
    }

    /// Notes the outcomes of which only counts are known.
    func note(_ statistics: UnprotectStatistics) {
        book.noteCounters(of: statistics, "UnprotectStatistics")
        if statistics.notRTP > 0 { book.note(UnprotectedOutcome.notRTP) }
        if statistics.ownSource > 0 { book.note(UnprotectedOutcome.ownSource) }
        if statistics.unknownKey > 0 { book.note(UnprotectedOutcome.unknownKey) }
        if statistics.tooManySources > 0 { book.note(UnprotectedOutcome.tooManySources) }
    }

    // MARK: Memory

    /// Checks what a session holds, and adds its counters.
    func note(_ session: RTPSession, streamLimit: Int) {
        let statistics = session.statistics
        require(
            statistics.receiving.count <= streamLimit && statistics.sending.count <= streamLimit,
            "\(statistics.receiving.count) and \(statistics.sending.count) streams")
        require(statistics.transport.pollsWithoutProgress == 0, "polls without progress")
        require(session.pacedPacketCount <= 10_000, "\(session.pacedPacketCount) packets wait")
        book.noteCounters(of: statistics.transport, "TransportCounts")
        for stream in statistics.receiving {
            book.noteCounters(of: stream.stream, "InboundStatistics")
            book.noteCounters(of: stream.repair, "RepairStatistics")
        }
        for stream in statistics.sending { book.noteCounters(of: stream.stream, "RTPStreamStatistics") }
        if let congestion = statistics.congestion { book.noteCounters(of: congestion, "CongestionStatistics") }
    }
}
