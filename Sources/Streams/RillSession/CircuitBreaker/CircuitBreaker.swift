import RillCore

/// The circuit breakers of a stream that is sent (RFC 8083): they stop what nobody receives, and what takes many times
/// its share of a network.
///
/// Note each frame that is queued and each packet that leaves, take each report on the stream, note all reports of the
/// remote side, and check when ``dueTime`` has come; each says what to do.
///
/// They are no congestion control, which keeps a stream far below their limits. They work from what every receiver
/// sends: reception reports (RFC 3550 §6.4). Reports may come more often than once a second, with each feedback (RFC
/// 4585): those between are used for what they show to have arrived, but not counted, so that early ones open nothing.
///
/// **Again.** A stopped stream resumes without anybody's call only when something shows that the reason is gone (RFC
/// 8083 §4.5), and not twice without progress in between. Otherwise ``restart()`` is for a change of the path, or the
/// user.
struct CircuitBreaker: Sendable {
    /// What a report says of the stream.
    struct Report: Sendable {
        /// The highest sequence number that arrived, extended (RFC 3550 §6.4.1).
        var highestNumber: UInt32
        /// The packets that did not arrive, since the start.
        var packetsLost: Int
        /// Which sender report of ours arrived last; 0 for none.
        var lastSenderReport: UInt32
        /// The round-trip time; `nil` if it is not known.
        var roundTripTime: MediaDuration?
        /// The packets that have left so far. Those that wait for the pacer are not among them: no report can show
        /// them.
        var packetsSent: Int
        /// Their bytes, with all headers.
        var bytesSent: Int
    }

    /// What to do.
    enum Outcome: Equatable, Sendable {
        case nothing
        /// Send so much at most: a tenth of what was sent.
        case reduce(Bitrate)
        /// Send as much again as congestion control allows.
        case lift
        /// Stop.
        case stop(CircuitBreak)
        /// Resume sending.
        case resume
    }

    /// Why nothing is sent; `nil` if it is.
    private(set) var reason: CircuitBreak?
    private var timeout = ReportTimeout()
    /// Whether a stop may end without a call: nothing arrived since the last one ended that way.
    private var mayResume = true
    /// Whether the remote side reported nothing at all when it was stopped.
    private var wasPeerSilent = false
    private var isReduced = false
    /// How many times as much may be sent as was, so that the breaker stays closed: the envelope of congestion control.
    private(set) var headroom = Double.infinity
    /// What was sent lately, in bits per second.
    private(set) var sentBits = 0.0
    /// The newest report, counted or not.
    private var newest: Report?
    /// The reports that count, the newest last, with their times.
    private var counted: [(report: Report, time: MediaTime)] = []
    /// The reports in a row that count, and show that nothing arrived of what was sent; and when the first one came.
    private var stall: (count: Int, since: MediaTime)?
    /// Since which report more packets are lost than arrive, all together; and when that came.
    private var unusable: (since: Report, time: MediaTime)?
    private var frameInterval = MediaDuration.zero
    private var lastFrame = MediaTime(nanoseconds: .min / 2)

    // MARK: Constants

    /// Reports that come sooner after one that counts do not: a receiver's own interval for video.
    static let reportSpacing = MediaDuration.seconds(1)
    /// The reports without progress after which nothing is taken to arrive. That is k of RFC 8083 §4.2, whose formula
    /// stretches it for long frame intervals and round trips; here reports that come sooner than these do not count.
    static let mediaTimeout = 5
    /// How many times as much as TCP a stream may take (RFC 8083 §4.3).
    static let excess = 10.0
    /// The share of that up to which congestion control may go: loss is measured over some hundred packets only.
    private static let envelope = 0.75
    /// The longest time over which that is measured, in seconds: the longer of 15 s and 3 Td, which is 15 s (RFC 8083
    /// §4.3).
    private static let longestWindow = 15.0
    /// More than half of the packets lost for 30 s: a frame of three packets then arrives once in eight times, and as
    /// many retransmissions get lost. What a viewer may still see is not worth its bitrate (RFC 8083 §4.4 leaves the
    /// numbers to the application).
    static let usability = (share: 0.5, time: MediaDuration.seconds(30))

    // MARK: What is sent

