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
    /// Whether it was asked since its last key frame.
    private var isAsked = false

    /// The shortest time from one key frame to the next request. 1 s.
    static let spacing = MediaDuration.seconds(1)
    /// When a request is repeated that nothing has answered. 500 ms.
    static let timeout = MediaDuration.milliseconds(500)

    /// Notes that somebody waits for a key frame.
    mutating func want() { isWanted = true }

    /// Notes that a key frame arrived.
    mutating func noteKeyFrame(at now: MediaTime) {
        (isWanted, isAsked, last) = (false, false, now)
    }

    /// Notes that the publisher was asked.
    mutating func noteRequest(at now: MediaTime) { (isAsked, last) = (true, now) }

    /// When to ask the publisher; in the distant future if nobody waits.
    var dueTime: MediaTime {
        guard isWanted else { return .distantFuture }
        guard let last else { return MediaTime(nanoseconds: .min) }
        return last + (isAsked ? KeyFrameDemand.timeout : KeyFrameDemand.spacing)
    }
}
