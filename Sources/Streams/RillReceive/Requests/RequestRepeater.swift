import RillCore

/// Decides when to repeat unanswered requests within one round trip, because a lost request would cost a round trip
/// of waiting.
///
/// ``NACKGenerator`` requests a packet once per round trip. A datagram with requests is small, and on the return
/// path, where traffic is sparse, a loss often takes the datagrams right after it too. So requests are repeated in
/// several datagrams, spread over the first five eighths of the round trip minus the jitter. The sender answers a
/// sequence number once per three quarters of a round trip (`RTPStreamSender`), so the repetitions cause no duplicate
/// answers. If a whole round was in vain, the next one is twice as dense.
struct RequestRepeater {
    /// The most repetitions of a request per round trip.
    private let count: Int
    /// The part of the round trip in which requests are repeated; zero if they are not.
    private(set) var window = MediaDuration.zero
    private var remaining = 0
    private var spacing = MediaDuration.zero
    /// When ``isDue(at:)`` is next `true`.
    private(set) var nextTime = MediaTime.distantFuture

    /// The shortest spacing of repetitions: a thread that wakes late would send closer ones at once.
    static let leastSpacing = MediaDuration.milliseconds(5)

    /// Creates a repeater with `count` repetitions per request.
    init(count: Int) {
        self.count = count
    }

    /// Notes what is known of the round trip.
    mutating func note(roundTripTime: MediaDuration, jitter: MediaDuration) {
        window = count > 0 ? max(roundTripTime / 4, roundTripTime * 5 / 8 - jitter) : .zero
    }

    /// Notes that a request is sent now: its repetitions follow, and include those of earlier requests.
    ///
    /// - Parameters:
    ///   - isInVain: whether part of it was requested in the previous round.
    ///   - now: the current time.
    mutating func begin(isInVain: Bool, at now: MediaTime) {
        guard count > 0 else { return }
        let most = isInVain ? count * 2 : count
        spacing = max(RequestRepeater.leastSpacing, window / most)
        remaining = min(most, Int(window.nanoseconds / spacing.nanoseconds))
        nextTime = remaining > 0 ? now + spacing : .distantFuture
    }

    /// Whether to repeat the request now; if so, notes that it is.
    mutating func isDue(at now: MediaTime) -> Bool {
        guard nextTime <= now else { return false }
        remaining -= 1
        nextTime = remaining > 0 ? now + spacing : .distantFuture
        return true
    }

    /// Ends the repetitions, because everything arrived.
    mutating func end() {
        nextTime = .distantFuture
    }
}