    /// Records that a frame is to be sent: Tf of RFC 8083 §3.
    @inline(__always)
    mutating func recordFrame(at now: MediaTime) {
        frameInterval = min(now - lastFrame, ReportTimeout.rest)
        lastFrame = now
    }

    /// Notes that a packet leaves.
    @inline(__always)
    mutating func noteSent(at now: MediaTime) {
        guard reason == nil else { return }
        timeout.noteSent(at: now)
    }

    /// When to check.
    @inline(__always)
    var dueTime: MediaTime { timeout.dueTime }

    /// Does what is due by time.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - lastReport: when the remote side sent its last report on anything; `nil` for never.
    mutating func check(at now: MediaTime, lastReport: MediaTime?) -> Outcome {
        guard reason == nil, let since = timeout.waitingSince, let silence = timeout.check(at: now) else {
            return .nothing
        }
        wasPeerSilent = lastReport.map { $0 <= since } ?? true
        return stop(.reportTimeout(silence))
    }

    /// Sends again: the path is another one, or the user wants it.
    mutating func restart() {
        let former = self
        self = CircuitBreaker()
        (frameInterval, lastFrame) = (former.frameInterval, former.lastFrame)
    }

    /// Records that congestion control has lowered the rate because of loss: what was sent before says nothing of what
    /// is sent now.
    mutating func noteCut() {
        counted.removeAll(keepingCapacity: true)
        (headroom, sentBits) = (.infinity, 0)
    }

    // MARK: What is reported

    /// Notes that the remote side sent reports, on whatever.
    mutating func notePeer() -> Outcome {
        guard case .reportTimeout = reason, wasPeerSilent, mayResume else { return .nothing }
        return resume()
    }

    /// Takes a report on the stream.
    ///
    /// - Parameters:
    ///   - report: the report, and what was sent so far.
    ///   - isReducible: whether congestion control can send a tenth.
    ///   - now: the current time.
    mutating func take(_ report: Report, isReducible: Bool, at now: MediaTime) -> Outcome {
        timeout.noteReport()
        let former = newest
        newest = report
        let hasProgress = former.map { Int32(bitPattern: report.highestNumber &- $0.highestNumber) > 0 } ?? true
        if hasProgress { mayResume = true }
        if let reason {
            let hasSenderReport = report.lastSenderReport != former?.lastSenderReport
            return mayEnd(reason, hasProgress || hasSenderReport) ? resume() : .nothing
        }
        if hasProgress { stall = nil }
        guard let last = counted.last else {
            counted.append((report, now))
            return .nothing
        }
        let spacing = max(CircuitBreaker.reportSpacing, frameInterval, report.roundTripTime ?? .zero)
        guard now - last.time >= spacing else { return .nothing }
        defer { count(report, at: now) }
        // While nothing is sent, reports show nothing.
        guard report.packetsSent > last.report.packetsSent else {
            counted.removeAll(keepingCapacity: true)
            // That time does not count; what was lost before does.
            if let start = unusable { unusable = (start.since, start.time + (now - last.time)) }
            return .nothing
        }
        if Int32(bitPattern: report.highestNumber &- last.report.highestNumber) <= 0 {
            return takeStall(at: now)
        }
        return takeLoss(report, since: last, isReducible: isReducible, at: now)
    }

    private func mayEnd(_ reason: CircuitBreak, _ hasArrived: Bool) -> Bool {
        guard mayResume else { return false }
        return switch reason {
        case .reportTimeout: true
        case .mediaTimeout: hasArrived
        case .congestion, .unusable: false
        }
    }

    private mutating func count(_ report: Report, at now: MediaTime) {
        if counted.count == Int(CircuitBreaker.longestWindow) + 1 { counted.removeFirst() }
        counted.append((report, now))
    }

    /// RFC 8083 §4.2.
    private mutating func takeStall(at now: MediaTime) -> Outcome {
        let now = (count: (stall?.count ?? 0) + 1, since: stall?.since ?? now, time: now)
        stall = (now.count, now.since)
        guard now.count >= CircuitBreaker.mediaTimeout else { return .nothing }
        return stop(.mediaTimeout(reports: now.count, now.time - now.since))
    }

