import RillCongestion
import RillCore
import RillRTP

/// The congestion control of a session that sends: what left, what came of it, and what waits to leave.
///
/// In memory of its own, so that sessions without it stay small.
struct SessionCongestion: ~Copyable {
    var history = SentPacketHistory()
    var estimate: BandwidthEstimate
    let waiting: PacedDatagrams
    private var settings: CongestionSettings
    private var budget = RateBudget()
    /// What was sent, for the budget.
    private var counts = RateBudget.Counts()
    /// When the next packet may leave; in the distant future while none waits.
    private(set) var paceTime = MediaTime.distantFuture
    private var pathLoss = PathLoss()
    /// What the rate follows where the negotiated feedback does not come, or none was negotiated.
    private var reported: LossBasedEstimate
    private var fallback: ReportFallback
    /// When what was in flight was given up.
    private var floodTime = MediaTime(nanoseconds: .min / 2)
    /// How long packets without a report count as in flight.
    private static let memory = MediaDuration.milliseconds(700)
    /// The most that a circuit breaker allows; and a tenth of what was too much, while that is tried.
    private var limit = Bitrate.megabits(1_000_000)
    private var reduction: Bitrate?
    /// Packets that were dropped from the pacer by a cut.
    private(set) var packetsDiscarded = 0
    /// What left and was not taken yet: few values, since it is taken after each release.
    private var departures: [Departure] = []

    /// Packets of one stream that left one after the other.
    struct Departure {
        /// The stream's number.
        let stream: Int
        var packetCount = 0
        /// With all headers.
        var byteCount = 0
        /// Whether packets of frames are among them.
        var hasMedia = false
    }

    init(_ settings: CongestionSettings, _ waiting: PacedDatagrams) {
        (self.settings, self.waiting) = (settings, waiting)
        estimate = BandwidthEstimate(start: settings.start, range: settings.bounds)
        reported = LossBasedEstimate(start: settings.startWithoutFeedback, range: settings.bounds)
        fallback = ReportFallback(settings.feedback)
        waiting.setRate(pacingRate(at: .zero))
    }

    /// Moves the packets whose time has come into the queue, with their transport-wide sequence numbers.
    mutating func release(at now: MediaTime, to queue: DatagramQueue) {
        waiting.setRate(pacingRate(at: now))
        waiting.setBursts(allowsBursts)
        releaseDue(at: now, to: queue)
    }

    /// How fast packets leave. Trains that are faster than the rate show what the path carries only where feedback
    /// tells of them.
    private func pacingRate(at now: MediaTime) -> Bitrate {
        fallback.isActive || fallback.isUnheard ? estimate.rate : estimate.pacingRate(at: now)
    }

    /// Whether packets of a frame leave together. Without feedback of packets, nothing detects contention.
    private var allowsBursts: Bool { !fallback.isActive && !fallback.isUnheard && estimate.allowsBursts }

    private mutating func releaseDue(at now: MediaTime, to queue: DatagramQueue) {
        while true {
            switch waiting.poll(at: now) {
            case .wait(until: let time):
                paceTime = time
                return
            case .send(let token): depart(token, at: now, to: queue)
            }
        }
    }

    private mutating func depart(_ token: Int, at now: MediaTime, to queue: DatagramQueue) {
        let (slot, size) = waiting.slot(token)
        let byteCount = size + settings.packetOverhead
        count(slot.purpose, byteCount)
        register(slot, byteCount: byteCount)
        // Where no feedback is to come, its absence tells nothing.
        if !fallback.isActive { estimate.recordSent(byteCount: byteCount, at: now) }
        let number = record(token, slot, byteCount: byteCount, at: now)
        waiting.move(token, numbered: slot.numberOffset >= 0 ? number : nil, to: queue, at: now)
    }

    private mutating func register(_ slot: PacedDatagrams.Slot, byteCount: Int) {
        guard slot.purpose != .rtcp else { return }
        if departures.last?.stream != slot.stream { departures.append(Departure(stream: slot.stream)) }
        let index = departures.count - 1
        departures[index].packetCount += 1
        departures[index].byteCount += byteCount
        if slot.purpose == .media { departures[index].hasMedia = true }
    }

    /// Takes packets that left; `nil` if there are no more.
    mutating func takeDeparture() -> Departure? { departures.popLast() }

    /// Records a packet as the feedback will refer to it; `nil` if that cannot.
    private mutating func record(
        _ token: Int, _ slot: PacedDatagrams.Slot, byteCount: Int, at now: MediaTime
    ) -> SequenceNumber? {
        switch settings.feedback {
        case .byStream:
            guard let (ssrc, number) = waiting.identity(token) else { return nil }
            return history.record(
                slot.purpose, of: ssrc, number, byteCount: byteCount, train: slot.train, at: now)
        case .transportWide:
            guard slot.numberOffset >= 0 else { return nil }
            return history.record(slot.purpose, byteCount: byteCount, train: slot.train, at: now)
        case nil: return nil
        }
    }

