public import RillCore
public import RillRTP

extension SentPacketHistory {
    /// Records a packet that is sent now, with the sequence number that feedback by stream uses (RFC 8888).
    ///
    /// A retransmission without RTX has the sequence number of an earlier packet. Both then have the outcome
    /// ``PacketOutcome/unknown``: feedback cannot distinguish them.
    ///
    /// - Parameters:
    ///   - kind: the packet's purpose.
    ///   - ssrc: its stream.
    ///   - sequenceNumber: its number in that stream.
    ///   - byteCount: its size on the path in bytes.
    ///   - train: the number of its train, which increases with each pause of the pacer.
    ///   - now: the time when it is passed to the network.
    /// - Returns: its transport-wide sequence number, for feedback of the other kind.
    @discardableResult
    public mutating func record(
        _ kind: OutgoingPacket.Kind, of ssrc: SSRC, _ sequenceNumber: SequenceNumber, byteCount: Int, train: Int = 0,
        at now: MediaTime
    ) -> SequenceNumber {
        let number = next
        let result = record(kind, byteCount: byteCount, train: train, at: now)
        let earlier = byStream.record(sequenceNumber, of: ssrc, as: number, oldest: oldest)
        ring[number].isIdentified = earlier == nil
        if let earlier, earlier >= oldest { ring[earlier].isIdentified = false }
        return result
    }

    /// Processes feedback by stream. Passes each packet whose outcome it resolves to `body`, in the order of sending.
    ///
    /// A packet is lost if all feedback that listed it reported it as missing. It is also lost if the receiver lists
    /// nothing of its stream any more, and packets that were sent later had arrived three feedbacks ago.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback. Its content may be forged.
    ///   - body: receives each packet and its outcome.
    public mutating func take(
        _ feedback: borrowing CongestionControlFeedback, _ body: (PacketRecord, PacketOutcome) -> Void
    ) {
        resolve(feedback, body)
    }

    /// The inlined form: a call for each packet would cost more than its work.
    @inline(__always)
    mutating func resolve(
        _ feedback: borrowing CongestionControlFeedback, _ body: (PacketRecord, PacketOutcome) -> Void
    ) {
        guard let (time, overtaken) = byStream.begin(feedback.timestamp) else {
            refusals.outdated += 1
            return
        }
        var resolved = ResolvedRange()
        var reports = feedback.reports
        while let report = reports.next() {
            if let stream = byStream.place(of: report.ssrc) {
                take(report, of: stream, at: time, &resolved)
            } else {
                refusals.unknownStream += report.packets.count
            }
        }
        if oldest < overtaken {
            for number in oldest..<min(overtaken, next) { giveUp(number, &resolved) }
        }
        report(resolved, body)
        skipResolved()
    }

    /// The first and the last packet with a new outcome.
    private struct ResolvedRange {
        var first = Int64.max
        var last = Int64.min

        mutating func record(_ number: Int64) {
            first = min(first, number)
            last = max(last, number)
        }

        mutating func record(_ other: ResolvedRange) {
            first = min(first, other.first)
            last = max(last, other.last)
        }
    }

    /// Marks the packets of a report.
    private mutating func take(
        _ report: borrowing CongestionControlFeedback.StreamReport, of stream: Int, at time: Int64,
        _ resolved: inout ResolvedRange
    ) {
        let begin = byStream.streams[stream].extended(report.beginSequenceNumber)
        let newest = byStream.streams[stream].newest
        guard begin <= newest + 1 else {
            refusals.neverSent += report.packets.count
            return
        }
        // Packets that the receiver lists no more keep their last reported state.
        let open = max(byStream.streams[stream].firstOpen, newest - Int64(byStream.streams[stream].capacity) + 1)
        if open < begin {
            for sequence in open..<begin {
                if let number = byStream.streams[stream].number(of: sequence) {
                    giveUp(number, unlisted: .unknown, &resolved)
                }
            }
            byStream.streams[stream].firstOpen = begin
        }
        var taking = Taking(self, stream: stream, begin: begin, time: time)
        taking.take(report.packets, of: &ring)
        taking.addRefusals(to: &refusals)
        openByteCount &-= taking.resolvedByteCount
        if taking.highest >= 0 { byStream.recordArrival(of: taking.highest) }
        resolved.record(taking.resolved)
    }