    /// RFC 8083 §4.4, then §4.3.
    private mutating func takeLoss(
        _ report: Report, since last: (report: Report, time: MediaTime), isReducible: Bool, at now: MediaTime
    ) -> Outcome {
        if let time = unusableTime(report, since: last, at: now) { return stop(.unusable(time)) }
        guard let roundTrip = report.roundTripTime?.seconds, roundTrip > 0, now > counted[0].time else {
            return .nothing
        }
        let interval = (now - counted[0].time).seconds / Double(counted.count)
        let window = CircuitBreaker.window(interval: interval, frameInterval.seconds, roundTrip)
        let first = counted[max(counted.count - window, 0)]
        let share = CircuitBreaker.loss(first.report, report)
        let packets = Double(report.packetsSent - first.report.packetsSent)
        let bits = 8 * Double(report.bytesSent - first.report.bytesSent)
        let sent = bits / (now - first.time).seconds
        guard sent > 0 else { return .nothing }
        let fair = share > 0 ? CircuitBreaker.fairRate(packetBits: bits / packets, roundTrip, loss: share) : .infinity
        (headroom, sentBits) = (CircuitBreaker.envelope * CircuitBreaker.excess * fair / sent, sent)
        guard counted.count >= window else { return .nothing }
        guard sent > CircuitBreaker.excess * fair else {
            guard isReduced else { return .nothing }
            isReduced = false
            return .lift
        }
        if isReducible, !isReduced {
            isReduced = true
            // What was sent before says nothing of the tenth.
            counted.removeAll(keepingCapacity: true)
            return .reduce(CircuitBreaker.bitrate(sent / 10))
        }
        return stop(
            .congestion(
                sent: CircuitBreaker.bitrate(sent), fair: CircuitBreaker.bitrate(fair),
                lossPerMille: Int(1000 * share)))
    }

    /// For how long more is lost than arrives, if that is too long. Of chance losses some reports show fewer than the
    /// share: the whole time counts, and that there is no improvement at its end.
    private mutating func unusableTime(
        _ report: Report, since last: (report: Report, time: MediaTime), at now: MediaTime
    ) -> MediaDuration? {
        let limit = CircuitBreaker.usability
        let isBad = CircuitBreaker.loss(last.report, report) > limit.share
        if let start = unusable?.since, CircuitBreaker.loss(start, report) <= limit.share { unusable = nil }
        if unusable == nil, isBad { unusable = (last.report, last.time) }
        guard let start = unusable?.time, isBad, now - start >= limit.time else { return nil }
        return now - start
    }

    // MARK: Arithmetic

    /// The share of the packets between two reports that did not arrive, 0 to 1.
    private static func loss(_ first: Report, _ last: Report) -> Double {
        let expected = Int(Int32(bitPattern: last.highestNumber &- first.highestNumber))
        guard expected > 0 else { return 0 }
        return min(max(Double(last.packetsLost - first.packetsLost) / Double(expected), 0), 1)
    }

    /// Over how many reports the loss is averaged: CB_INTERVAL of RFC 8083 §4.3. G is 1, as an encoder follows the
    /// bitrate with each frame, and Tdr is the measured time between the reports that count.
    static func window(interval: Double, _ frameInterval: Double, _ roundTrip: Double) -> Int {
        let time = min(max(10 * frameInterval, 10 * roundTrip, 3 * interval), longestWindow)
        return Int((3 * time / (3 * interval)).rounded(.up))
    }

    /// What TCP would send, in bits per second: the simple form of its throughput (RFC 8083 §4.3).
    static func fairRate(packetBits: Double, _ roundTrip: Double, loss: Double) -> Double {
        packetBits / (roundTrip * (2 * loss / 3).squareRoot())
    }

    private static func bitrate(_ bits: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(min(max(bits, 0), 1e15))) }

    // MARK: Stop and resume

    private mutating func stop(_ reason: CircuitBreak) -> Outcome {
        self.reason = reason
        forget()
        return .stop(reason)
    }

    private mutating func resume() -> Outcome {
        (reason, mayResume) = (nil, false)
        forget()
        return .resume
    }

    private mutating func forget() {
        timeout.noteReport()
        counted.removeAll(keepingCapacity: true)
        (stall, unusable, isReduced) = (nil, nil, false)
        (headroom, sentBits) = (.infinity, 0)
    }
}
