import RillCore

/// Tracks which packets are missing, and decides when to NACK which of them.
///
/// Feed it the extended sequence number of each packet that arrives. ``nextAction`` is when something is due; call
/// ``collect(at:)`` then, which notes the requests. A packet is requested at most once per round-trip time, as often
/// and as long as ``NACKSettings`` allow. Reordering is learned from packets that arrived late, and is awaited first
/// (``ReorderingMeter``).
///
/// Whether a missing packet may still arrive decides between waiting and a key frame:
/// ``arrivalDeadline(after:through:)``.
struct NACKGenerator: ~Copyable, Sendable {
    /// The round-trip time to the sender; at first one that is assumed.
    var roundTripTime: MediaDuration {
        didSet {
            next = nil
            isRoundTripKnown = true
        }
    }
    /// How much longer than a round trip an answer may take, because of jitter.
    var jitter = MediaDuration.zero
    /// The recent extent of packet reordering, as a delay.
    var reordering: MediaDuration { mutating get { meter.delay } }
    /// How many packets that was learned from.
    var meterCount: Int { mutating get { meter.count } }
    /// The newest packet that arrived or is known to be missing.
    private(set) var newest: Int64?
    /// The first packet that is only suspected to be missing; suspects are the newest ones.
    private(set) var suspected: Int64?

    private let settings: NACKSettings?
    /// The missing packets by ascending number: the first `count` values.
    private var missing: FixedStorage<Missing>
    private var count = 0
    /// Missing packets up to this number are expired.
    private var lostThrough = Int64.min
    /// When something is due next, or becomes expired; `nil` if it must be recomputed.
    private var next: MediaTime? = .distantFuture
    private var meter = ReorderingMeter()
    private var repaired = RepairedPackets()
    /// When a lost packet was last recovered.
    private var lastRepair: MediaTime?
    /// Consecutive wrong suspicions: the packet was only late.
    private(set) var falseAlarms = 0
    private var isRoundTripKnown = false

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Missing: BitwiseCopyable {
        var sequence: Int64
        /// When it was detected as missing.
        var detected: MediaTime
        var firstRequest = MediaTime.zero
        var lastRequest = MediaTime.zero
        var requestCount = 0
        /// Nothing has arrived after it yet: it may not even have been sent.
        var isSuspected = false
        var isGivenUp = false
    }

    /// After this many requests without an answer a key frame is more promising.
    static let patientRequestCount = 3
    /// The most requests for a packet that may not have been sent.
    static let suspectedRequestCount = 2
    /// How much longer than a round trip an answer may take.
    static let answerSlack = MediaDuration.milliseconds(5)
    /// How long a loss makes the next one likely.
    private static let lossMemory = MediaDuration.seconds(60)

    /// Creates a generator without missing packets; without settings it requests nothing.
    init(_ settings: NACKSettings?, roundTripTime: MediaDuration) {
        self.settings = settings
        self.roundTripTime = roundTripTime
        missing = FixedStorage(
            repeating: Missing(sequence: 0, detected: .zero), count: settings == nil ? 1 : NACKGenerator.capacity)
    }

    /// The most packets that are tracked as missing at once; beyond that the oldest are given up.
    static let capacity = 1024

    /// The missing packets that are not given up, or were given up and are still within reach.
    var missingCount: Int { count }

    // MARK: Arrivals

    /// Notes a packet that arrived. It may be a duplicate.
    @inline(__always)
    mutating func noteArrival(_ sequence: Int64, origin: PacketOrigin, at now: MediaTime) {
        guard settings != nil else { return }
        if let newest, sequence == newest + 1, suspected == nil {
            self.newest = sequence
        } else {
            noteOutOfOrder(sequence, origin: origin, at: now)
        }
    }

    /// Whether packet `sequence` directly follows the newest one, with no suspects pending.
    @inline(__always)
    mutating func continues(with sequence: Int64) -> Bool {
        guard settings != nil else { return true }
        guard let newest else { return false }
        return sequence == newest &+ 1 && suspected == nil
    }

    /// Notes a packet that directly follows the newest one.
    @inline(__always)
    mutating func follow(_ sequence: Int64) {
        guard settings != nil else { return }
        newest = sequence
    }

    private mutating func noteOutOfOrder(_ sequence: Int64, origin: PacketOrigin, at now: MediaTime) {
        guard let newest else {
            self.newest = sequence
            return
        }
        if sequence > newest {
            confirmSuspicion(before: sequence, at: now)
            addGap(from: newest + 1, to: sequence, at: now)
            self.newest = sequence
        } else {
            remove(sequence, origin: origin, at: now)
        }
    }

