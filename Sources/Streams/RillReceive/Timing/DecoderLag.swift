import RillCore

/// Detects that the decoder cannot keep up, and ensures that something is shown all the same.
///
/// Of several frames that are due at once only the last is shown, which catches up after the network held them back.
/// A machine that is too slow for its streams never reaches that last one, because the next is due before. Without
/// this type, its picture would freeze forever.
struct DecoderLag {
    /// When the last frame could have been released, had other frames taken no time to decode.
    private var lastReady: MediaTime?
    /// When a shown frame was last released.
    private var lastShown: MediaTime?

    /// The longest that a frame waits for a decoder that keeps up: threads that wake late are not a lag.
    static let standstillTimeout = MediaDuration.milliseconds(100)
    /// The time without a shown frame after which one is shown that should only be decoded.
    static let standstill = MediaDuration.milliseconds(500)

    /// Notes that a frame is released, and returns whether to show it.
    ///
    /// - Parameters:
    ///   - isOvertaken: whether its successor is already due.
    ///   - ready: when it was complete and due.
    ///   - now: the current time.
    /// - Returns: whether to show it.
    mutating func release(isOvertaken: Bool, ready: MediaTime, at now: MediaTime) -> Bool {
        // A frame that was complete while the network held back the previous one did not wait for the decoder until
        // that arrived.
        let ready = max(ready, lastReady ?? ready)
        lastReady = ready
        let standsStill = lastShown.map { now - $0 > DecoderLag.standstill } ?? true
        let isShown = !isOvertaken || now - ready > DecoderLag.standstillTimeout && standsStill
        if isShown { lastShown = now }
        return isShown
    }
}
