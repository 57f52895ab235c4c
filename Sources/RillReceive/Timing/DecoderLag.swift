import RillCore

/// Notices that who decodes cannot keep up, and sees to it that something is shown all the same.
///
/// Of several frames that are due at once only the last is shown: that catches up after the network has held them back.
/// A machine that is too slow for its streams never comes to that last one, since the next is due before it is there; without
/// this its pictures would stand still, for good.
struct DecoderLag {
    /// From when on the last frame could have been released, but for the time that others took to decode.
    private var lastReady: MediaTime?
    /// When a frame was released last that is shown.
    private var lastShown: MediaTime?

    /// So long a frame waits for a decoder that keeps up at the very most: threads that wake late are no lag.
    static let standstillTimeout = MediaDuration.milliseconds(100)
    /// So long nothing was shown before a frame is that should only be decoded.
    static let standstill = MediaDuration.milliseconds(500)

    /// Notes that a frame is released, and says whether to show it.
    ///
    /// - Parameters:
    ///   - isOvertaken: its successor is due already.
    ///   - ready: when it was there and due.
    mutating func release(isOvertaken: Bool, ready: MediaTime, at now: MediaTime) -> Bool {
        // What was there while the network held back the one before it did not wait for the decoder until that came.
        let ready = max(ready, lastReady ?? ready)
        lastReady = ready
        let standsStill = lastShown.map { now - $0 > DecoderLag.standstill } ?? true
        let isShown = !isOvertaken || now - ready > DecoderLag.standstillTimeout && standsStill
        if isShown { lastShown = now }
        return isShown
    }
}
