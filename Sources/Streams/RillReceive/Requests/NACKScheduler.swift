public import RillCore
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

/// When a ``JitterBuffer`` NACKs packets, and when it gives up.
public struct NACKSettings: Sendable, Equatable {
    /// How long a packet must be missing before its first request, at least zero; 0 by default. Larger values suit
    /// streams whose FEC packets are likely to recover it sooner: ``StreamReceiver`` uses at least 10 ms if ULPFEC
    /// was negotiated. Packet reordering is learned, and awaited in addition.
    public var firstRequestDelay = MediaDuration.zero
    /// The most requests for one packet, 1 to 100; 10 by default.
    public var maximumRequestCount = 10
    /// How long after it was detected as missing a packet is still requested; 2 s by default. Senders keep packets
    /// for about that long, and a key frame is cheaper than the packets of two seconds.
    public var maximumAge = MediaDuration.seconds(2)
    /// The longest run of lost packets that is requested, 1 to 1000; after a longer one a key frame is requested
    /// instead. 100 by default: 120 kB, three times a key frame of 640x480.
    public var maximumGap = 100

    /// How often a NACK is repeated while the packets do not arrive, 0 to 20; 8 by default. The repetitions are
    /// spread over five eighths of a round trip, but at least 5 ms apart; there are twice as many if the previous
    /// round was in vain. A lost NACK costs a round trip of waiting, a repetition some 80 bytes. Senders answer each
    /// sequence number once per round trip.
    public var copies = 8

    /// Creates settings with the defaults.
    public init() {}

    func validate() {
        precondition(firstRequestDelay >= .zero, "the first request waits \(firstRequestDelay): not below zero")
        precondition((1...100).contains(maximumRequestCount), "\(maximumRequestCount) requests for a packet: 1 to 100")
        precondition(maximumAge >= .zero, "packets are asked for until \(maximumAge): not below zero")
        precondition((0...20).contains(copies), "\(copies) copies of a NACK: 0 to 20")
        precondition((1...1000).contains(maximumGap), "a gap of \(maximumGap) packets: 1 to 1000")
    }
}