    private mutating func count(_ purpose: OutgoingPacket.Kind, _ byteCount: Int) {
        switch purpose {
        case .media:
            counts.mediaPackets += 1
            counts.mediaBytes += byteCount
        case .retransmission: counts.retransmittedBytes += byteCount
        case .fec: counts.fecBytes += byteCount
        case .rtcp: counts.otherBytes += byteCount
        case .padding: break
        }
    }

    /// Notes an encoded frame that was queued.
    mutating func noteFrame(byteCount: Int) {
        counts.frames += 1
        counts.frameBytes += byteCount
    }

    /// Notes a datagram that leaves without waiting.
    mutating func noteFeedback(byteCount: Int) { count(.rtcp, byteCount + settings.packetOverhead) }

    /// Moves everything that waits into the queue, whether its time has come or not.
    mutating func releaseAll(at now: MediaTime, to queue: DatagramQueue) {
        var time = now
        // A packet takes two steps: the wait for its time, and its departure.
        var bound = PollBound(2 * waiting.count + 2)
        polling: while bound.take() {
            switch waiting.poll(at: time) {
            case .wait(until: .distantFuture): break polling
            case .wait(until: let next): time = next
            case .send(let token): depart(token, at: now, to: queue)
            }
        }
        paceTime = .distantFuture
    }

    /// The kind of feedback that the estimate follows.
    var feedback: StreamDescription.CongestionFeedback? { settings.feedback }

    /// Takes transport-wide feedback; returns whether the rate was cut because of overload.
    mutating func take(_ feedback: borrowing TransportFeedback, at now: MediaTime) -> Bool {
        fallback.noteFeedback()
        let cuts = estimate.cutCount
        estimate.take(feedback, of: &history, at: now)
        return noteCuts(since: cuts, at: now)
    }

    /// Takes feedback by stream; returns whether the rate was cut because of overload.
    mutating func take(_ feedback: borrowing CongestionControlFeedback, at now: MediaTime) -> Bool {
        fallback.noteFeedback()
        let cuts = estimate.cutCount
        estimate.take(feedback, of: &history, at: now)
        return noteCuts(since: cuts, at: now)
    }

    /// Takes reception reports; returns whether they cut the rate.
    mutating func take(_ report: LossBasedEstimate.Report, at now: MediaTime) -> Bool {
        fallback.noteReport(hasProgress: report.packetsExpected > 0, at: now)
        guard fallback.isActive else { return false }
        let former = reported.rate(at: now)
        reported.take(report, at: now)
        followReports(at: now)
        return reported.rate(at: now) < former
    }

    /// Takes a REMB.
    mutating func take(maximum bitsPerSecond: UInt64, at now: MediaTime) {
        reported.take(maximum: bitsPerSecond, at: now)
        followReports(at: now)
    }

    private mutating func followReports(at now: MediaTime) {
        guard fallback.isActive else { return }
        let rate = max(min(reported.rate(at: now), limit, reduction ?? limit), settings.bounds.lowerBound)
        if rate != estimate.rate { estimate.set(rate, at: now) }
    }

    /// What the rate follows.
    var rateFeedback: RateFeedback { fallback.source }

    /// Returns what the rate follows if that has changed.
    mutating func takeRateFeedback(at now: MediaTime) -> RateFeedback? {
        fallback.update(hasMaximum: reported.hasMaximum(at: now))
    }

    /// When ``update(at:)`` is due without feedback: too long none came.
    var dueTime: MediaTime {
        if fallback.isUnheard { return .distantFuture }
        return fallback.isActive ? reported.dueTime : estimate.dueTime
    }

    /// When the next packet may leave, or ``update(at:)`` is due. Mutating, so that no part of this value is copied.
    var wakeTime: MediaTime { mutating get { min(paceTime, dueTime) } }

    /// Whether ``update(at:)`` is due. Mutating, so that no part of this value is copied.
    mutating func isDue(at now: MediaTime) -> Bool { dueTime <= now }

    /// Works out the estimate again; returns whether the rate was cut because of overload.
    mutating func update(at now: MediaTime) -> Bool {
        guard !fallback.isActive else {
            reported.update(at: now)
            followReports(at: now)
            return false
        }
        if now >= estimate.dueTime, fallback.endWait() {
            // Receivers without RTCP are like this, and a path on which nothing arrives. The rate is no guess of what
            // it carries, and the circuit breaker ends it after 15 s (RFC 8083 §4.1).
            if estimate.rate > settings.startWithoutFeedback { estimate.set(settings.startWithoutFeedback, at: now) }
            return false
        }
        let cuts = estimate.cutCount
        estimate.update(at: now)
        return noteCuts(since: cuts, at: now)
    }

