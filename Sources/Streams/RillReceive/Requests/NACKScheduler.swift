import RillCore
import RillRTP

/// Decides when to send a NACK, and for which packets; no other code decides that.
///
/// ``NACKGenerator`` tracks the missing packets, and requests each once per round trip. ``RequestRepeater`` repeats
/// requests without an answer within that round trip. A NACK lists all packets that are currently requested, so a
/// lost NACK does not cost a round trip of waiting.
///
/// Feed the generator with arrivals. Call ``isRequestDue(at:jitter:)`` at ``nextRequest``, and
/// ``isRepetitionDue(at:)`` at ``nextRepetition``. If one of them returns `true`,
/// ``collectUnanswered(at:jitter:into:)`` gives the sequence numbers.
struct NACKScheduler: ~Copyable, Sendable {
    /// The missing packets.
    var generator: NACKGenerator
    private var repeater: RequestRepeater
    /// The packets in the last NACK that were not in the previous one; 0 if it repeats that one.
    private(set) var newCount = 0
    /// When a packet was last requested that was not in the previous NACK.
    private var lastRequest: MediaTime?

    init(_ settings: NACKSettings?, roundTripTime: MediaDuration) {
        generator = NACKGenerator(settings, roundTripTime: roundTripTime)
        repeater = RequestRepeater(count: settings?.copies ?? 0)
    }

    /// When packets are due for a request, or become expired.
    var nextRequest: MediaTime {
        @inline(__always) mutating get { generator.nextAction }
    }

    /// When to repeat the last NACK.
    var nextRepetition: MediaTime {
        @inline(__always) get { repeater.nextTime }
    }

    /// Whether packets are due for a request now; if so, notes the request.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - jitter: how much longer than a round trip an answer may take.
    mutating func isRequestDue(at now: MediaTime, jitter: MediaDuration) -> Bool {
        generator.jitter = jitter
        newCount = generator.collect(at: now)
        if newCount > 0 { lastRequest = now }
        return newCount > 0
    }

    /// Whether to repeat the last NACK now; if so, notes that it is.
    mutating func isRepetitionDue(at now: MediaTime) -> Bool {
        guard repeater.isDue(at: now) else { return false }
        if lastRequest != now { newCount = 0 }
        return true
    }

    /// Replaces the content of `numbers` by the packets that were requested within this round trip and have not
    /// arrived: every datagram that is sent lists them again.
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