    /// Suspects that `count` packets from `sequence`, the one after the newest, are missing: their frame is
    /// incomplete or late, and nothing follows.
    mutating func suspect(_ sequence: Int64, count: Int = 1, at now: MediaTime) {
        guard settings != nil, let newest, sequence == newest + 1 else { return }
        addGap(from: sequence, to: sequence + Int64(count), at: now)
        for index in max(0, self.count - count)..<self.count { missing[index].isSuspected = true }
        suspected = suspected ?? sequence
        self.newest = sequence + Int64(count) - 1
    }

    /// Confirms suspects before `end` as missing, because something has arrived after them. A request that may still
    /// be answered counts; otherwise the packet is detected as missing now.
    private mutating func confirmSuspicion(before end: Int64, at now: MediaTime) {
        guard let first = suspected, first < end else { return }
        for index in 0..<count where missing[index].isSuspected && missing[index].sequence < end {
            let isAnswerDue = missing[index].requestCount == 0 || missing[index].lastRequest + answerTime <= now
            if isAnswerDue {
                missing[index] = Missing(sequence: missing[index].sequence, detected: now)
            } else {
                missing[index].isSuspected = false
                missing[index].isGivenUp = false
                missing[index].firstRequest = missing[index].lastRequest
            }
        }
        findSuspects()
        next = nil
    }

    private mutating func findSuspects() {
        suspected = nil
        for index in 0..<count where missing[index].isSuspected {
            suspected = missing[index].sequence
            break
        }
    }

    /// The number of packets from the first suspect on; nothing has arrived after them.
    var suspectCount: Int {
        guard let suspected, let newest else { return 0 }
        return Int(newest - suspected) + 1
    }

    private mutating func addGap(from start: Int64, to end: Int64, at now: MediaTime) {
        guard let settings else { return }
        if end - start > Int64(settings.maximumGap) {
            lostThrough = end - 1
            count = 0
        } else {
            for sequence in start..<end {
                if count == missing.count {
                    lostThrough = max(lostThrough, missing[0].sequence)
                    removeFirst(1)
                }
                missing[count] = Missing(sequence: sequence, detected: now)
                count += 1
            }
        }
        next = nil
    }

    private mutating func remove(_ sequence: Int64, origin: PacketOrigin, at now: MediaTime) {
        guard let index = index(of: sequence) else { return noteCopy(of: sequence, origin, at: now) }
        let packet = missing[index]
        count -= 1
        missing.move(from: index + 1, to: index, count: count - index)
        next = nil
        if packet.isSuspected {
            // Those after the first may belong to a frame that was not late.
            if suspected == sequence, packet.requestCount > 0 {
                falseAlarms = origin == .network ? min(falseAlarms + 1, 4) : 0
            }
            confirmSuspicion(before: sequence + 1, at: now)
        }
        if packet.isSuspected, origin == .network { return }
        // A packet that arrives before an answer is possible was not lost, but reordered. A receiver that only listens
        // does not know how soon that is: it may take answers for such packets.
        let isUnasked = packet.requestCount == 0
        if origin == .network, isUnasked || now - packet.firstRequest < roundTripTime / 2 {
            noteReordering(
                of: sequence, late: now - packet.detected, isCertain: isUnasked || isRoundTripKnown, at: now)
        } else {
            repaired.add(
                RepairedPackets.Packet(
                    sequence: sequence, detected: packet.detected, repaired: now, formerRepair: lastRepair,
                    mayBeOriginal: origin == .network))
            lastRepair = now
        }
    }

    /// Notes another copy of a packet: if it was repaired before, the original was not lost, but later than its repair.
    private mutating func noteCopy(of sequence: Int64, _ origin: PacketOrigin, at now: MediaTime) {
        guard let packet = repaired.take(sequence, copy: origin) else { return }
        if lastRepair == packet.repaired { lastRepair = packet.formerRepair }
        // Without a stream of their own, retransmissions look like originals: this one was no later than that.
        let arrival = packet.mayBeOriginal ? packet.repaired : now
        noteReordering(of: sequence, late: arrival - packet.detected, at: now)
    }

    private mutating func noteReordering(
        of sequence: Int64, late: MediaDuration, isCertain: Bool = true, at now: MediaTime
    ) {
        meter.note(sequence, late: late, newest: newest ?? sequence, isCertain: isCertain, at: now)
        next = nil
    }

    /// Whether packets were lost recently, so that one that does not arrive is probably lost.
    mutating func isLossy(at now: MediaTime) -> Bool {
        lastRepair.map { now - $0 <= NACKGenerator.lossMemory } ?? false
    }

    // MARK: Useless packets

