import RillCore

/// Collects requests for a key frame of a layer, so that its publisher is asked once for all of them.
///
/// A key frame is many times as large as others, and everyone gets it: whoever asks within a second of the last one waits
/// until that is over.
struct KeyFrameDemand: Sendable {
    /// Whether somebody waits for a key frame.
    private(set) var isWanted = false
    /// When the publisher was asked last, or sent a key frame.
    private var last: MediaTime?
    /// How often it was asked since its last key frame.
    private var requestCount = 0

    /// The shortest time from one key frame to the next request. 1 s.
    static let spacing = MediaDuration.seconds(1)
    /// When a request is repeated that nothing has answered: after 500 ms, and then after twice as long each time up to 4 s. A publisher may
    /// have switched its camera off.
    static let timeout = MediaDuration.milliseconds(500)
    private static let mostDoublings = 3

    /// Notes that somebody waits for a key frame.
    mutating func want() { isWanted = true }

    /// Notes that a key frame arrived.
    mutating func noteKeyFrame(at now: MediaTime) {
        (isWanted, requestCount, last) = (false, 0, now)
    }

    /// Notes that the publisher was asked.
    mutating func noteRequest(at now: MediaTime) { (requestCount, last) = (requestCount + 1, now) }

    /// When to ask the publisher; in the distant future if nobody waits.
    var dueTime: MediaTime {
        guard isWanted else { return .distantFuture }
        guard let last else { return MediaTime(nanoseconds: .min) }
        guard requestCount > 0 else { return last + KeyFrameDemand.spacing }
        return last + KeyFrameDemand.timeout * (1 << min(requestCount - 1, KeyFrameDemand.mostDoublings))
    }
}
