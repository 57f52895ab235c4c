import RillCore
public import RillRTP

extension SentPacketHistory {
    /// Processes transport-wide feedback. Passes each packet whose outcome it resolves to `body`, in the order of
    /// their numbers.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback. Its content may be forged.
    ///   - body: receives each packet and its outcome.
    public mutating func take(_ feedback: borrowing TransportFeedback, _ body: (PacketRecord, PacketOutcome) -> Void) {
        resolve(feedback, body)
    }

    /// The inlined form: a call for each packet would cost more than its work.
    @inline(__always)
    mutating func resolve(_ feedback: borrowing TransportFeedback, _ body: (PacketRecord, PacketOutcome) -> Void) {
        let first = extended(feedback.baseSequenceNumber)
        guard next > 0, first <= next else {
            refusals.neverSent += feedback.count
            return
        }
        guard isNew(feedback.feedbackCount) else {
            refusals.outdated += 1
            return
        }
        // Packets that the receiver lists no more keep their last reported state.
        if oldest < first { resolve(before: first, body) }
        let range = open(first, count: feedback.count)
        var times = arrivals.mutableValues
        feedback.readArrivals(of: range, into: &times)
        // The reference time has units of 64 ms, a delta of 250 µs.
        let reference = references.extend(UInt32(bitPattern: feedback.referenceTime) & 0xFF_FFFF) * 256
        resolve(range.count, from: first + Int64(range.lowerBound), reference: reference, body)
        skipResolved()
    }

    /// Extends a number to the value closest to the newest packet. A receiver lists sent packets only, so it lies
    /// before that.
    private func extended(_ number: SequenceNumber) -> Int64 {
        let distance = Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: next - 1)))
        return next - 1 + distance
    }

    /// Whether feedback is at least as new as the last one. Older feedback adds nothing, as newer feedback repeats
    /// it.
    private mutating func isNew(_ feedbackCount: UInt8) -> Bool {
        let count = feedbackCounts.peek(UInt32(feedbackCount))
        if let newest = feedbackCounts.newest, count < newest, newest - count < 64 { return false }
        _ = feedbackCounts.extend(UInt32(feedbackCount))
        return true
    }

    /// The packets of a feedback whose outcome may be open, as indices into it. Counts the others as refused.
    private mutating func open(_ first: Int64, count: Int) -> Range<Int> {
        let end = min(count, Int(next - first))
        let start = min(max(0, Int(oldest - first)), end)
        let before = min(max(0, Int(-first)), start)
        let remembered = min(max(before, Int(next - Int64(ring.capacity) - first)), start)
        refusals.neverSent += count - end + before
        refusals.forgotten += remembered - before
        refusals.repeated += start - remembered
        return start..<end
    }

    // MARK: Outcomes

    /// Resolves packets by ``arrivals``.
    @inline(__always)
    private mutating func resolve(
        _ count: Int, from first: Int64, reference: Int64, _ body: (PacketRecord, PacketOutcome) -> Void
    ) {
        var resolving = Resolving(firstOpen: first &+ Int64(count))
        resolving.resolve(first..<first &+ Int64(count), of: &ring, arrivals, reference: reference, body)
        openByteCount &-= resolving.byteCount
        refusals.repeated &+= resolving.repeated
        oldest = max(oldest, resolving.firstOpen)
    }

    /// The state of resolving packets.
    private struct Resolving {
        var byteCount = 0
        var repeated = 0
        private var isMissing = false
        /// The first packet whose outcome is still open.
        var firstOpen: Int64

        init(firstOpen: Int64) { self.firstOpen = firstOpen }

        @inline(__always)
        mutating func resolve(
            _ numbers: Range<Int64>, of ring: inout NumberedRing<Entry>, _ arrivals: borrowing NumberedRing<Int64>,
            reference: Int64,
            _ body: (PacketRecord, PacketOutcome) -> Void
        ) {
            var entries = ring.contents
            let times = arrivals.values.extracting(first: numbers.count)
            for index in times.indices {
                let number = numbers.lowerBound &+ Int64(index)
                let entry = entries[number]
                guard entry.isOpen else {
                    repeated &+= 1
                    isMissing = false
                    continue
                }
                let time = times[index]
                guard time != TransportFeedback.notReceived else {
                    entries[number].state = .missing
                    isMissing = true
                    firstOpen = min(firstOpen, number)
                    continue
                }
                byteCount &+= Int(entry.openByteCount)
                entries[number].resolve()
                let arrival = MediaTime(nanoseconds: (reference &+ time) &* 250_000)
                let followsMissing = isMissing
                isMissing = false
                body(entry.packet(number, followsMissing: followsMissing), .received(arrival: arrival))
            }
        }
    }

    @inline(__always)
    private mutating func resolve(before first: Int64, _ body: (PacketRecord, PacketOutcome) -> Void) {
        while oldest < min(first, next) {
            let number = oldest
            if ring[number].isOpen {
                let outcome = ring[number].state == .missing ? PacketOutcome.lost : .unknown
                uncount(number)
                ring[number].resolve()
                body(ring[number].packet(number), outcome)
            }
            oldest &+= 1
        }
    }
}
