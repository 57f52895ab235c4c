import RillCore
import RillRTP

/// Says when a NACK is to leave, and for which packets: the one place where that is decided.
///
/// ``NACKGenerator`` knows which packets are missing, and asks for each once in a round trip. ``RequestRepeater`` has what was
/// asked for, and does not come, asked for again within that round trip. A NACK names all packets of which that is true, so
/// one that is lost on its way costs no round trip of waiting.
///
/// Feed the generator with what comes. At ``nextRequest`` ask ``isRequestDue(at:jitter:)``, at ``nextRepetition``
/// ``isRepetitionDue(at:)``; where one of them says so, ``collectUnanswered(at:jitter:into:)`` gives the numbers.
struct NACKScheduler: ~Copyable, Sendable {
    /// What is missing.
    var generator: NACKGenerator
    private var repeater: RequestRepeater
    /// Packets that the last NACK asks for, and the one before did not; none, if it repeats that one.
    private(set) var newCount = 0
    /// When a packet was asked for last that was not in the NACK before.
    private var lastRequest: MediaTime?

    init(_ settings: NACKSettings?, roundTripTime: MediaDuration) {
        generator = NACKGenerator(settings, roundTripTime: roundTripTime)
        repeater = RequestRepeater(count: settings?.copies ?? 0)
    }

    /// When packets are to be asked for, or are beyond hope.
    var nextRequest: MediaTime {
        @inline(__always) mutating get { generator.nextAction }
    }

    /// When the last NACK is to be repeated.
    var nextRepetition: MediaTime {
        @inline(__always) get { repeater.nextTime }
    }

    /// Whether packets are to be asked for now; if so, notes that they are.
    ///
    /// - Parameter jitter: by how much longer than a round trip an answer may take: what packets scatter by.
    mutating func isRequestDue(at now: MediaTime, jitter: MediaDuration) -> Bool {
        generator.jitter = jitter
        newCount = generator.collect(at: now)
        if newCount > 0 { lastRequest = now }
        return newCount > 0
    }

    /// Whether the last NACK is to be repeated now; if so, notes that it is.
    mutating func isRepetitionDue(at now: MediaTime) -> Bool {
        guard repeater.isDue(at: now) else { return false }
        if lastRequest != now { newCount = 0 }
        return true
    }

    /// Puts the numbers of packets that were asked for within this round trip, and have not come, into `numbers`, in place of
    /// what was there: whatever else is sent names them once more.
    mutating func collectUnanswered(
        at now: MediaTime, jitter: MediaDuration, into numbers: inout [SequenceNumber]
    ) {
        repeater.note(roundTripTime: generator.roundTripTime, jitter: jitter)
        let isInVain = generator.collectUnanswered(since: now - repeater.window, into: &numbers)
        if numbers.isEmpty {
            repeater.end()
        } else if lastRequest == now {
            repeater.begin(isInVain: isInVain, at: now)
        }
    }
}
