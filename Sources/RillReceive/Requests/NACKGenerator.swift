import RillCore

/// Knows which packets are missing, and says when to ask for which of them again.
///
/// Feed it with the extended number of each packet that comes, then ask until when nothing is to be done
/// (``nextAction``); at that time ``collect(at:)`` notes what is asked for. A packet is asked for at most once in
/// a round-trip time, as often and as long as ``NACKSettings`` lets; what packets overtake each other by is learnt from
/// those that came late without having been asked for, and waited for first.
///
/// Whether a missing packet may still come is what decides between waiting and a key frame: ``hope(after:through:)``.
struct NACKGenerator: ~Copyable, Sendable {
    /// From here to the sender and back.
    var roundTripTime: MediaDuration {
        didSet { next = nil }
    }
    /// How much longer than that an answer may take: what packets scatter by on their way.
    var jitter = MediaDuration.zero
    /// By how much packets have lately overtaken each other.
    private(set) var reordering = MediaDuration.zero
    /// The newest packet that came or is known to be missing.
    private(set) var newest: Int64?
    /// The first of those that are only suspected to be missing; they are the newest ones.
    private(set) var suspected: Int64?

    private let settings: NACKSettings?
    /// The packets that are missing, by rising number: the first `count` values.
    private var missing: FixedStorage<Missing>
    private var count = 0
    /// Packets up to this number are beyond hope, where they are missing.
    private var lostThrough = Int64.min
    /// When something is to be done next, or to be found hopeless; worked out anew where it is `nil`.
    private var next: MediaTime? = .distantFuture
    private var lastReordering = MediaTime.zero
    /// When a packet that had been lost came again.
    private var lastRepair: MediaTime?
    /// Suspicions in a row that were wrong: the packet was only late.
    private(set) var falseAlarms = 0

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Missing: BitwiseCopyable {
        var sequence: Int64
        /// When it was found missing.
        var detected: MediaTime
        var firstRequest = MediaTime.zero
        var lastRequest = MediaTime.zero
        var requestCount = 0
        /// Nothing has come behind it yet: it may not even have been sent.
        var isSuspected = false
        var isGivenUp = false
    }

    /// After so many requests without an answer a key frame is the better hope.
    static let patientRequestCount = 3
    /// A packet that may not have been sent is not asked for any oftener.
    static let suspectedRequestCount = 2
    /// An answer may take this much longer than the round trip.
    static let answerSlack = MediaDuration.milliseconds(5)
    /// The most that is waited because packets overtake each other.
    static let maximumReordering = MediaDuration.milliseconds(100)
    /// How long a loss makes the next one likely.
    private static let lossMemory = MediaDuration.seconds(60)
    /// How soon a network that has stopped reordering is believed to have.
    private static let reorderingMemory = MediaDuration.seconds(10)

    /// A generator that misses nothing yet; without settings it asks for nothing.
    init(_ settings: NACKSettings?, roundTripTime: MediaDuration) {
        self.settings = settings
        self.roundTripTime = roundTripTime
        missing = FixedStorage(
            repeating: Missing(sequence: 0, detected: .zero), count: settings == nil ? 1 : NACKGenerator.capacity)
    }

    /// The most packets that are known to be missing at once; of more the oldest are given up.
    static let capacity = 1024

    /// Packets that are missing and not given up, or were given up and not passed over yet.
    var missingCount: Int { count }

    // MARK: What came

    /// Notes a packet that came. It may have been there before.
    @inline(__always)
    mutating func noteArrival(_ sequence: Int64, origin: PacketOrigin, at now: MediaTime) {
        guard settings != nil else { return }
        if let newest, sequence == newest + 1, suspected == nil {
            self.newest = sequence
        } else {
            noteOutOfOrder(sequence, origin: origin, at: now)
        }
    }

    /// Whether packet `sequence` is the one behind the newest, of which nothing was suspected.
    @inline(__always)
    mutating func continuesFrame(with sequence: Int64) -> Bool {
        guard settings != nil else { return true }
        guard let newest else { return false }
        return sequence == newest &+ 1 && suspected == nil
    }

    /// Notes a packet that goes on.
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