    private mutating func noteCuts(since count: Int, at now: MediaTime) -> Bool {
        guard estimate.cutCount > count else { return false }
        pathLoss.noteCut(at: now)
        return true
    }

    /// What the path loses, 0 to 1, once a second.
    mutating func takePathLoss(at now: MediaTime) -> Double? {
        pathLoss.update(estimate.lossShare, at: now) ? pathLoss.share : nil
    }

    /// Reduces the bitrate for a reason that feedback does not tell. Where there is feedback, it rises as that shows
    /// room.
    mutating func reduce(to bitrate: Bitrate, at now: MediaTime) {
        reduction = bitrate
        reported.reduce(to: bitrate, at: now)
        estimate.set(bitrate, at: now)
        pathLoss.noteCut(at: now)
    }

    /// Ends a reduction, where no feedback does.
    mutating func lift(at now: MediaTime) {
        reduction = nil
        followReports(at: now)
    }

    /// Limits the bitrate, in bits per second with all headers: infinity for no limit.
    mutating func limit(to bits: Double, at now: MediaTime) {
        limit = bits < 1e12 ? Bitrate(bitsPerSecond: Int(max(bits, 0))) : .megabits(1_000_000)
        estimate.limit(to: limit)
        followReports(at: now)
    }

    /// Begins again on another path: what is in flight on the old one says nothing of it.
    mutating func restart(at now: MediaTime) {
        history.reset()
        estimate.restart(at: now)
        reported = LossBasedEstimate(start: settings.startWithoutFeedback, range: settings.bounds)
        fallback.restart()
        limit = .megabits(1_000_000)
        lift(at: now)
        pathLoss.reset()
    }

    /// The probe to send now; `nil` for none.
    mutating func takeProbe(at now: MediaTime) -> ProbeCluster? {
        !fallback.isActive && packetCount == 0 ? estimate.takeProbe(at: now) : nil
    }

    /// Sets the bounds of the bitrate from now on.
    mutating func setBounds(_ bounds: ClosedRange<Bitrate>) {
        settings.bitrates = bounds
        estimate.setRange(bounds)
        reported.setRange(bounds)
    }

    mutating func requestProbe(of bitrate: Bitrate) { estimate.requestProbe(of: bitrate) }

    /// Notes that the packets that wait are those of a probe.
    mutating func recordProbe() {
        estimate.recordProbe(byteCount: waiting.byteCount)
    }

    /// Drops the frames of a stream that wait; returns whether there were any.
    mutating func discardFrames(of stream: Int) -> Bool {
        let count =
            waiting.discard(.deltaFrame, stream: stream)
            + waiting.discard(.keyFrame, stream: stream)
            + waiting.discard(.fec, stream: stream)
        packetsDiscarded += count
        return count > 0
    }

    /// Whether what is in flight should be given up, after a cut. Once for each flood: what replaces it is in flight
    /// with it for a while.
    mutating func takeFlood(at now: MediaTime) -> Bool {
        guard estimate.isFlooded(bytesInFlight), now >= floodTime + SessionCongestion.memory else {
            return false
        }
        floodTime = now
        return true
    }

    /// Drops the retransmissions of a stream that wait.
    mutating func discardRetransmissions(of stream: Int) {
        packetsDiscarded += waiting.discard(.retransmission, stream: stream)
    }

    /// Whether the path has stalled, for longer than a queue explains.
    func isStalled(at now: MediaTime) -> Bool { !fallback.isActive && estimate.hasStalled(at: now) }

    /// The packets that wait.
    var packetCount: Int { waiting.count }

    /// The bytes that no feedback has reported yet; 0 where none comes, and before the first one, unless the start is
    /// bold.
    var bytesInFlight: Int {
        let isBold = !fallback.isActive && !fallback.isUnheard && estimate.rate > settings.startWithoutFeedback
        return fallback.hasFeedback || isBold ? history.bytesInFlight : 0
    }

    mutating func allowance(at now: MediaTime) -> SendingAllowance {
        history.expire(sentBefore: now - SessionCongestion.memory)
        budget.update(counts, at: now)
        let queued = waiting.byteCount
        let isFull = estimate.isWindowFull(bytesInFlight + queued, at: now)
        let obstacle: SendingAllowance.Obstacle? =
            waiting.isFull ? .queueFull : isFull ? .windowFull : nil
        let (rate, next) = (estimate.rate, estimate.mediaRate(queued: queued, at: now))
        return SendingAllowance(
            bitrate: rate, frameBitrate: budget.encoderRate(of: rate), nextFrameBitrate: budget.encoderRate(of: next),
            obstacle: obstacle)
    }
}
