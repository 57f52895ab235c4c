import RillCore

/// Says when what was asked for and has not come is asked for once more: within one round of asking, because a request
/// that is lost costs a round trip of waiting.
///
/// ``NACKGenerator`` asks for a packet once in a round trip. A datagram that asks is small, and what takes one on its way
/// back, where few go, often takes those right behind it. So what is still missing is repeated in several datagrams, spread
/// over the first five eighths of the round trip, less what packets scatter by. The sender, who answers a number once in
/// three quarters of it (`RTPStreamSender`), then sends nothing twice on their account. Where a whole round was in vain,
/// the next one is twice as dense.
struct RequestRepeater {
    /// How often a request is repeated in a round trip, at most.
    private let count: Int
    /// The part of the round trip in which requests are repeated; none, where none are.
    private(set) var window = MediaDuration.zero
    private var remaining = 0
    private var spacing = MediaDuration.zero
    /// When ``isDue(at:)`` says so next.
    private(set) var nextTime = MediaTime.distantFuture

    /// Repetitions are not closer together: a thread that wakes late would send them at once.
    static let leastSpacing = MediaDuration.milliseconds(5)

    /// Each request is repeated so often.
    init(count: Int) {
        self.count = count
    }

    /// Takes note of what is known of the way to the sender and back.
    mutating func note(roundTripTime: MediaDuration, jitter: MediaDuration) {
        window = count > 0 ? max(roundTripTime / 4, roundTripTime * 5 / 8 - jitter) : .zero
    }

    /// A request is sent now: its repetitions follow, and the ones of those before it go with them.
    ///
    /// - Parameter isInVain: something of it was asked for in the round before.
    mutating func begin(isInVain: Bool, at now: MediaTime) {
        guard count > 0 else { return }
        let most = isInVain ? count * 2 : count
        spacing = max(RequestRepeater.leastSpacing, window / most)
        remaining = min(most, Int(window.nanoseconds / spacing.nanoseconds))
        nextTime = remaining > 0 ? now + spacing : .distantFuture
    }

    /// Whether what is missing is to be asked for again now; if so, notes that it is.
    mutating func isDue(at now: MediaTime) -> Bool {
        guard nextTime <= now else { return false }
        remaining -= 1
        nextTime = remaining > 0 ? now + spacing : .distantFuture
        return true
    }

    /// All has come: nothing is repeated before the next request.
    mutating func end() {
        nextTime = .distantFuture
    }
}
