import RillCore
import RillSession

/// Collects requests for a key frame of a layer, so that its publisher is asked once for all of them.
///
/// A key frame is many times as large as others, and everyone gets it: whoever asks within a second of the last one
/// waits until that is over. How often a request is repeated that nothing has answered is ``KeyFrameRequester``'s.
struct KeyFrameRequestTimer: Sendable {
    /// Whether somebody waits for a key frame.
    private(set) var isWanted = false
    private var requester = KeyFrameRequester(roundTripTime: KeyFrameRequestTimer.timeout)
    /// When the last key frame arrived.
    private var keyFrameTime = MediaTime(nanoseconds: .min / 2)

    /// The shortest time from one key frame to the next request. 1 s.
    static let spacing = MediaDuration.seconds(1)
    /// When a request is repeated for the first time that nothing has answered. 500 ms.
    static let timeout = MediaDuration.milliseconds(500)

    /// Notes that somebody waits for a key frame.
    mutating func want() { isWanted = true }

    /// Notes that a key frame arrived.
    mutating func noteKeyFrame(at now: MediaTime) {
        (isWanted, keyFrameTime) = (false, now)
        requester.noteKeyFrame(at: now)
    }

    /// Notes that the publisher was asked.
    mutating func noteRequest(at now: MediaTime) { requester.noteRequest(at: now) }

    /// When to ask the publisher; in the distant future if nobody waits, or if the layer has stopped and was asked
    /// since.
    ///
    /// - Parameter lastArrival: when the layer's last frame arrived.
    func dueTime(lastArrival: MediaTime) -> MediaTime {
        guard isWanted else { return .distantFuture }
        let allowed = requester.nextRequest(frameInterval: .zero, lastArrival: lastArrival)
        return max(allowed, keyFrameTime + KeyFrameRequestTimer.spacing)
    }
}
