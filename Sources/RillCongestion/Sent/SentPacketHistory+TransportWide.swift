import RillCore
public import RillRTP

extension SentPacketHistory {
    /// Takes transport-wide feedback, and passes each packet whose fate it settles to `body`, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - body: receives the packet and its fate.
    public mutating func take(_ feedback: borrowing TransportFeedback, _ body: (PacketRecord, PacketFate) -> Void) {
        settle(feedback)
        tell(body)
    }

    /// Takes transport-wide feedback, and lists in ``settled`` the packets whose fate it settles, in the order of their numbers.
    mutating func settle(_ feedback: borrowing TransportFeedback) {
        settledCount = 0
        let first = extended(feedback.baseSequenceNumber)
        guard next > 0, first <= next else {
            refusals.neverSent += feedback.count
            return
        }
        guard isNew(feedback.feedbackCount) else {
            refusals.outdated += 1
            return
        }
        makeRoomForSettled()
        // What the receiver does not list any more keeps the fate that it was listed with.
        if oldest < first { settle(before: first) }
        let range = open(first, count: feedback.count)
        feedback.readArrivals(of: range, into: &arrivals)
        // 64 ms per step of the reference time, 250 µs per step of a delta.
        let reference = references.extend(UInt32(bitPattern: feedback.referenceTime) & 0xFF_FFFF) * 256
        settle(range.count, from: first + Int64(range.lowerBound), reference: reference)
        skipSettled()
    }

    /// The number that is closest to the newest packet's. A receiver lists nothing that was not sent, so it lies before that.
    private func extended(_ number: SequenceNumber) -> Int64 {
        let distance = Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: next - 1)))
        return next - 1 + distance
    }

    /// Whether feedback is at least as new as what was taken. Older feedback has nothing that a newer one did not repeat.
    private mutating func isNew(_ feedbackCount: UInt8) -> Bool {
        let count = feedbackCounts.peek(UInt32(feedbackCount))
        if let newest = feedbackCounts.newest, count < newest, newest - count < 64 { return false }
        _ = feedbackCounts.extend(UInt32(feedbackCount))
        return true
    }

    /// The packets of a feedback whose fate may be open, counted from its first one. Counts the others as refused.
    private mutating func open(_ first: Int64, count: Int) -> Range<Int> {
        let end = min(count, Int(next - first))
        let start = min(max(0, Int(oldest - first)), end)
        let before = min(max(0, Int(-first)), start)
        let remembered = min(max(before, Int(next - Int64(ring.count) - first)), start)
        refusals.neverSent += count - end + before
        refusals.forgotten += remembered - before
        refusals.repeated += start - remembered
        return start..<end
    }

    // MARK: Fates

    /// Settles packets by ``arrivals``.
    private mutating func settle(_ count: Int, from first: Int64, reference: Int64) {
        var settling = Settling(mask: ring.count - 1, used: settledCount)
        settling.settle(&ring, arrivals, count: count, from: first, reference: reference, &settled)
        settledCount = settling.used
        bytesInFlight -= settling.byteCount
        refusals.repeated += settling.repeated
        oldest = max(oldest, first + Int64(settling.firstOpen ?? count))
    }

    /// Packets while they are settled: what changes, in one place, and one access to each array for all of them. Single ones would cost more
    /// than what is done in them.
    private struct Settling {
        let mask: Int
        /// The places of the list that are used.
        var used: Int
        var byteCount = 0
        var repeated = 0
        private var isMissing = false
        /// The first packet whose fate is still open.
        var firstOpen: Int?

        init(mask: Int, used: Int) { (self.mask, self.used) = (mask, used) }

        @inline(__always)
        mutating func settle(
            _ ring: inout [Entry], _ arrivals: [Int64], count: Int, from first: Int64, reference: Int64,
            _ settled: inout [SettledPacket]
        ) {
            let times = arrivals.span
            var entries = ring.mutableSpan
            var output = settled.mutableSpan
            for index in 0..<count {
                let place = Int(truncatingIfNeeded: first &+ Int64(index)) & mask
                guard entries[place].isOpen else {
                    repeated &+= 1
                    isMissing = false
                    continue
                }
                guard times[index] != TransportFeedback.notReceived else {
                    entries[place].state = .missing
                    isMissing = true
                    if firstOpen == nil { firstOpen = index }
                    continue
                }
                if entries[place].isCounted { byteCount &+= Int(entries[place].packet.byteCount) }
                entries[place].isCounted = false
                entries[place].state = .settled
                let arrival = MediaTime(nanoseconds: (reference &+ times[index]) &* 250_000)
                entries[place].packet.followsMissing = isMissing
                isMissing = false
                output[used] = SettledPacket(entries[place].packet, .received, arrival: arrival, place: place)
                used &+= 1
            }
        }
    }

    private mutating func settle(before first: Int64) {
        while oldest < min(first, next) {
            let index = place(oldest)
            oldest += 1
            guard ring[index].isOpen else { continue }
            let outcome = ring[index].state == .missing ? SettledPacket.Outcome.lost : .unknown
            uncount(index)
            ring[index].state = .settled
            list(index, outcome)
        }
    }
}