    /// The state of processing one report. It accesses each array once for all packets.
    private struct Taking {
        let slots: [SentStream.Slot]
        let begin: Int64
        let newest: Int64
        let time: Int64
        let oldest: Int64
        let next: Int64
        var resolved = ResolvedRange()
        /// The highest number of a packet that arrived.
        var highest: Int64 = -1
        var resolvedByteCount = 0
        private var (neverSent, forgotten, repeated) = (0, 0, 0)

        init(_ history: borrowing SentPacketHistory, stream: Int, begin: Int64, time: Int64) {
            let sent = history.byStream.streams[stream]
            (slots, self.begin, newest, self.time) = (sent.slots, begin, sent.newest, time)
            (oldest, next) = (history.oldest, history.next)
        }

        mutating func take(
            _ packets: WireList<CongestionControlFeedback.PacketStatus>, of ring: inout NumberedRing<Entry>
        ) {
            // No packet was sent after the newest.
            let count = min(packets.count, Int(newest - begin) + 1)
            neverSent += packets.count - count
            for index in 0..<count {
                let sequence = begin &+ Int64(index)
                let slot = slots[Int(truncatingIfNeeded: sequence) & (slots.count &- 1)]
                guard slot.sequence == sequence, slot.number >= next &- Int64(ring.capacity) else {
                    forgotten += 1
                    continue
                }
                guard slot.number >= oldest, ring[slot.number].isOpen else {
                    repeated += 1
                    continue
                }
                take(packets[index], of: slot.number, &ring[slot.number])
            }
        }

        @inline(__always)
        private mutating func take(
            _ status: CongestionControlFeedback.PacketStatus, of number: Int64, _ entry: inout Entry
        ) {
            guard case .received(let offset, let mark) = status else {
                entry.state = .missing
                return
            }
            resolvedByteCount += Int(entry.openByteCount)
            entry.openByteCount = 0
            highest = max(highest, number)
            resolved.record(number)
            guard let steps = offset.steps, entry.isIdentified else {
                entry.state = .unknown
                return
            }
            // An offset has units of 1/1024 s, which are 64 units of the timestamp. The sum stays below two years, so
            // nothing overflows.
            let ticks = time - Int64(steps) * 64
            let nanoseconds = (ticks >> 16) * 1_000_000_000 + ((ticks & 0xFFFF) * 1_000_000_000) >> 16
            entry.arrival = MediaTime(nanoseconds: nanoseconds)
            entry.mark = mark
            entry.state = .arrived
        }

        func addRefusals(to refusals: inout Refusals) {
            refusals.neverSent += neverSent
            refusals.forgotten += forgotten
            refusals.repeated += repeated
        }
    }

    /// Resolves a packet that no feedback will list any more. If no feedback has listed it, its outcome is
    /// `unlisted`.
    private mutating func giveUp(_ number: Int64, unlisted: Entry.State = .lost, _ resolved: inout ResolvedRange) {
        guard number >= oldest, ring[number].isOpen else { return }
        uncount(number)
        ring[number].state = !ring[number].isIdentified ? .unknown : ring[number].state == .missing ? .lost : unlisted
        resolved.record(number)
    }

    /// Passes the new outcomes to `body`.
    @inline(__always)
    private mutating func report(_ resolved: ResolvedRange, _ body: (PacketRecord, PacketOutcome) -> Void) {
        guard resolved.first <= resolved.last else { return }
        var isMissing = false
        for number in resolved.first...resolved.last {
            let state = ring[number].state
            let followsMissing = isMissing && state == .arrived
            isMissing = state != .arrived && state != .resolved
            let outcome: PacketOutcome
            switch state {
            case .arrived: outcome = .received(arrival: ring[number].arrival)
            case .lost: outcome = .lost
            case .unknown: outcome = .unknown
            case .inFlight, .missing, .resolved: continue
            }
            ring[number].state = .resolved
            body(ring[number].packet(number, followsMissing: followsMissing), outcome)
        }
    }
}