    /// Suspects that packets from the one after the newest on are missing: their frame is not whole, or late, and nothing
    /// follows.
    mutating func suspect(_ sequence: Int64, count: Int = 1, at now: MediaTime) {
        guard settings != nil, let newest, sequence == newest + 1 else { return }
        addGap(from: sequence, to: sequence + Int64(count), at: now)
        for index in max(0, self.count - count)..<self.count { missing[index].isSuspected = true }
        suspected = suspected ?? sequence
        self.newest = sequence + Int64(count) - 1
    }

    /// Something has come behind suspects: those before `end` are missing for certain. A request for one of them that may
    /// still be answered counts; else it is found missing now.
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

    /// How many packets, from the first suspect on, nothing has come behind.
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
        guard let index = index(of: sequence) else { return }
        let packet = missing[index]
        count -= 1
        missing.move(from: index + 1, to: index, count: count - index)
        next = nil
        if packet.isSuspected {
            // Those behind the first may be of a frame that was not late.
            if suspected == sequence, packet.requestCount > 0 {
                falseAlarms = origin == .network ? min(falseAlarms + 1, 4) : 0
            }
            confirmSuspicion(before: sequence + 1, at: now)
        }
        // What comes before an answer can have come was not lost, but overtaken.
        let wasOvertaken =
            origin == .network && !packet.isSuspected
            && (packet.requestCount == 0 || now - packet.firstRequest < roundTripTime / 2)
        guard wasOvertaken else {
            if !packet.isSuspected || origin != .network { lastRepair = now }
            return
        }
        let delay = now - packet.detected
        lastReordering = now
        reordering = min(NACKGenerator.maximumReordering, max(reordering, delay + delay / 10))
    }

    /// Whether packets have been lost lately, so that one that does not come may well be lost.
    mutating func isLossy(at now: MediaTime) -> Bool {
        lastRepair.map { now - $0 <= NACKGenerator.lossMemory } ?? false
    }

    // MARK: What is no use any more

    /// What lies before `floor` was played out or dropped: no packet of it can serve any more.
    mutating func advance(to floor: Int64) {
        var index = 0
        while index < count, missing[index].sequence < floor { index += 1 }
        guard index > 0 else { return }
        removeFirst(index)
        findSuspects()
        next = nil
    }

    /// No packet from `start` up to `end` can serve: those that lie there carry no media.
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

    /// Begins anew behind `sequence`: the stream has jumped.
    mutating func restart(at sequence: Int64) {
        count = 0
        newest = sequence
        suspected = nil
        lostThrough = .min
        next = .distantFuture
    }

    private mutating func removeFirst(_ removed: Int) {
        count -= removed
        missing.move(from: removed, to: 0, count: count)
    }

    // MARK: What to ask for

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

    /// Takes note that what is due is asked for now; gives up what was asked for often enough.
    ///
    /// - Returns: how many packets are asked for.
    mutating func collect(at now: MediaTime) -> Int {
        guard let settings else { return 0 }
        var requested = 0
        if now - lastReordering > NACKGenerator.reorderingMemory {
            reordering = reordering / 2
            lastReordering = now
        }
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

    /// Puts the numbers that were asked for at `time` or since, and have not come, into `numbers`, in place of what was
    /// there.
    ///
    /// - Returns: whether any of them had been asked for before.
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
        packet.detected + max(reordering, settings?.firstRequestDelay ?? .zero)
    }

    /// How long an answer takes at the most, as far as known.
    private var answerTime: MediaDuration {
        roundTripTime + max(NACKGenerator.answerSlack, jitter)
    }

    // MARK: Whether there is hope

    /// Until when it is worth to wait for the missing packets behind `start` and up to `end`: until the first of them has
    /// been asked for three times without an answer. `nil` if none of them is known to be missing.
    mutating func hope(after start: Int64, through end: Int64) -> MediaTime? {
        var earliest: MediaTime? = lostThrough > start ? MediaTime(nanoseconds: .min) : nil
        var index = 0
        while index < count, missing[index].sequence <= end {
            if missing[index].sequence > start { earliest = min(earliest ?? .distantFuture, hope(for: missing[index])) }
            index += 1
        }
        return earliest
    }

    private mutating func hope(for packet: Missing) -> MediaTime {
        // Nobody knows whether it was sent.
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