    /// Removes everything before `floor`, which was played out or dropped.
    mutating func advance(to floor: Int64) {
        var index = 0
        while index < count, missing[index].sequence < floor { index += 1 }
        guard index > 0 else { return }
        removeFirst(index)
        findSuspects()
        next = nil
    }

    /// Removes the packets from `start` up to `end`: they carry no media.
    mutating func forget(from start: Int64, to end: Int64) {
        var kept = 0
        for index in 0..<count where !(start..<max(start, end)).contains(missing[index].sequence) {
            missing[kept] = missing[index]
            kept += 1
        }
        guard kept < count else { return }
        count = kept
        next = nil
    }

    /// Restarts after `sequence`, because the stream has jumped.
    mutating func restart(at sequence: Int64) {
        count = 0
        newest = sequence
        suspected = nil
        lostThrough = .min
        next = .distantFuture
        meter.restart()
        repaired.removeAll()
    }

    private mutating func removeFirst(_ removed: Int) {
        count -= removed
        missing.move(from: removed, to: 0, count: count)
    }

    // MARK: Requests

    /// When to call ``collect(at:)`` next.
    var nextAction: MediaTime {
        mutating get {
            if let next { return next }
            var earliest = MediaTime.distantFuture
            for index in 0..<count { earliest = min(earliest, nextAction(of: missing[index])) }
            next = earliest
            return earliest
        }
    }

    /// Notes that the packets that are due are requested now; gives up those that were requested often enough.
    ///
    /// - Parameter now: the current time.
    /// - Returns: the number of requested packets.
    mutating func collect(at now: MediaTime) -> Int {
        guard let settings else { return 0 }
        var requested = 0
        meter.review(newest: newest ?? 0, at: now)
        for index in 0..<count where nextAction(of: missing[index]) <= now {
            let most =
                missing[index].isSuspected ? NACKGenerator.suspectedRequestCount : settings.maximumRequestCount
            guard missing[index].requestCount < most,
                now - missing[index].detected <= settings.maximumAge
            else {
                missing[index].isGivenUp = true
                continue
            }
            if missing[index].requestCount == 0 { missing[index].firstRequest = now }
            missing[index].lastRequest = now
            missing[index].requestCount += 1
            requested += 1
        }
        next = nil
        return requested
    }

    /// Replaces the content of `numbers` by the packets that were requested at `time` or later and have not arrived.
    ///
    /// - Parameters:
    ///   - time: the start of the interval.
    ///   - numbers: receives the sequence numbers.
    /// - Returns: whether any of them had been requested before.
    mutating func collectUnanswered(since time: MediaTime, into numbers: inout [SequenceNumber]) -> Bool {
        numbers.removeAll(keepingCapacity: true)
        var isInVain = false
        for index in 0..<count where missing[index].requestCount > 0 && missing[index].lastRequest >= time {
            numbers.append(SequenceNumber(UInt16(truncatingIfNeeded: missing[index].sequence)))
            if missing[index].requestCount > 1 { isInVain = true }
        }
        return isInVain
    }

    private mutating func nextAction(of packet: Missing) -> MediaTime {
        if packet.isGivenUp { return .distantFuture }
        return packet.requestCount == 0 ? firstRequest(of: packet) : packet.lastRequest + answerTime
    }

    private mutating func firstRequest(of packet: Missing) -> MediaTime {
        packet.detected + max(meter.delay, settings?.firstRequestDelay ?? .zero)
    }

    /// The longest time of an answer, as far as known.
    private var answerTime: MediaDuration {
        roundTripTime + max(NACKGenerator.answerSlack, jitter)
    }

    // MARK: Deadlines

    /// Until when to wait for the missing packets after `start` and up to `end`: until the first of them was
    /// requested three times without an answer. `nil` if none of them is known to be missing.
    mutating func arrivalDeadline(after start: Int64, through end: Int64) -> MediaTime? {
        var earliest: MediaTime? = lostThrough > start ? MediaTime(nanoseconds: .min) : nil
        var index = 0
        while index < count, missing[index].sequence <= end {
            if missing[index].sequence > start {
                earliest = min(earliest ?? .distantFuture, arrivalDeadline(for: missing[index]))
            }
            index += 1
        }
        return earliest
    }

    private mutating func arrivalDeadline(for packet: Missing) -> MediaTime {
        // It is not known whether it was sent.
        if packet.isSuspected { return .distantFuture }
        if packet.isGivenUp { return MediaTime(nanoseconds: .min) }
        let first = packet.requestCount == 0 ? firstRequest(of: packet) : packet.firstRequest
        return first + answerTime * NACKGenerator.patientRequestCount
    }

    private mutating func index(of sequence: Int64) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if missing[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count && missing[low].sequence == sequence ? low : nil
    }
}
